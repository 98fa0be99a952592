package import Interchange

/// Why a picture cannot be read, for a person.
package struct ScanProblem: Error, Hashable {
  package var problem: FetchAnswer.Problem

  /// - Parameter code: one of the codes of `UserError`.
  init(_ code: String, _ message: String, hint: String? = nil) {
    problem = FetchAnswer.Problem(code: code, message, hint: hint)
  }
}
