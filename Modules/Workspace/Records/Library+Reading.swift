package import Editing
import Files
package import MarkdownParse
package import Model
package import Rendering
import Storage
package import SystemSupport

/// A document that was read and parsed, with its highlights and formatting, ready to be rendered.
///
/// ```swift
/// let open = try await library.open(document)
/// open.parsed.text  // the rendered text
/// open.overlays     // the highlights to draw
/// ```
package struct OpenDocument: Sendable {
  /// The library's record; nil if the text is not in a library.
  package var document: Document?
  package var parsed: ParsedDocument
  /// The live highlights, orphans last.
  package var highlights: [Highlight]
  /// The formatting that the library stores for the document; nil if it stores none.
  package var format: ShownFormat?
  /// The report of checking the file; nil if the text is not in a library.
  package var report: RefreshReport?
  /// The digest of the rendered text; nil if the text is not in a library.
  package internal(set) var textDigest: ContentDigest?

  /// Creates an open document from a text that is not in a library.
  package init(parsed: ParsedDocument) {
    self.init(document: nil, parsed: parsed, highlights: [], report: nil)
  }

  init(
    document: Document?, parsed: ParsedDocument, highlights: [Highlight], report: RefreshReport?,
    textDigest: ContentDigest? = nil
  ) {
    self.document = document
    self.parsed = parsed
    self.highlights = highlights
    self.report = report
    self.textDigest = textDigest
  }

  /// The title in the library, else the title that the text itself has.
  package var title: String {
    document?.title ?? DocumentTitle.of(parsed, path: DocumentPath(""))
  }

  /// The overlays to draw: one for each highlight that has a range.
  package var overlays: [Overlay] {
    highlights.compactMap { Overlay($0, id: $0.shortID) }
  }
}

extension Library {
  /// Opens a document: reads its current file and anchors its highlights.
  ///
  /// - Throws: `notFound` if the file does not exist or cannot be read; `damaged` or `conflict` if
  ///   the library cannot be read or written.
  package func open(_ document: Document) throws(UserError) -> OpenDocument {
    let reading = try current(document)
    var open = OpenDocument(
      document: reading.report.document, parsed: reading.parsed,
      highlights: within(reading.parsed, try shownHighlights(of: document.id)),
      report: reading.report, textDigest: reading.digests.text)
    open.format = try storedFormat(of: document).shown(in: reading.parsed)
    return open
  }

  /// Returns the highlights, with those whose stored range lies beyond the text turned into
  /// orphans. Each such highlight is reported once, as a damaged row.
  package func within(_ parsed: ParsedDocument, _ highlights: [Highlight]) -> [Highlight] {
    let count = parsed.text.utf16.count
    return highlights.map { highlight in
      guard let range = highlight.anchor.range, !range.lies(in: count) else { return highlight }
      store.report(UserError.beyondText(range, of: highlight).message)
      var highlight = highlight
      highlight.anchor = .orphan
      return highlight
    }
  }

  /// Returns the highlights of a document without the context of their quotes, which pages do not
  /// need.
  func shownHighlights(of document: Document.ID) throws(UserError) -> [Highlight] {
    var filter = HighlightFilter(documents: [document])
    filter.detail = .withoutContext
    return try highlights(filter)
  }

  /// Opens a Markdown file that need not be in a library.
  ///
  /// - Parameters:
  ///   - dialect: the dialect to parse the file in; nil to detect it.
  ///   - dialects: detects the dialect.
  /// - Throws: `notFound` or `usage` if the file cannot be read as a document.
  package static func openFile(
    _ path: String, in dialect: MarkdownDialect? = nil, _ dialects: Dialects
  ) throws(UserError) -> OpenDocument {
    let file = try SourceFile(reading: FileSystem.absolute(path))
    guard let dialect else { return OpenDocument(parsed: dialects.parse(file)) }
    return OpenDocument(
      parsed: ParsedDocument(parsing: MarkdownSource(file.bytes), in: dialect))
  }

  /// Returns whether there is something at a path that could be opened as a document: anything
  /// except a folder.
  package static func isFile(_ path: String) -> Bool {
    guard let status = try? FileSystem.status(of: FileSystem.absolute(path)) else { return false }
    return !status.isFolder
  }

  /// Returns the range that a selection selects in an open document.
  ///
  /// - Throws: the `UserError` of the `SelectionError`; see `UserError.init(selection:)`.
  package func select(_ spec: SelectionSpec, in open: OpenDocument) throws(UserError) -> TextRange {
    try resolve(spec, in: open.parsed)
  }

  /// Returns the range that a selection selects in a file that is not in a library. The file has no
  /// highlights to refer to.
  ///
  /// - Parameter plugins: contains the strategy that matches patterns.
  /// - Throws: the `UserError` of the `SelectionError`; see `UserError.init(selection:)`.
  package static func select(
    _ spec: SelectionSpec, inFile parsed: ParsedDocument, _ plugins: PluginSet
  ) throws(UserError) -> TextRange {
    do {
      return try spec.resolve(
        in: parsed,
        matches: { (pattern) throws(SelectionError) in
          try plugins.matches(ofPattern: pattern, in: parsed)
        })
    } catch { throw UserError(selection: error) }
  }
}

extension UserError {
  /// Creates the error of a failed selection: `nothing` if it is empty or its text was not found,
  /// `ambiguous` with the candidates if it fits several passages, `usage` otherwise.
  init(selection error: SelectionError) {
    let message = error.description
    self =
      switch error {
      case .empty: UserError(.nothing, message)
      case .notFound: UserError(.nothing, message)
      case .misquoted(_, let near, let candidate):
        UserError(
          .nothing, message, hint: "the nearest passage, \(near.difference), is this",
          candidates: [
            "\(near.range)  \(candidate.position.line):\(candidate.position.column)  "
              + candidate.excerpt
          ])
      case .ambiguous(_, let candidates, let count, _):
        UserError(
          .ambiguous, message,
          hint: candidates.last.map { last in
            let example: Hint = "choose one, for example \(words: .spec(last.spec))"
            return count > candidates.count
              ? "\(example); the first \(candidates.count) are listed" : example
          },
          candidates: candidates.map(\.description), sections: candidates.map(\.section))
      default: UserError(.usage, message)
      }
  }
}
