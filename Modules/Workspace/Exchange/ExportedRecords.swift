import Interchange
import Model
import Storage

/// The records of a list of highlights, read when they are asked for.
final class ExportedRecords: Sequence, IteratorProtocol {
  private var rest: [(document: Document, highlights: [Highlight])]
  private let reader: HighlightReader?
  private let labels: [HighlightColor: String]
  private let placed: (Highlight) -> Highlight
  private let link: (Highlight) -> String?
  private let source: (Document) throws -> DocumentSource
  private var group: (document: Document, source: CitedSource, highlights: ArraySlice<Highlight>)?
  /// Why there are no more, when it is not that all were given.
  private(set) var failure: (any Error)?

  init(
    _ first: [(Document, [Highlight])], then reader: HighlightReader?,
    labels: [HighlightColor: String], link: @escaping (Highlight) -> String?,
    placed: @escaping (Highlight) -> Highlight,
    source: @escaping (Document) throws -> DocumentSource
  ) {
    rest = first.reversed()
    (self.reader, self.labels, self.link) = (reader, labels, link)
    (self.placed, self.source) = (placed, source)
  }

  func next() -> AnnotationRecord? {
    while true {
      if let (document, source, _) = group, let highlight = group?.highlights.popFirst() {
        var record = AnnotationRecord(placed(highlight), in: document, of: source)
        (record.colorLabel, record.link) = (labels[highlight.color], link(highlight))
        return record
      }
      do {
        guard let next = try rest.popLast() ?? reader?.next() else { return nil }
        let source = CitedSource(try source(next.document))
        group = (next.document, source, next.highlights[...])
      } catch {
        failure = error
        return nil
      }
    }
  }
}

/// The source of a document with what is the same for all of its highlights.
struct CitedSource {
  private let source: DocumentSource
  /// The work.
  let whole: Source
  /// Its authors, as a citation names them.
  let people: String
  private let text: String

  init(_ source: DocumentSource) {
    self.source = source
    whole = source.whole
    let citation = Citation(whole)
    (people, text) = (citation.people, citation.text)
  }

  /// Completes a record with the work that its document is the text of.
  func complete(_ record: inout AnnotationRecord) {
    // What the person or the file says holds before the program that the highlight came from.
    let isSaid = [.set, .file].contains(source.origin(of: .author))
    if isSaid || record.author.isEmpty { record.author = people }
    if source.isKnown { record.work = whole.item }
    if source.origin(of: .title) == .set { record.title = whole.text(.title) }
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
