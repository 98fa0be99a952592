import Glibc
package import SystemSupport

extension UserError {
  /// Returns the error for an unknown option.
  package static func noOption(_ word: some StringProtocol, hint: Hint) -> UserError {
    UserError(.usage, "there is no option '\(word)'", hint: hint)
  }

  /// The error for a temporary file that can't be created. Contains the last error of the system.
  package static var noTemporaryFile: UserError {
    UserError(.conflict, "cannot create a temporary file: \(SystemCallError())")
  }
}

extension Hint {
  /// The hint for a library without documents.
  package static var noDocuments: Hint {
    "the library has no documents; \(command: "add", "FILE") adds one"
  }
}

extension UserError.Code {
  /// The exit code of the process for this kind of error.
  package var exitCode: Int32 {
    switch self {
    case .nothing: 1
    case .usage: 2
    case .notFound: 4
    case .ambiguous: 5
    case .conflict: 6
    case .unconfirmed: 7
    case .damaged: 8
    case .plugin: 9
    case .incomplete: 10
    }
  }
}
