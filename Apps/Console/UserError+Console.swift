import Glibc
package import SystemSupport

extension UserError {
  /// Says that a text has no heading with an anchor.
  package static func noHeading(_ slug: String) -> UserError {
    UserError(.nothing, "there is no heading '#\(slug)'")
  }

  /// Says that a command has no such option.
  package static func noOption(_ word: some StringProtocol, hint: Hint) -> UserError {
    UserError(.usage, "there is no option '\(word)'", hint: hint)
  }

  /// Says why there is no temporary file: the last error of the system.
  package static var noTemporaryFile: UserError {
    UserError(.conflict, "no temporary file: \(SystemFailure())")
  }
}

extension Hint {
  /// What can be done in a library without documents.
  package static var noDocuments: Hint {
    "the library has no documents; \(command: "add", "FILE") adds one"
  }
}

extension UserError.Code {
  /// The process's exit code for this kind of error.
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
