import LibraryFormatting
import MarkdownParse
package import Model
package import RichText
import Workspace

/// Lists all formats that the library stores for a document.
package struct ListFormats: Action {
  package static let name = "format.list"
  package static let summary =
    "Lists all formats that the library stores for a document: the default, the margins, the "
    + "styles and the formatted passages."
  package static let effect = ActionEffect.reads
  package static let parameters = [ActionParameter.document]
  package static let examples = [ListFormats(document: .example)]

  package var document: Document.ID

  package init(document: Document.ID) { self.document = document }

  package struct Outcome: ActionOutcome {
    /// A style that paragraphs of the document have.
    package struct Style: Encodable, Sendable {
      /// The style's id.
      package var name: String
      package var title: String
      /// The number of formatted passages that set it.
      package var passages: Int
    }

    /// A formatted passage, in the order of the text. Those without a place are last.
    package struct Passage: Encodable, Sendable {
      package var id: String
      /// The words at the time they were formatted.
      package var quote: String
      /// The range in the present text; nil if the passage is missing.
      @Nullable package var range: TextRange?
      /// The line in the file, from 1; nil if the passage is missing.
      @Nullable package var line: Int?
      package var state: String
      /// Whether pages show the format. They don't if the place is uncertain.
      package var isShown: Bool
      package var attributes: [FormatRecord.AttributeRecord]

      private enum CodingKeys: String, CodingKey {
        case id, quote, range, line, state, attributes
        case isShown = "shown"
      }
    }

    package var document: Document
    /// The default format that pages show; empty if neither the user nor an imported file set one.
    package var defaults: FormatDefaults
    /// The default format for word processors if pages show none; empty otherwise.
    package var builtIn: FormatDefaults
    /// The margins; nil if none are set.
    package var margins: EditorMargins?
    package var styles: [Style]
    package var passages: [Passage]

    init(_ document: Document, _ format: DocumentFormat, in open: OpenDocument) {
      self.document = document
      defaults = format.shownDefaults
      builtIn = defaults == FormatDefaults() ? format.completeDefaults : FormatDefaults()
      margins = format.margins
      var counts: [StyleID: Int] = [:]
      for passage in format.passages {
        for case .set(.style(let id)) in passage.change.paragraphs { counts[id, default: 0] += 1 }
      }
      styles = counts.sorted { $0.key.name < $1.key.name }.map { id, count in
        Style(name: id.name, title: format.text.styles[id]?.title ?? id.name, passages: count)
      }
      let end = open.parsed.text.utf16.count
      passages = format.passages.map { passage in
        let range = passage.anchor.range.flatMap { $0.utf16.upperBound <= end ? $0 : nil }
        return Passage(
          id: "\(passage.id.dot)", quote: passage.quote, range: range,
          line: range == nil ? nil : passage.anchor.line?.line,
          state: passage.anchor.state.rawValue, isShown: passage.isShown && range != nil,
          attributes: FormatRecord.lines(passage.change))
      }.enumerated().sorted { a, b in
        // Passages with the same start stay in the order in which they were formatted.
        (a.element.range?.utf16.lowerBound ?? .max, a.offset)
          < (b.element.range?.utf16.lowerBound ?? .max, b.offset)
      }.map(\.element)
    }

    /// The record `diple.formats/1`.
    private struct Record: Encodable {
      var document: HighlightRecord.DocumentReference
      var `default`: [FormatRecord.AttributeRecord]
      @Nullable var margins: MarginsRecord?
      var styles: [Style]
      var passages: [Passage]
    }

    package var json: String {
      JSON.line(
        "diple.formats/1",
        Record(
          document: .init(document),
          default: FormatRecord.lines(defaults.characters, defaults.paragraphs),
          margins: margins.map(MarginsRecord.init), styles: styles, passages: passages))
    }
  }

  package func run(in session: ActionSession) async throws -> Outcome {
    let document = try await session.document(document)
    let open = try await session.library.open(document)
    return Outcome(document, try await session.library.format(of: open), in: open)
  }
}
