/// The error of a request: one line for users, a stable code for programs, and a hint.
///
/// If it is thrown, nothing was changed. The exception is the code `unconfirmed`: the whole request
/// was carried out.
///
///     throw UserError(
///       .notFound, "no such file: \(path)", hint: "\(action: "document.list") shows the documents")
package struct UserError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of the error, for programs.
  package enum Code: String, Hashable, Sendable, Codable {
    /// There is nothing to do, or nothing matches.
    case nothing
    /// The request is malformed.
    case usage
    /// A document, highlight or file is missing or cannot be read.
    case notFound
    /// Several things match; `candidates` lists them.
    case ambiguous
    /// The library or file cannot be written now: locked, changed meanwhile, read-only or full.
    case conflict
    /// The request was done, but the disk did not confirm it: a power cut may undo it.
    case unconfirmed
    /// The library's database is damaged, not Diple's, or made by a newer Diple.
    case damaged
    /// A plugin failed.
    case plugin
    /// The result would omit something, and the user asked for a complete one.
    case incomplete
  }

  /// The kind of the error.
  package var code: Code
  /// One line with the problem and its place.
  package var message: String
  /// One line with advice; nil if there is none.
  package var hint: Hint?
  /// A remedy that front-ends can offer, as a command or a button; nil if there is no such remedy.
  package var remedy: Remedy?
  /// The possible interpretations, one line each.
  package var candidates: [String]
  /// The section of each candidate, in the same order; empty if the candidates have none.
  package var sections: [String?]
  /// The path of the invalid member of a request, such as `passage.ranges.0.end`; nil if the error
  /// does not concern a member.
  package var parameter: String?
  /// The valid values of the parameter; empty if they cannot be listed.
  package var allowed: [String] = []

  package init(
    _ code: Code, _ message: String, hint: Hint? = nil, remedy: Remedy? = nil,
    candidates: [String] = [], sections: [String?] = []
  ) {
    self.code = code
    self.message = message
    self.hint = hint
    self.remedy = remedy
    self.candidates = candidates
    self.sections = sections
  }

  /// Returns the error with `parameter` as the path of the invalid member, unless it already has a
  /// path.
  package func about(_ parameter: String) -> UserError {
    var error = self
    error.parameter = self.parameter ?? parameter
    return error
  }

  /// The message and the hint in one line. The hint names actions such as `sync.leave` instead of
  /// commands.
  package var description: String { description(in: .plain) }

  /// Returns the message and the hint in one line, in the words of a front-end.
  package func description(in syntax: Hint.Syntax) -> String {
    guard let hint else { return message }
    return message + (message.hasSuffix("?") ? " " : "; ") + hint.text(in: syntax)
  }
}
