package import Interchange

/// Why nothing can be made of a page or a book, for a person.
package struct FetchProblem: Error, Hashable {
  package var problem: FetchAnswer.Problem

  /// - Parameter code: one of the codes of `UserError`.
  init(_ code: String, _ message: String, hint: String? = nil) {
    problem = FetchAnswer.Problem(code: code, message, hint: hint)
  }
}
