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
  private var group: (document: Document, highlights: ArraySlice<Highlight>)?
  /// Why there are no more, when it is not that all were given.
  private(set) var failure: (any Error)?

  init(
    _ first: [(Document, [Highlight])], then reader: HighlightReader?,
    labels: [HighlightColor: String], link: @escaping (Highlight) -> String?,
    placed: @escaping (Highlight) -> Highlight
  ) {
    rest = first.reversed()
    (self.reader, self.labels, self.link, self.placed) = (reader, labels, link, placed)
  }

  func next() -> AnnotationRecord? {
    while true {
      if let document = group?.document, let highlight = group?.highlights.popFirst() {
        var record = AnnotationRecord(placed(highlight), in: document)
        (record.colorLabel, record.link) = (labels[highlight.color], link(highlight))
        return record
      }
      do {
        guard let next = try rest.popLast() ?? reader?.next() else { return nil }
        group = (next.document, next.highlights[...])
      } catch {
        failure = error
        return nil
      }
    }
  }
}

extension AnnotationRecord {
  /// A highlight as other programs get it.
  init(_ highlight: Highlight, in document: Document) {
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
  }
}
