package import Interchange

/// The reason, for users, why a PDF file cannot be read.
package struct PDFError: Error, Hashable {
  package var problem: FetchAnswer.Problem

  /// - Parameter code: a raw value of `UserError.Code`.
  init(_ code: String, _ message: String, hint: String? = nil) {
    problem = FetchAnswer.Problem(code: code, message, hint: hint)
  }
}
