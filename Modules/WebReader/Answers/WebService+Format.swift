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
}
