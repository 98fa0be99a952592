/// Anything that keeps a request from being done: one line for a person, a stable code for a
/// program, and what to do next. Nothing was changed when it is thrown, and everything when its code is
/// `unconfirmed`.
package struct UserError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What went wrong, as a program tells errors apart.
  package enum Code: String, Hashable, Sendable, Codable {
    /// There was nothing to do, or nothing matched.
    case nothing
    /// The request itself is not well formed.
    case usage
    /// There is no such document, highlight or file, or it cannot be read.
    case notFound
    /// Several things fit; the candidates are listed.
    case ambiguous
    /// The library or file cannot be written now: locked, changed meanwhile, read-only or full.
    case conflict
    /// It was done, but the disk did not confirm it: a power cut may take it back.
    case unconfirmed
    /// The library's database is damaged, not Diple's or made by a newer Diple.
    case damaged
    /// A plugin failed.
    case plugin
    /// Something would have been left out, and a person asked that nothing is.
    case incomplete
  }

  /// What went wrong.
  package var code: Code
  /// One line: what and where.
  package var message: String
  /// One line: what to do about it.
  package var hint: Hint?
  /// What could have been meant, one line each.
  package var candidates: [String]
  /// The section that each of them stands in, in the same order; empty when they have none.
  package var sections: [String?]

  /// Makes an error of its parts.
  package init(
    _ code: Code, _ message: String, hint: Hint? = nil,
    candidates: [String] = [], sections: [String?] = []
  ) {
    self.code = code
    self.message = message
    self.hint = hint
    self.candidates = candidates
    self.sections = sections
  }

  /// Message and hint in one line, as it is typed in a shell.
  package var description: String { description(in: .shell) }

  /// Message and hint in one line.
  package func description(in syntax: Hint.Syntax) -> String {
    hint.map { "\(message); \($0.text(in: syntax))" } ?? message
  }
}
