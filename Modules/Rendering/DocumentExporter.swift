public import Interchange
public import Model

/// A form in which whole documents are written, with their highlights in them.
public protocol DocumentExporter: Exporter {
  /// Writes documents. They are opened while they are gone through, which can be done once.
  ///
  /// - Parameter contents: what documents there are, in the same order.
  /// - Throws: `StrategyFailure` when the exporter could not do its work.
  func export(
    _ documents: some Sequence<ExportedDocument>, contents: [ExportedHead],
    to output: inout some TextOutputStream
  ) throws(StrategyFailure)
}

/// What a document is called.
public struct ExportedHead: Hashable, Sendable {
  /// Its path or address.
  public var source: String
  /// Its title.
  public var title: String
  /// How many of its highlights are written.
  public var count: Int

  /// Makes a head of its parts.
  public init(source: String, title: String, count: Int) {
    (self.source, self.title, self.count) = (source, title, count)
  }
}

/// A document with its highlights.
public struct ExportedDocument: Sendable {
  /// What it is called.
  public var head: ExportedHead
  /// Who wrote it, and when, as it says itself; empty where it does not.
  public var author = ""
  /// The date that it has.
  public var date = ""
  /// Its text, with the highlights that have a place; their ids are those of the records. Nil where the
  /// text could not be read.
  public var page: Page?
  /// Why there is no text.
  public var problem = ""
  /// All of the highlights, in the order of the text; those without a place come last.
  public var records: [AnnotationRecord]
  /// The address of a picture, which has the picture in it, for its destination in the text; nil for
  /// one that may not be shown.
  public var pictureAddress: @Sendable (_ destination: String) -> String? = { _ in nil }

  /// Makes a document of its parts.
  public init(head: ExportedHead, page: Page? = nil, records: [AnnotationRecord]) {
    (self.head, self.page, self.records) = (head, page, records)
  }
}

extension DocumentExporter {
  /// Writes the documents of some records, without their texts.
  public func export(
    _ records: some Sequence<AnnotationRecord>, to output: inout some TextOutputStream
  ) throws(StrategyFailure) {
    var documents: [ExportedDocument] = []
    for record in records {
      if documents.last?.head.source == record.source {
        documents[documents.count - 1].records.append(record)
        documents[documents.count - 1].head.count += 1
      } else {
        let head = ExportedHead(source: record.source, title: record.title, count: 1)
        documents.append(ExportedDocument(head: head, records: [record]))
      }
    }
    try export(documents, contents: documents.map(\.head), to: &output)
  }
}
