import FoundationEssentials
public import Interchange
import Model

/// Reads `KoboReader.sqlite`, the database of a Kobo reader.
public struct KoboDatabase: Importer {
  /// The id, which selects the format: `diple import --from kobo`.
  public static let id = "kobo"
  /// The name of the format in messages.
  public static let name = "Kobo highlights"
  /// The description that `diple strategies` prints.
  public static let summary = "KoboReader.sqlite, the database of a Kobo"
  /// An example of a file in another format. Complete databases are in the tests.
  public static let examples = [
    ImportExample("not a database", input: "SQLite format 3", records: nil)
  ]

  /// Creates the importer, which has no state.
  public init() {}

  /// Returns whether the database has the table of highlights.
  public func recognizes(_ source: ImportSource) -> Bool {
    source.tables?.columns(of: "Bookmark")?.contains("VolumeID") ?? false
  }

  /// Reads the records. Hidden highlights are ignored, and bookmarks are counted as skipped. If the
  /// title of a book is unknown, the name of its file is used.
  ///
  /// - Throws: `ImportError` if the table of highlights is missing or can't be read.
  public func read(_ source: ImportSource) throws(ImportError) -> ImportContent {
    guard let tables = source.tables, let columns = tables.columns(of: "Bookmark"),
      columns.contains("VolumeID")
    else { throw ImportError("not the database of a Kobo") }
    var books: [String: (title: String, author: String)] = [:]
    if let known = tables.columns(of: "content"), known.contains("ContentID") {
      let wanted = ["ContentID", "Title", "Attribution"].filter(known.contains)
      try tables.forEachRow(of: "content", wanted) { row in
        let cell = Dictionary(zip(wanted, row)) { first, _ in first }
        books[row[0].text] = (cell["Title"]?.text ?? "", cell["Attribution"]?.text ?? "")
      }
    }
    // Columns that older firmware lacks are omitted.
    let wanted = [
      "BookmarkID", "VolumeID", "ContentID", "Text", "Annotation", "DateCreated", "DateModified",
      "ChapterProgress", "Hidden", "Type", "Color",
    ].filter(columns.contains)
    var content = ImportContent(records: [])
    var bookmarks = 0
    try tables.forEachRow(of: "Bookmark", wanted) { row in
      let cells = Dictionary(zip(wanted, row)) { first, _ in first }
      func cell(_ name: String) -> ImportValue { cells[name] ?? .none }
      let hidden = cell("Hidden")
      let quote = cell("Text").text
      if hidden.text == "true" || hidden.number ?? 0 != 0 { return }
      guard !quote.trimmed.isEmpty else {
        bookmarks += 1
        return
      }
      let volume = cell("VolumeID").text
      let name = volume.split(separator: "/").last.map(String.init) ?? volume
      let book = books[volume]
      var record = AnnotationRecord(
        id: cell("BookmarkID").text, quote: quote.trimmed, source: "",
        title: book.flatMap { $0.title.isEmpty ? nil : $0.title } ?? name, color: .yellow,
        note: cell("Annotation").text)
      record.author = book?.author ?? ""
      let progress = cell("ChapterProgress").number.flatMap {
        (0...1).contains($0) ? "\(Int(($0 * 100).rounded())) %" : nil
      }
      let chapter = books[cell("ContentID").text]?.title
      record.location = location(chapter == record.title ? nil : chapter, progress)
      if let number = cell("Color").number.flatMap({ Int(exactly: $0) }) {
        let colors: [HighlightColor] = [.yellow, .pink, .blue, .green]
        record.sourceColor = String(number)
        if colors.indices.contains(number) { record.color = colors[number] }
      }
      // A Kobo writes its dates in UTC, newer ones with a `Z`.
      record.setDates(
        WrittenDate(cell("DateCreated").text)?.inUTC, WrittenDate(cell("DateModified").text)?.inUTC)
      content.records.append(record)
    }
    if bookmarks > 0 {
      content.skipped.append(bookmarks == 1 ? "a bookmark" : "\(bookmarks) bookmarks")
    }
    return content
  }
}
