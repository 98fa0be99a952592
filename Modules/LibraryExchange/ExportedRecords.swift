import Interchange
import Model
import Storage
import Workspace

/// The records of a list of highlights. The first records are read on the caller's thread; another
/// thread reads the rest ahead of the caller.
final class ExportedRecords: Sequence, IteratorProtocol {
  /// A document and its highlights that are in the list.
  struct Group: Sendable {
    var document: Document
    var highlights: [Highlight]
    /// The note on the document, as Markdown; empty if it has none.
    var note: String
    /// The bibliographic variables that the user set.
    var userSource: Source
    /// The works whose highlights were imported into the document, in the order of import.
    var imported: [Origin]
  }

  private let reader: ReadAhead<Group>
  private let labels: [HighlightColor: String]
  private let placed: (Highlight) -> Highlight
  private let link: (Highlight) -> String?
  private let source: (Group) -> CitedSource
  private var document: (document: Document, source: CitedSource, note: String)?
  private var highlights: ArraySlice<Highlight> = []
  /// The error that ended the list early; nil if the list is complete.
  private(set) var failure: (any Error)?

  /// Creates a list of records.
  ///
  /// - Parameters:
  ///   - labels: the labels of colours.
  ///   - link: returns the address of a highlight; nil if it has none.
  ///   - placed: returns a highlight with its current location.
  ///   - source: returns the source of a group's document.
  ///   - next: reads the next group; nil after the last one. It runs on one thread at a time.
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
      if let (document, source, note) = document, let highlight = highlights.popFirst() {
        var record = AnnotationRecord(placed(highlight), in: document, of: source)
        (record.colorLabel, record.link) = (labels[highlight.color], link(highlight))
        record.documentNote = note
        return record
      }
      do {
        guard let group = try reader.next() else { return nil }
        document = (group.document, source(group), group.note)
        highlights = group.highlights[...]
      } catch {
        failure = error
        return nil
      }
    }
  }

  /// Stops reading. After this call, no other thread uses the transaction.
  func finish() { reader.finish() }
}

/// A document's bibliographic source, with the values that are the same for all of its highlights.
struct CitedSource {
  private let source: DocumentSource
  /// The complete source.
  let whole: Source
  /// The names of the authors, in the form of a citation.
  let people: String
  private let text: String
  /// The works whose text the document is.
  private let works: DocumentWorks
  /// Whether the source consists only of a title.
  private let isOnlyTitle: Bool

  /// - Parameter title: the title of the document.
  init(_ source: DocumentSource, titled title: String) {
    self.source = source
    whole = source.whole
    works = DocumentWorks(titled: title, whole)
    let citation = Citation(whole)
    (people, text) = (citation.people, citation.text)
    isOnlyTitle = false
  }

  /// Creates a source with only the title that the user set or, for a file of imported quotes, that
  /// of the text they are from. It is for formats that do not contain sources.
  init(titleIn userSource: Source, of document: Document, _ imported: [Origin]) {
    var layers = [(DocumentSource.Origin.set, userSource)]
    let titles = imported.lazy.compactMap(\.title)
    if let title = titles.first(where: { document.title == DocumentTitle.ofQuotes(from: $0) }) {
      var imported = Source()
      imported[.title] = .text(title.oneLine)
      layers.append((.import, imported))
    }
    source = DocumentSource(layers)
    whole = source.whole
    works = DocumentWorks(titled: document.title, whole)
    (people, text) = ("", "")
    isOnlyTitle = true
  }

  /// Adds the source of its document to a record.
  ///
  /// - Parameter origin: the origin of an imported highlight. If it is from another work whose words
  ///   the document contains, its author and location are not those of the document.
  func complete(_ record: inout AnnotationRecord, _ origin: Origin? = nil) {
    let isOfWork = origin.map(works.contain) ?? true
    if !isOfWork { record.author = "" }
    // The title of a file of quotes is that of the text from which they are. A title in the front
    // matter is the document's title, unless the user has renamed the document.
    if [.set, .import].contains(source.origin(of: .title)) { record.title = whole.text(.title) }
    if isOnlyTitle { return }
    // Authors set by the user or in the file take precedence over those of the program from which
    // the highlight was imported.
    let isSaid = [.set, .file].contains(source.origin(of: .author))
    record.author = isSaid || record.author.isEmpty ? people : Self.names(record.author)
    if source.isKnown { record.work = whole.item }
    record.citation =
      record.location.isEmpty || !isOfWork ? text : Citation(whole, location: record.location).text
  }
}

extension CitedSource {
  /// Returns the names of authors in natural order: `Steve Klabnik and Carol Nichols` for
  /// `Klabnik, Steve;Nichols, Carol`. A text without semicolon that may contain several complete
  /// names, such as `Ann Lee, Bo Ek`, is returned unchanged.
  fileprivate static func names(_ text: String) -> String {
    let names = PersonName.list(text)
    let isPlain =
      text.contains(";")
      || names.allSatisfy {
        !$0.family.contains(" ") || !$0.given.contains(" ")
      }
    guard isPlain, names.last?.direct.isEmpty == false else { return text }
    return names.map(\.direct).listed
  }
}

extension AnnotationRecord {
  /// Creates the record of a highlight for another program.
  ///
  /// - Parameters:
  ///   - highlight: the highlight to export.
  ///   - document: the highlight's document.
  ///   - source: the document's bibliographic source.
  init(_ highlight: Highlight, in document: Document, of source: CitedSource) {
    self.init(
      id: "urn:diple:\(highlight.id)", quote: highlight.words,
      prefix: highlight.selector.prefix, suffix: highlight.selector.suffix,
      position: highlight.anchor.range.map { .utf16($0) }, source: document.path.string,
      title: document.title, color: highlight.color, note: highlight.note, tags: highlight.tags,
      created: highlight.created, updated: highlight.updated)
    marked = highlight.now.map { _ in highlight.selector.exact }
    (number, documentID) = (highlight.number, document.id.description)
    state = highlight.anchor.state
    (line, column) = (highlight.anchor.line?.line, highlight.anchor.line?.column)
    // An imported highlight is exported with the dates of the program from which it was imported.
    let origin = highlight.origin?.origin
    if let origin {
      created = origin.created ?? created
      isInOwnText = DocumentTitle.ofQuotes(from: origin.title ?? "") != document.title
      author = origin.author ?? ""
      location = origin.location ?? ""
      sourceColor = origin.color ?? ""
      if let text = origin.object, let value = JSONValue(Array(text.utf8)) {
        object = value
        hasWordsOfObject =
          IncomingRecord.digest([highlight.words]) == origin.passageDigest
      }
      var record = RecordOrigin(format: origin.format)
      (record.id, record.source, record.title) = (origin.id, origin.source, origin.title)
      (record.author, record.location, record.color) = (
        origin.author, origin.location, origin.color
      )
      self.origin = record
    }
    source.complete(&self, origin)
  }
}
