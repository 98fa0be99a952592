import FoundationEssentials
import Interchange
import Model
import Rendering
import RichMarkdown
import Storage
import Synchronization
import SystemSupport
import Workspace

extension Library {
  /// The maximum total size of the pictures in an export, in bytes. Larger pages take
  /// too long to open.
  private static let mostPictureBytes = 48 << 20

  /// Exports whole documents, in the order of the filter. If the filter names no documents, all
  /// documents with a matching highlight are exported, in the order of their paths. One document is
  /// open at a time.
  ///
  /// - Throws: `plugin` if the exporter fails; otherwise the error that prevented a document from
  ///   being opened.
  func exportDocuments<Output: TextOutputStream & Sendable>(
    _ filter: HighlightFilter, by exporter: some DocumentExporter, to output: Output,
    _ options: ExportOptions
  ) throws(UserError) -> Output {
    var counts: [(document: Document, count: Int)] = try gatherHighlights(filter, into: []) {
      list, document, found in
      list.append((document, found.count))
      return true
    }
    let known = Set(counts.map(\.document.id))
    if let named = filter.documents, filter.trash != .only {
      for document in try documents()
      where named.contains(document.id) && !known.contains(document.id) {
        counts.append((document, 0))
      }
      let places = Dictionary(
        named.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
      counts.sort { places[$0.document.id, default: 0] < places[$1.document.id, default: 0] }
    }
    let heads = counts.map {
      ExportedHead(source: $0.document.path.string, title: $0.document.title, count: $0.count)
    }
    let budget = PictureBudget(Self.mostPictureBytes)
    let labels = try storage { try store.read { try $0.labels() } }
    let documents = ExportedDocuments(counts.map(\.document)) {
      (document, number) throws(UserError) in
      try self.exported(
        document, heads[number], filter, labels: labels, budget: budget, options)
    }
    var output = output
    do throws(StrategyError) {
      try exporter.export(documents, contents: heads, to: &output)
    } catch { throw UserError(.plugin, error.description) }
    if let failure = documents.failure { throw failure }
    return output
  }

  private func exported(
    _ document: Document, _ head: ExportedHead, _ filter: HighlightFilter,
    labels: [HighlightColor: String], budget: PictureBudget, _ options: ExportOptions
  ) throws(UserError) -> ExportedDocument {
    var documentFilter = filter
    (documentFilter.documents, documentFilter.detail) = ([document.id], .withoutContext)
    var exported = ExportedDocument(head: head, records: [])
    var opened: OpenDocument?
    if filter.trash == .only {
      exported.problem = "These highlights are in the trash; the text is not on this page."
    } else {
      do throws(UserError) { opened = try open(document) } catch {
        guard error.code == .notFound else { throw error }
        exported.problem = "The text is not on this page: \(error.message)."
      }
    }
    var found = try highlights(documentFilter)
    if let opened {
      found = within(opened.parsed, found)
      let overlays = found.compactMap { Overlay($0, id: "urn:diple:\($0.id)") }
      exported.page = Page(
        document: opened.parsed, overlays: overlays, format: opened.format,
        lexers: plugins.lexers.all)
      exported.pictureAddress = { destination in
        budget.address { options.picture(destination, document) }
      }
    }
    let source = CitedSource(try source(of: document), titled: document.title)
    exported.note =
      try storage { try store.read { try $0.note(of: document.id) } }?.markdown ?? ""
    exported.author = source.people
    exported.date = source.whole.text(.issued)
    exported.address = source.whole.text(.url)
    exported.records = found.map { highlight in
      var record = AnnotationRecord(highlight, in: document, of: source)
      (record.colorLabel, record.link) = (labels[highlight.color], options.link(highlight.id))
      return record
    }
    return exported
  }
}

/// A sequence of documents, each of which is opened when it is requested.
private final class ExportedDocuments: Sequence, IteratorProtocol {
  private var rest: ArraySlice<Document>
  private let open: (Document, Int) throws(UserError) -> ExportedDocument
  /// The error that ended the sequence early; nil if it is complete.
  private(set) var failure: UserError?

  init(
    _ documents: [Document], _ open: @escaping (Document, Int) throws(UserError) -> ExportedDocument
  ) {
    (rest, self.open) = (documents[...], open)
  }

  func next() -> ExportedDocument? {
    let number = rest.startIndex
    guard let document = rest.popFirst() else { return nil }
    do throws(UserError) { return try open(document, number) } catch {
      failure = error
      return nil
    }
  }
}

/// The number of bytes that remain for pictures in one export.
private final class PictureBudget: Sendable {
  private let rest: Mutex<Int>

  init(_ bytes: Int) { rest = Mutex(bytes) }

  /// Returns a `data:` URL that contains the picture; nil if `load` returns no valid picture or the
  /// budget does not suffice.
  func address(_ load: () -> [UInt8]?) -> String? {
    guard rest.withLock({ $0 > 0 }), let picture = load().flatMap(Picture.init) else { return nil }
    let fits = rest.withLock { rest in
      guard picture.bytes.count <= rest else { return false }
      rest -= picture.bytes.count
      return true
    }
    return fits ? picture.dataAddress : nil
  }
}
