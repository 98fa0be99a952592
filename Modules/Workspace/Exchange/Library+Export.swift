import Interchange
package import Model
import Storage
package import SystemSupport

extension Library {
  /// Writes the highlights that a filter lets through in another program's form, as they are read:
  /// no more than one document's are held, unless the exporter does.
  ///
  /// - Returns: the output.
  /// - Throws: `usage` for a format that there is not; what was written before another error stays.
  package func export<Output: TextOutputStream & Sendable>(
    _ filter: HighlightFilter, as format: String, to output: Output
  ) throws(UserError) -> Output {
    let exporter: any Exporter
    do { exporter = try plugins.exporters.strategy(format) } catch {
      throw UserError(.usage, error.description)
    }
    var output = output
    try storage {
      try store.read { transaction in
        let records = ExportedRecords(
          filter.trash == .only
            ? try transaction.trashed(filter).compactMap { highlight in
              try transaction.document(highlight.document).map { ($0, [highlight]) }
            } : [],
          then: filter.trash == .only ? nil : try transaction.highlightReader(filter),
          labels: try transaction.labels()
        ) {
          self.withUnsaved($0)
        } source: { document in
          try self.source(
            of: document, said: try transaction.source(of: document.id), in: transaction)
        }
        do throws(StrategyFailure) { try exporter.export(records, to: &output) } catch {
          throw UserError(.plugin, error.description)
        }
        if let failure = records.failure { throw failure }
      }
    }
    return output
  }
}

/// The records of a list of highlights, read when they are asked for.
private final class ExportedRecords: Sequence, IteratorProtocol {
  private var rest: [(document: Document, highlights: [Highlight])]
  private let reader: HighlightReader?
  private let labels: [HighlightColor: String]
  private let placed: (Highlight) -> Highlight
  private let source: (Document) throws -> DocumentSource
  private var group:
    (document: Document, source: DocumentSource, highlights: ArraySlice<Highlight>)?
  /// Why there are no more, when it is not that all were given.
  private(set) var failure: (any Error)?

  init(
    _ first: [(Document, [Highlight])], then reader: HighlightReader?,
    labels: [HighlightColor: String],
    placed: @escaping (Highlight) -> Highlight,
    source: @escaping (Document) throws -> DocumentSource
  ) {
    rest = first.reversed()
    (self.reader, self.labels, self.placed, self.source) = (reader, labels, placed, source)
  }

  func next() -> AnnotationRecord? {
    while true {
      if let (document, source, _) = group, let highlight = group?.highlights.popFirst() {
        var record = AnnotationRecord(placed(highlight), in: document, of: source)
        record.colorLabel = labels[highlight.color]
        return record
      }
      do {
        guard let next = try rest.popLast() ?? reader?.next() else { return nil }
        group = (next.document, try source(next.document), next.highlights[...])
      } catch {
        failure = error
        return nil
      }
    }
  }
}

extension AnnotationRecord {
  /// A highlight as other programs get it.
  ///
  /// - Parameter source: what is known of the work that the document is the text of.
  init(_ highlight: Highlight, in document: Document, of source: DocumentSource) {
    self.init(
      id: "urn:diple:\(highlight.id)", quote: highlight.selector.exact,
      prefix: highlight.selector.prefix, suffix: highlight.selector.suffix,
      position: highlight.anchor.range.map { .utf16($0) }, source: document.path.string,
      title: document.title, color: highlight.color, note: highlight.note, tags: highlight.tags,
      created: highlight.created, updated: highlight.updated)
    state = highlight.anchor.state
    line = highlight.anchor.line?.line
    // Other programs get back the dates that they gave.
    if let origin = highlight.origin?.origin {
      created = origin.created ?? created
      author = origin.author ?? ""
      location = origin.location ?? ""
      sourceColor = origin.color ?? ""
    }
    take(source)
  }

  /// Says the work that its document is the text of.
  mutating func take(_ source: DocumentSource) {
    let whole = source.whole
    let citation = Citation(whole, location: location)
    if source.origin(of: .author) == .set || author.isEmpty { author = citation.people }
    if source.isKnown { work = whole.item }
    if source.origin(of: .title) == .set { title = whole.text(.title) }
    self.citation = citation.text
  }
}
