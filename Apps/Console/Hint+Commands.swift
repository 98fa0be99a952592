package import SystemSupport

extension Hint.Syntax {
  /// The words of a POSIX shell.
  package static let shell = Hint.Syntax(isShell: true) { $0.command }
  /// The words of the line editor, and of the reader after `:`.
  package static let lineEditor = Hint.Syntax(isShell: false) { $0.command }
}

/// Commands in hints. Only front-ends with a command line can write them: other modules name an
/// action, and `Remedy.command` has the words.
extension Hint.StringInterpolation {
  /// Appends a command in back quotes.
  package mutating func appendInterpolation(command words: Hint.Word...) {
    append(command: words, isQuoted: true)
  }
  /// Appends a command of a list of words in back quotes.
  package mutating func appendInterpolation(command words: [Hint.Word]) {
    append(command: words, isQuoted: true)
  }
  /// Appends a command without quotes, for the end of a line.
  package mutating func appendInterpolation(typed words: Hint.Word...) {
    append(command: words, isQuoted: false)
  }
  /// Appends a command line in back quotes; no word of it may need quoting.
  package mutating func appendInterpolation(line: String) {
    append(command: line.split(separator: " ").map { .word(String($0)) }, isQuoted: true)
  }
}
