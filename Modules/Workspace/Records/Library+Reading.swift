package import Editing
import Files
package import MarkdownParse
package import Model
package import Rendering
import Storage
package import SystemSupport

/// A document made ready to be drawn: its text and the highlights at their places in it.
package struct OpenDocument: Sendable {
  /// The library's record; nil for a text that is not in a library.
  package var document: Document?
  /// The text.
  package var parsed: ParsedDocument
  /// The live highlights, orphans last.
  package var highlights: [Highlight]
  /// What the library holds of its format; nil where nobody formatted anything.
  package var format: ShownFormat?
  /// What the check of the file showed.
  package var report: RefreshReport?
  /// The hash of the text; nil for one that is in no library.
  package internal(set) var textDigest: ContentDigest?

  /// Makes a document of a text that is in no library.
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

  /// What the text is called: by its record, or by its own first heading.
  package var title: String {
    document?.title ?? DocumentTitle.of(parsed, path: DocumentPath(""))
  }

  /// What to paint: the highlights that have a place, each with a short id.
  package var overlays: [Overlay] {
    highlights.compactMap { highlight in
      highlight.anchor.range.map {
        Overlay(
          range: $0, color: highlight.color, state: highlight.anchor.state,
          id: highlight.shortID, hasNote: !highlight.note.isEmpty)
      }
    }
  }
}

extension Library {
  /// A document as its file is now, with its highlights.
  package func open(_ document: Document) throws(UserError) -> OpenDocument {
    let reading = try current(document)
    var open = OpenDocument(
      document: reading.report.document, parsed: reading.parsed,
      highlights: within(reading.parsed, try shownHighlights(of: document.id)),
      report: reading.report, textDigest: reading.digests.text)
    open.format = try storedFormat(of: document).shown(in: reading.parsed)
    return open
  }

  /// The highlights of a document, those without their place whose place on record lies beyond its
  /// text; each of these is told of once, as any damaged row.
  func within(_ parsed: ParsedDocument, _ highlights: [Highlight]) -> [Highlight] {
    let count = parsed.text.utf16.count
    return highlights.map { highlight in
      guard let range = highlight.anchor.range, !range.lies(in: count) else { return highlight }
      store.report(
        "the place of highlight \(highlight.id), \(range), is beyond its text of \(count) units")
      var highlight = highlight
      highlight.anchor = .orphan
      return highlight
    }
  }

  /// What a page shows of a document's highlights.
  func shownHighlights(of document: Document.ID) throws(UserError) -> [Highlight] {
    var filter = HighlightFilter(documents: [document])
    filter.detail = .withoutContext
    return try highlights(filter)
  }

  /// A Markdown file that need not be in a library.
  ///
  /// - Parameters:
  ///   - dialect: the dialect that a person names; nil for the one that it is in.
  ///   - dialects: decide which one that is.
  /// - Throws: `notFound` or `usage` when it cannot be read as a document.
  package static func openFile(
    _ path: String, in dialect: MarkdownDialect? = nil, _ dialects: Dialects
  ) throws(UserError) -> OpenDocument {
    let file = try SourceFile(reading: FileSystem.absolute(path))
    guard let dialect else { return OpenDocument(parsed: dialects.parse(file)) }
    return OpenDocument(
      parsed: ParsedDocument(parsing: MarkdownSource(file.bytes), in: dialect))
  }

  /// Whether there is something at a path that could be opened as a document.
  package static func isFile(_ path: String) -> Bool {
    guard let status = try? FileSystem.status(of: FileSystem.absolute(path)) else { return false }
    return !status.isFolder
  }

  /// The passage that a selection means in an open document.
  package func select(_ spec: SelectionSpec, in open: OpenDocument) throws(UserError) -> TextRange {
    try resolve(spec, in: open.parsed)
  }

  /// The passage that a selection means in a file of no library, which has no highlights.
  ///
  /// - Parameter plugins: the strategy for patterns.
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
  /// Gives a selection's error its code and candidates.
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
              ? "these are the first \(candidates.count) of \(count); \(example)" : example
          },
          candidates: candidates.map(\.description), sections: candidates.map(\.section))
      default: UserError(.usage, message)
      }
  }
}
