import LibraryFormatting
import MarkdownParse
package import Model
package import RichText
package import Workspace

/// The format of a passage, a record of the schema `diple.format/1`.
package struct FormatRecord: Encodable, Sendable {
  /// An attribute and its value in the syntax of the command line.
  ///
  /// The value of an unset attribute is `off`, `normal` or `automatic`, or null if the attribute
  /// has no such word. If the value differs within the passage, it is null and `mixed` is true.
  package struct AttributeRecord: Encodable, Sendable {
    package var name: String
    @Nullable package var value: String?
    package var mixed: Bool

    /// Returns the value for display, with lengths in a unit: `36 pt`, `at least 0.5 in`, `mixed`.
    package func shown(in unit: LengthUnit) -> String {
      guard !mixed, let value else { return mixed ? "mixed" : "none" }
      if name == "size" { return value + " pt" }
      let hasLength =
        name.hasPrefix("indent")
        || name.hasPrefix("spacing")
          && (name != "spacing line" || value.contains(" "))
      guard hasLength else { return value }
      return value.split(separator: " ").map { word in
        Double(word).map { unit.text(Twips(Int(($0 * 20).rounded()))) } ?? String(word)
      }.joined(separator: " ")
    }
  }

  /// A formatted passage whose position in the text is uncertain. Its format isn't shown.
  package struct UncertainRecord: Encodable, Sendable {
    package var id: String
    package var quote: String
    package var format: String
    package var state: String
  }

  @Nullable package var document: HighlightRecord.DocumentReference?
  package var quote: String
  package var range: TextRange
  package var attributes: [AttributeRecord]
  /// The name of the margins, `custom` for other ones, or `none`.
  package var margins: String
  package var uncertain: [UncertainRecord]

  package init(_ format: DocumentFormat, of range: TextRange, in open: OpenDocument) {
    document = open.document.map { .init($0) }
    quote = open.parsed.text.substring(range)
    self.range = range
    attributes = Self.attributes(format.summary(of: range))
    margins = format.margins.map { $0.name?.rawValue ?? "custom" } ?? "none"
    uncertain = format.uncertain.map {
      UncertainRecord(
        id: "\($0.id.dot)", quote: $0.quote, format: $0.change.typed,
        state: $0.anchor.state.rawValue)
    }
  }

  /// Returns the attributes that a change sets or clears. The value of a cleared one is `none`.
  static func lines(_ change: FormatChange) -> [AttributeRecord] {
    func record<Attribute: FormatAttribute>(
      _ change: AttributeChange<Attribute>, _ name: String, _ typed: (Attribute) -> String
    ) -> AttributeRecord {
      var value = "none"
      if case .set(let attribute) = change { value = typed(attribute) }
      return AttributeRecord(name: name, value: value, mixed: false)
    }
    return change.characters.map { record($0, $0.kind.typed) { $0.typed } }
      + change.paragraphs.map { record($0, $0.kind.typed) { $0.typed } }
  }

  private static func attributes(_ summary: FormatSummary) -> [AttributeRecord] {
    CharacterAttribute.Kind.allCases.map { kind in
      let value = summary.characters[kind] ?? .same(nil)
      return record(kind.typed, value, off: kind.offWord) { $0.typed }
    }
      + ParagraphAttribute.Kind.allCases.filter { $0 != .list }.map { kind in
        record(kind.typed, summary.paragraphs[kind] ?? .same(nil), off: nil) { $0.typed }
      }
  }

  private static func record<Attribute>(
    _ name: String, _ value: CommonValue<Attribute>, off: String?, _ typed: (Attribute) -> String
  ) -> AttributeRecord {
    switch value {
    case .mixed: AttributeRecord(name: name, value: nil, mixed: true)
    case .same(let value): AttributeRecord(name: name, value: value.map(typed) ?? off, mixed: false)
    }
  }

  /// Returns the attributes that are set, with their values.
  package static func lines(
    _ characters: AttributeSet<CharacterAttribute>, _ paragraphs: AttributeSet<ParagraphAttribute>
  ) -> [AttributeRecord] {
    characters.values.map { AttributeRecord(name: $0.kind.typed, value: $0.typed, mixed: false) }
      + paragraphs.values.map {
        AttributeRecord(name: $0.kind.typed, value: $0.typed, mixed: false)
      }
  }
}

extension CharacterAttribute.Kind {
  /// The value of an attribute that isn't set. Nil if it has no word.
  fileprivate var offWord: String? {
    switch self {
    case .bold, .italic, .underline, .strikethrough, .capitals: "off"
    case .position: "normal"
    case .color, .background: "automatic"
    case .family, .size, .link: nil
    }
  }
}
