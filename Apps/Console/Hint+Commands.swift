package import SystemSupport

extension Hint.Syntax {
  /// The words of a POSIX shell.
  package static let shell = Hint.Syntax(isShell: true) { $0.command }
  /// The words of the line editor, and of the reader after `:`.
  package static let lineEditor = Hint.Syntax(isShell: false) { $0.command }
}
