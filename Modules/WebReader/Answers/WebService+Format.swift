import Editing
import MarkdownParse
import Model
import RichText
import SystemSupport
import Workspace

extension WebService {
  private struct FormatAnswer: Encodable {
    struct Attribute: Encodable {
      /// The value in command syntax; omitted if no layer sets one.
      var value: String?
      var mixed: Bool
    }

    var range: WebRange
    /// The resolved attributes, by their names in `diple format`.
    var attributes: [String: Attribute]
    var margins: String
    /// The titles of the paragraph styles.
    var styles: [String]
  }

  /// Returns the resolved format of a passage. Throws ``UserError`` with the code `conflict` if the
  /// text has changed.
  func formatAnswer(_ id: String, _ input: WebInput) async throws -> WebAnswer {
    let (open, digest) = try await open(id)
    let range = try input.passage()
    if let text = input.text("text"), text != digest.description { throw Self.otherText }
    guard range.utf16.upperBound <= open.parsed.text.count else { throw Self.otherText }
    let format = try await library.format(of: open)
    let summary = format.summary(of: range)
    var attributes: [String: FormatAnswer.Attribute] = [:]
    for kind in CharacterAttribute.Kind.allCases {
      attributes[kind.typed] = Self.attribute(summary.characters[kind]) { $0.typed }
    }
    for kind in ParagraphAttribute.Kind.allCases where kind != .list {
      attributes[kind.typed] = Self.attribute(summary.paragraphs[kind]) { $0.typed }
    }
    return .json(
      FormatAnswer(
        range: WebRange(range), attributes: attributes,
        margins: (format.margins ?? .standard).rawValue,
        styles: try await library.styles().styles.map(\.title)))
  }

  private static func attribute<Attribute>(
    _ value: CommonValue<Attribute>?, _ typed: (Attribute) -> String
  ) -> FormatAnswer.Attribute {
    switch value {
    case .mixed: FormatAnswer.Attribute(mixed: true)
    case .same(let value): FormatAnswer.Attribute(value: value.map(typed), mixed: false)
    case nil: FormatAnswer.Attribute(mixed: false)
    }
  }

  /// The text has changed since the page displayed it.
  static let otherText = UserError(
    .conflict, "the text changed since it was shown", hint: "select the passage again")

  // MARK: - Formatting

  private struct FormatInput: Decodable {
    var text: ContentDigest
    var ranges: [WebRange]
    /// The arguments of `diple format`.
    var words: [String]?
    /// The values to set and the attributes to clear, as one change.
    var set: [String: String]?
    var clear: [String]?
    /// Whether to leave the file unchanged.
    var keepFile: Bool?
  }

  private struct FormattedAnswer: Encodable {
    struct Part: Encodable {
      var quote: String?
      var file: Bool
      var stored: Bool
      var turnedOn: Bool?
      var obstacle: String?
    }

    var formatted: [Part]
  }

  /// The maximum number of passages to format at once.
  private static let mostFormats = 100

  /// Formats the selection as `diple format` does. Throws ``UserError`` with the code `usage` for
  /// an invalid request.
  func format(_ id: String, _ input: WebInput) async throws -> WebAnswer {
    let asked = try input.decode(FormatInput.self)
    guard !asked.ranges.isEmpty, asked.ranges.count <= Self.mostFormats else {
      throw UserError(.usage, "a selection has 1 to \(Self.mostFormats) passages")
    }
    let wish = try Self.wish(asked)
    let outcomes = try await library.format(
      try await document(id), .passages(asked.ranges.map(\.range), of: asked.text), wish,
      keepsFile: asked.keepFile == true)
    return .json(
      FormattedAnswer(
        formatted: outcomes.map { outcome in
          switch outcome {
          case .file: FormattedAnswer.Part(file: true, stored: false)
          case .stored(let result, _):
            FormattedAnswer.Part(
              quote: result.quote, file: result.file != nil, stored: result.isStored,
              turnedOn: result.turnedOn, obstacle: result.obstacle)
          }
        }))
  }

  /// Returns the requested format: parsed from the arguments, or from the values of attributes.
  private static func wish(_ asked: FormatInput) throws(UserError) -> FormatRequest {
    if let words = asked.words {
      let (wish, count) = try FormatRequest.parse(words)
      guard count == words.count else {
        throw UserError(.usage, "unexpected argument '\(words[count].oneLine)'")
      }
      return wish
    }
    var change = FormatChange()
    for (name, value) in (asked.set ?? [:]).sorted(by: { $0.key < $1.key }) {
      try add(name.split(separator: " ").map(String.init) + [value], to: &change)
    }
    for name in (asked.clear ?? []).sorted() {
      try add(name.split(separator: " ").map(String.init) + ["none"], to: &change)
    }
    guard !change.isEmpty else { throw UserError(.usage, "expected words, or something to set") }
    return .act(.change(change), change.typed)
  }

  private static func add(_ words: [String], to change: inout FormatChange) throws(UserError) {
    guard let parsed = try FormatWords.parse(words), parsed.count == words.count else {
      throw UserError(.usage, "'\(words.dropLast().joined(separator: " ").oneLine)' cannot be set")
    }
    change.characters += parsed.change.characters
    change.paragraphs += parsed.change.paragraphs
  }
}
