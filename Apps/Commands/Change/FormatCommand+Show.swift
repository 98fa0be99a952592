import Actions
import Console
import Editing
import MarkdownParse
import Model
import Rendering
import RichText
import SystemSupport
import Workspace

/// The format of a passage, a record of the schema `diple.format/1`.
struct FormatRecord: Encodable {
  /// An attribute and its value in the syntax of the command line.
  ///
  /// The value of an unset attribute is `off`, `normal` or `automatic`, or null if the attribute
  /// has no such word. If the value differs within the passage, it is null and `mixed` is true.
  struct AttributeRecord: Encodable {
    var name: String
    @Nullable var value: String?
    var mixed: Bool
  }

  /// A formatted passage that isn't shown, because its position in the text is uncertain.
  struct UncertainRecord: Encodable {
    var id: String
    var quote: String
    var format: String
    var state: String
  }

  @Nullable var document: HighlightRecord.DocumentReference?
  var quote: String
  var range: TextRange
  var attributes: [AttributeRecord]
  var margins: String
  var uncertain: [UncertainRecord]

  init(_ format: DocumentFormat, of range: TextRange, in open: OpenDocument) {
    document = open.document.map { .init($0) }
    quote = open.parsed.text.substring(range)
    self.range = range
    attributes = Self.attributes(format.summary(of: range))
    margins = (format.margins ?? .standard).rawValue
    uncertain = format.uncertain.map {
      UncertainRecord(
        id: "\($0.id.dot)", quote: $0.quote, format: $0.change.typed,
        state: $0.anchor.state.rawValue)
    }
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

  /// Returns a record for each attribute that has a value.
  static func lines(
    _ characters: AttributeSet<CharacterAttribute>, _ paragraphs: AttributeSet<ParagraphAttribute>
  ) -> [AttributeRecord] {
    characters.values.map { AttributeRecord(name: $0.kind.typed, value: $0.typed, mixed: false) }
      + paragraphs.values.map {
        AttributeRecord(name: $0.kind.typed, value: $0.typed, mixed: false)
      }
  }
}

extension CharacterAttribute.Kind {
  /// The value that is printed for an unset attribute; nil if there is no word for it.
  fileprivate var offWord: String? {
    switch self {
    case .bold, .italic, .underline, .strikethrough, .capitals: "off"
    case .position: "normal"
    case .color, .background: "automatic"
    case .family, .size, .link: nil
    }
  }
}

extension FormatCommand {
  /// Runs `format show`.
  func show(_ words: [String], _ context: CommandContext) async throws {
    let passage =
      words.isEmpty
      ? try await context.passage([], options)
      : try await context.passage(ofHighlightOr: words, options)
    let format: DocumentFormat
    if passage.open.document != nil {
      let library = try context.libraries.library(options, .readOnlyOrEmpty)
      format = try await library.format(of: passage.open)
    } else {
      format = DocumentFormat(markdown: passage.open.parsed)
    }
    let record = FormatRecord(format, of: passage.range, in: passage.open)
    try context.answer(options, "diple.format/1", record) {
      let output = context.terminal.output
      output.line("“\(record.quote.shortened.sanitizedForTerminal)”")
      let shown = record.attributes.filter { $0.mixed || $0.value != nil && $0.name != "link" }
      for attribute in shown {
        let value = attribute.mixed ? "mixed" : attribute.value ?? ""
        let name = attribute.name.padded(to: 15)
        output.line("  \(name)\(Self.unit(of: attribute.name, value).sanitizedForTerminal)")
      }
      output.line("  \("margins".padded(to: 15))\(record.margins)")
      if ruler {
        for line in FormatRuler(
          format.summary(of: passage.range),
          width: context.terminal.width(nil, try context.libraries.settings(options))
        ).lines {
          output.line(line)
        }
      }
      for uncertain in record.uncertain {
        let words = uncertain.quote.shortened
        context.show(
          "\(uncertain.format) of “\(words)” is not shown: \(uncertain.state == "doubtful" ? "its place is doubtful" : "the passage is gone")"
        )
      }
    }
  }

  /// Appends ` pt` to the value of a length.
  static func unit(of name: String, _ value: String) -> String {
    let hasPoints =
      name == "size" || name.hasPrefix("indent")
      || name.hasPrefix("spacing") && name != "spacing line"
    return hasPoints && value != "mixed" ? "\(value) pt" : value
  }
}

/// A ruler with the indents and tab stops of a paragraph. One column is 6 points wide.
struct FormatRuler {
  /// Two lines: the scale in inches, and the marks.
  let lines: [String]

  init(_ summary: FormatSummary, width: Int) {
    func twips(_ kind: ParagraphAttribute.Kind) -> Int {
      switch summary.paragraphs[kind] {
      case .same(.headIndent(let length)?), .same(.tailIndent(let length)?),
        .same(.firstLineIndent(let length)?):
        length.count
      default: 0
      }
    }
    let columns = max(20, min(width - 4, 78))
    func column(_ twips: Int) -> Int { min(columns, max(0, (twips + 60) / 120)) }
    var marks = [Character](repeating: " ", count: columns + 1)
    if case .same(.tabStops(let stops)?) = summary.paragraphs[.tabStops] {
      for stop in stops {
        let sign: Character =
          switch stop.kind {
          case .left: "L"
          case .center: "C"
          case .right: "R"
          case .decimal: "D"
          }
        if column(stop.position.count) < columns { marks[column(stop.position.count)] = sign }
      }
    }
    let head = column(twips(.headIndent))
    marks[column(twips(.headIndent) + twips(.firstLineIndent))] = "▽"
    marks[head] = marks[head] == "▽" ? "◇" : "△"
    marks[max(0, columns - column(-twips(.tailIndent)))] = "◁"
    // Twelve columns are one inch.
    let scale = (0...columns).map { column -> Character in
      if column % 12 == 0 { return Character(String(column / 12 % 10)) }
      return column % 6 == 0 ? "┼" : "─"
    }
    lines = ["  " + String(scale), "  " + String(marks).trimmedAtEnd]
  }
}

extension String {
  fileprivate var trimmedAtEnd: String {
    var text = self[...]
    while text.last == " " { text.removeLast() }
    return String(text)
  }
}
