/// Anything that keeps a request from being done: one line for a person, a stable code for a
/// program, and what to do next. Nothing was changed when it is thrown.
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
    /// The library's database is damaged, not Diple's or made by a newer Diple.
    case damaged
    /// A plugin failed.
    case plugin
  }

  /// What went wrong.
  package var code: Code
  /// One line: what and where.
  package var message: String
  /// What the hint ends with: a command line or a part of one, which each front-end quotes in its own
  /// way.
  package enum Word: Hashable, Sendable {
    /// Any word.
    case word(String)
    /// A SPEC, whose quotation marks are part of it.
    case spec(String)
  }

  /// What to do about it, without the words to be typed.
  private var advice: String?
  /// The words to be typed.
  private var words: [Word]
  /// One line: what to do about it, as it is typed in a shell.
  package var hint: String? {
    get { typedHint }
    set { (advice, words) = (newValue, []) }
  }

  private var typedHint: String? {
    advice.map { advice in
      ([advice]
        + words.map {
          switch $0 {
          case .word(let text), .spec(let text): text.shellQuoted
          }
        }).joined(separator: " ")
    }
  }
  /// What could have been meant, one line each.
  package var candidates: [String]
  /// The section that each of them stands in, in the same order; empty when they have none.
  package var sections: [String?]

  /// Makes an error of its parts.
  package init(
    _ code: Code, _ message: String, hint: String? = nil, typing words: [Word] = [],
    candidates: [String] = [], sections: [String?] = []
  ) {
    self.code = code
    self.message = message
    self.advice = hint
    self.words = words
    self.candidates = candidates
    self.sections = sections
  }

  /// Message and hint in one line.
  package var description: String { hint.map { "\(message); \($0)" } ?? message }

  /// Message and hint in one line, as it is typed in the line editor: without `diple`.
  package var lineEditorDescription: String {
    guard let advice else { return message }
    let typed = words.drop { $0 == .word("diple") }.map {
      switch $0 {
      case .word(let text): text.lineEditorQuoted
      case .spec(let text): text
      }
    }
    return "\(message); \(([advice] + typed).joined(separator: " "))"
  }
}
