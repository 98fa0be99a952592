import Interchange
import Model
import Storage

/// The records of a list of highlights. Those after the first are read on another thread, some way ahead
/// of the thread that asks for them.
final class ExportedRecords: Sequence, IteratorProtocol {
  /// The highlights of a document that are in the list.
  struct Group: Sendable {
    var document: Document
    var highlights: [Highlight]
    /// What a person said of the work.
    var said: Source
    /// The origin of the first highlight that was imported into the document.
    var origin: StoredOrigin?
  }

  private let reader: ReadAhead<Group>
  private let labels: [HighlightColor: String]
  private let placed: (Highlight) -> Highlight
  private let link: (Highlight) -> String?
  private let source: (Group) -> CitedSource
  private var document: (document: Document, source: CitedSource)?
  private var highlights: ArraySlice<Highlight> = []
  /// The error that ended the list; nil if it has all records.
  private(set) var failure: (any Error)?

  /// - Parameter next: reads the next group; nil after the last. It runs on one thread at a time.
  init(
    labels: [HighlightColor: String], link: @escaping (Highlight) -> String?,
    placed: @escaping (Highlight) -> Highlight, source: @escaping (Group) -> CitedSource,
    next: @escaping () throws -> Group?
  ) {
    (self.labels, self.link) = (labels, link)
    (self.placed, self.source) = (placed, source)
    reader = ReadAhead(next) { $0.highlights.count }
  }

  func next() -> AnnotationRecord? {
    while true {
      if let (document, source) = document, let highlight = highlights.popFirst() {
        var record = AnnotationRecord(placed(highlight), in: document, of: source)
        (record.colorLabel, record.link) = (labels[highlight.color], link(highlight))
        return record
      }
      do {
        guard let group = try reader.next() else { return nil }
        document = (group.document, source(group))
        highlights = group.highlights[...]
      } catch {
        failure = error
        return nil
      }
    }
  }

  /// Stops reading. Afterwards no other thread uses the transaction.
  func finish() { reader.finish() }
}

/// The source of a document with what is the same for all of its highlights.
struct CitedSource {
  private let source: DocumentSource
  /// The work.
  let whole: Source
  /// Its authors, as a citation names them.
  let people: String
  private let text: String
  /// Whether only a title that a person set is known.
  private let isOnlyTitle: Bool

  init(_ source: DocumentSource) {
    self.source = source
    whole = source.whole
    let citation = Citation(whole)
    (people, text) = (citation.people, citation.text)
    isOnlyTitle = false
  }

  /// The title in what a person said of the work, for forms that do not use sources.
  init(titleIn said: Source) {
    source = DocumentSource([(.set, said)])
    whole = said
    (people, text) = ("", "")
    isOnlyTitle = true
  }

  /// Completes a record with the work that its document is the text of.
  func complete(_ record: inout AnnotationRecord) {
    if source.origin(of: .title) == .set { record.title = whole.text(.title) }
    if isOnlyTitle { return }
    // What the person or the file says holds before the program that the highlight came from.
    let isSaid = [.set, .file].contains(source.origin(of: .author))
    if isSaid || record.author.isEmpty { record.author = people }
    if source.isKnown { record.work = whole.item }
    record.citation =
      record.location.isEmpty ? text : Citation(whole, location: record.location).text
  }
}

extension AnnotationRecord {
  /// A highlight as other programs get it.
  ///
  /// - Parameter source: what is known of the work that the document is the text of.
  init(_ highlight: Highlight, in document: Document, of source: CitedSource) {
    self.init(
      id: "urn:diple:\(highlight.id)", quote: highlight.selector.exact,
      prefix: highlight.selector.prefix, suffix: highlight.selector.suffix,
      position: highlight.anchor.range.map { .utf16($0) }, source: document.path.string,
      title: document.title, color: highlight.color, note: highlight.note, tags: highlight.tags,
      created: highlight.created, updated: highlight.updated)
    documentID = document.id.description
    state = highlight.anchor.state
    line = highlight.anchor.line?.line
    // Other programs get back the dates that they gave.
    if let origin = highlight.origin?.origin {
      created = origin.created ?? created
      author = origin.author ?? ""
      location = origin.location ?? ""
      sourceColor = origin.color ?? ""
      var said = RecordOrigin(format: origin.format)
      (said.id, said.source, said.title) = (origin.id, origin.source, origin.title)
      (said.author, said.location, said.color) = (origin.author, origin.location, origin.color)
      self.origin = said
    }
    source.complete(&self)
  }
}
