public import Interchange
public import Model

/// An exporter that writes whole documents, including their highlights.
public protocol DocumentExporter: Exporter {
  /// Writes documents. The sequence opens each document when it is reached, and can be iterated
  /// only once.
  ///
  /// - Parameter contents: the heads of the documents, in the same order.
  /// - Throws: ``StrategyError`` with the reason if the documents could not be written.
  func export(
    _ documents: some Sequence<ExportedDocument>, contents: [ExportedHead],
    to output: inout some TextOutputStream
  ) throws(StrategyError)
}

/// The name of a document and the number of its highlights.
public struct ExportedHead: Hashable, Sendable {
  /// The path or address of the document.
  public var source: String
  /// The title of the document.
  public var title: String
  /// The number of highlights that are exported.
  public var count: Int

  /// The path for readers on other devices. For a file outside the library's folder, it is only the
  /// file name, because the user's folders are private.
  public var place: String {
    source.hasPrefix("/") ? source.split(separator: "/").last.map(String.init) ?? source : source
  }

  /// Creates a head. `source` may be an absolute path; see `place`.
  public init(source: String, title: String, count: Int) {
    (self.source, self.title, self.count) = (source, title, count)
  }
}

/// A document with its highlights.
public struct ExportedDocument: Sendable {
  /// The name of the document.
  public var head: ExportedHead
  /// The author of the work; empty if unknown.
  public var author = ""
  /// The date of the work's publication; empty if unknown.
  public var date = ""
  /// The address of the work; empty if unknown.
  public var address = ""
  /// The note on the document, as Markdown; empty if it has none.
  public var note = ""
  /// The text with the highlights that have a position, identified by the ids of their records. Nil
  /// if the text could not be read.
  public var page: Page?
  /// The reason why the text is missing; empty if there is a text.
  public var problem = ""
  /// All highlights in the order of the text. Highlights without a position are last.
  public var records: [AnnotationRecord]
  /// Returns a data URL for an image's destination; nil if the image must not be shown.
  public var pictureAddress: @Sendable (_ destination: String) -> String? = { _ in nil }

  /// Creates a document. Its other properties are empty.
  public init(head: ExportedHead, page: Page? = nil, records: [AnnotationRecord]) {
    (self.head, self.page, self.records) = (head, page, records)
  }
}

extension DocumentExporter {
  /// Writes the documents of some records, without their texts. Consecutive records with the same
  /// source form a document.
  ///
  /// - Throws: ``StrategyError`` with the reason if the documents could not be written.
  public func export(
    _ records: some Sequence<AnnotationRecord>, to output: inout some TextOutputStream
  ) throws(StrategyError) {
    var documents: [ExportedDocument] = []
    for record in records {
      if documents.last?.head.source == record.source {
        documents[documents.count - 1].records.append(record)
        documents[documents.count - 1].head.count += 1
      } else {
        let head = ExportedHead(source: record.source, title: record.title, count: 1)
        documents.append(ExportedDocument(head: head, records: [record]))
        documents[documents.count - 1].note = record.documentNote
      }
    }
    try export(documents, contents: documents.map(\.head), to: &output)
  }
}
