package import Interchange

/// The reason, for users, why a page or book cannot be converted.
package struct FetchError: Error, Hashable {
  package var problem: FetchAnswer.Problem

  /// - Parameter code: a raw value of `UserError.Code`.
  init(_ code: String, _ message: String, hint: String? = nil) {
    problem = FetchAnswer.Problem(code: code, message, hint: hint)
  }
}
