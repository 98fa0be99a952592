public import Editing
public import MarkdownParse
public import Model
public import Rendering
import Storage

/// A document made ready to be drawn: its text and the highlights at their places in it.
public struct OpenDocument: Sendable {
  /// The library's record; nil for a text that is not in a library.
  public var document: Document?
  /// The text.
  public var parsed: ParsedDocument
  /// The live highlights, orphans last.
  public var highlights: [Highlight]
  /// What the look at the file showed.
  public var report: RefreshReport?

  /// Makes a document of a text that is in no library.
  public init(parsed: ParsedDocument) {
    self.init(document: nil, parsed: parsed, highlights: [], report: nil)
  }

  init(
    document: Document?, parsed: ParsedDocument, highlights: [Highlight], report: RefreshReport?
  ) {
    self.document = document
    self.parsed = parsed
    self.highlights = highlights
    self.report = report
  }

  /// What the text is called: by its record, or by its own first heading.
  public var title: String {
    document?.title ?? DocumentTitle.of(parsed, path: DocumentPath(""))
  }

  /// What to paint: the highlights that have a place, each with a short id.
  public var overlays: [Overlay] {
    highlights.compactMap { highlight in
      highlight.anchor.range.map {
        Overlay(
          range: $0, color: highlight.color, state: highlight.anchor.state,
          id: String(highlight.id.dot.sequence), hasNote: !highlight.note.isEmpty)
      }
    }
  }
}

extension Library {
  /// A document as its file is now, with its highlights.
  public func open(_ document: Document) throws(LibraryError) -> OpenDocument {
    let reading = try current(document)
    var filter = HighlightFilter(documents: [document.id])
    filter.omitsContext = true
    return OpenDocument(
      document: reading.report.document, parsed: reading.parsed,
      highlights: try highlights(filter),
      report: reading.report)
  }

  /// A Markdown file that need not be in a library.
  ///
  /// - Throws: `notFound` or `usage` when it cannot be read as a document.
  public static func openFile(_ path: String) throws(LibraryError) -> OpenDocument {
    let file = try SourceFile(reading: FileSystem.absolute(path))
    return OpenDocument(parsed: ParsedDocument(parsing: file.source))
  }

  /// Whether there is something at a path that could be opened as a document.
  public static func isFile(_ path: String) -> Bool {
    guard let status = try? FileSystem.status(of: FileSystem.absolute(path)) else { return false }
    return !status.isFolder
  }

  /// The live highlights that cover a place of a document, the latest first.
  public func highlights(in document: Document, at position: PositionSpec) throws(LibraryError)
    -> (found: [Highlight], report: RefreshReport)
  {
    let reading = try current(document)
    let offset: TextOffset
    do { offset = try position.resolve(in: reading.parsed) } catch {
      throw LibraryError(selection: error)
    }
    let all = try highlights(HighlightFilter(documents: [document.id]))
    let found = all.filter { $0.anchor.range?.contains(offset) == true }
    return (found.sorted { $0.id > $1.id }, reading.report)
  }

  /// The passage that a selection means in an open document.
  public func select(_ spec: SelectionSpec, in open: OpenDocument) throws(LibraryError) -> TextRange
  {
    try resolve(spec, in: open.parsed)
  }

  /// The passage that a selection means in a file of no library, which has no highlights.
  public static func select(_ spec: SelectionSpec, inFile parsed: ParsedDocument)
    throws(LibraryError) -> TextRange
  {
    do { return try spec.resolve(in: parsed) { _ in nil } } catch {
      throw LibraryError(selection: error)
    }
  }
}

extension LibraryError {
  /// Gives a selection's error its code and candidates.
  init(selection error: SelectionError) {
    let message = error.description
    self =
      switch error {
      case .empty: LibraryError(.nothing, message)
      case .notFound: LibraryError(.nothing, message)
      case .ambiguous(_, let candidates):
        LibraryError(
          .ambiguous, message, hint: "say which: add #1, #2, … to the quote",
          candidates: candidates.map(\.description))
      default: LibraryError(.usage, message)
      }
  }
}
