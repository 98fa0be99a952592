import Editing
import Interchange
package import MarkdownParse
package import Model
import Rendering
import SystemSupport
package import Workspace

/// Returns a passage in a format for copying.
package struct CopyPassage: Action {
  /// The format of the copied text.
  package enum Format: String, CaseIterable, Codable, Sendable {
    case plain, md, html, json

    /// Returns a passage in this format.
    package func text(of range: TextRange, in parsed: ParsedDocument) -> String {
      switch self {
      case .plain: parsed.text.substring(range)
      case .md: parsed.markdown(of: range)
      case .html: parsed.html(of: range)
      case .json: SelectionRecord.line(range, in: parsed)
      }
    }

    /// Returns a passage as a quotation with its source.
    package func citation(of range: TextRange, in parsed: ParsedDocument, source: String) -> String
    {
      switch self {
      case .plain, .json: parsed.citation(of: range, source: source)
      case .md: parsed.citedMarkdown(of: range, source: source)
      case .html: parsed.citedHTML(of: range, source: source)
      }
    }
  }

  /// The form in which a quotation names its source.
  package enum CitationStyle: String, CaseIterable, Codable, Sendable {
    /// Author, title, year and page.
    case text
    /// The citation key in the syntax of Pandoc.
    case pandoc
  }

  package static let name = "passage.copy"
  package static let summary = "Returns a passage as text, Markdown, HTML or a quotation."
  package static let effect = ActionEffect.reads
  package static let parameters = [
    .document, ActionParameter("passage", .passage, "The passage.", isRequired: true),
    ActionParameter(
      "as", .choice(Format.allCases.map(\.rawValue)), "Format; plain when omitted."),
    ActionParameter(
      "cite", .choice(CitationStyle.allCases.map(\.rawValue)),
      "Makes a quotation. text names the source in words, pandoc by its citation key."),
    ActionParameter(
      "html", .flag, "Also returns the passage as HTML, for programs that paste formatted text."),
  ]
  package static let examples = [
    CopyPassage(
      document: .example, passage: .spec(SelectionSpec(units: TextRange(utf16: 3..<9))), as: .md,
      cite: .pandoc, html: true)
  ]

  package var document: Document.ID
  package var passage: RequestedPassage
  package var `as`: Format?
  package var cite: CitationStyle?
  package var html: Bool?

  package init(
    document: Document.ID, passage: RequestedPassage, as format: Format? = nil,
    cite: CitationStyle? = nil, html: Bool? = nil
  ) {
    (self.document, self.passage, self.as, self.cite) = (document, passage, format, cite)
    self.html = html
  }

  /// A copied passage, a record of the schema `diple.copy/1`.
  package struct Outcome: ActionOutcome, Encodable {
    package var format: Format
    package var text: String
    /// The passage as HTML; nil if it wasn't requested.
    package var html: String?
    package var range: TextRange
    /// The clipboard to which a front-end copied the text.
    @Nullable package var to: String?

    package init(format: Format, text: String, html: String? = nil, range: TextRange) {
      (self.format, self.text, self.html, self.range) = (format, text, html, range)
    }

    package var json: String { JSON.line("diple.copy/1", self) }
  }

  /// The maximum length of a passage in UTF-16 units.
  package static let longest = 1 << 22

  package func run(in session: ActionSession) async throws -> Outcome {
    let document = try await session.document(document)
    let open = try await session.library.open(document)
    let range = try await passage.range(in: open, of: session.library)
    return try await Self.outcome(
      of: range, in: open.parsed, as: self.as ?? .plain, cite: cite, hasHTML: html == true,
      location: Self.location(of: range, in: open)
    ) { try await session.library.source(of: document) }
  }

  /// Returns the location of a passage as another program describes it, such as `page 12`: that of
  /// the smallest imported highlight that contains the passage. Empty if there is none.
  package static func location(of range: TextRange, in open: OpenDocument) -> String {
    let around = open.highlights.filter { highlight in
      guard let place = highlight.anchor.range, highlight.origin?.origin?.location != nil else {
        return false
      }
      return place.lowerBound <= range.lowerBound && range.upperBound <= place.upperBound
    }
    let smallest = around.min { ($0.anchor.range?.count ?? 0) < ($1.anchor.range?.count ?? 0) }
    return smallest?.origin?.origin?.location ?? ""
  }

  /// Converts a passage of a document, or of a file outside the library.
  ///
  /// - Parameters:
  ///   - hasHTML: Whether to convert the passage to HTML, too.
  ///   - location: The location of the passage as another program describes it, such as `page 12`.
  ///   - source: Returns the source. Called only for a quotation.
  /// - Throws: `nothing` if the range is empty; `usage` if it exceeds ``longest``, or for a
  ///   quotation as JSON; the error of `source`.
  package static func outcome(
    of range: TextRange, in parsed: ParsedDocument, as format: Format, cite: CitationStyle?,
    hasHTML: Bool = false, location: String = "", source: () async throws -> DocumentSource
  ) async throws -> Outcome {
    guard !range.isEmpty else { throw UserError(.nothing, "nothing is selected") }
    guard cite == nil || format != .json else {
      throw UserError(.usage, "a quotation is plain, md or html, not json").about("as")
    }
    guard range.count <= longest else {
      throw UserError(
        .usage,
        "the passage is too long to convert: \(range.count) characters, at most \(longest)")
    }
    guard let cite else {
      return Outcome(
        format: format, text: format.text(of: range, in: parsed),
        html: hasHTML ? parsed.html(of: range) : nil, range: range)
    }
    let citation = Citation(try await source().whole, location: location)
    let words = cite == .pandoc ? citation.pandoc : citation.text
    return Outcome(
      format: format, text: format.citation(of: range, in: parsed, source: words),
      html: hasHTML ? parsed.citedHTML(of: range, source: words) : nil, range: range)
  }
}
