import FoundationEssentials
public import Interchange
import Model

/// Reads databases of Apple Books. `AEAnnotation….sqlite` contains the highlights;
/// `BKLibrary….sqlite` contains the titles of the books and must be imported by the same command.
public struct AppleBooksDatabase: Importer {
  /// The id, which selects the format: `diple import --from apple-books`.
  public static let id = "apple-books"
  /// The name of the format in messages.
  public static let name = "Apple Books highlights"
  /// The description that `diple strategies` prints.
  public static let summary =
    "AEAnnotation*.sqlite of Apple Books, with BKLibrary*.sqlite for titles"
  /// An example of a file in another format. Complete databases are in the tests.
  public static let examples = [
    ImportExample("not a database", input: "SQLite format 3", records: nil)
  ]

  /// Creates the importer, which has no state.
  public init() {}

  /// Returns whether the database has the table of highlights.
  public func recognizes(_ source: ImportSource) -> Bool {
    source.tables?.columns(of: "ZAEANNOTATION") != nil
  }

  /// The time from which Apple Books counts seconds, the beginning of 2001, in seconds since 1970.
  private static let epoch = 978_307_200.0

  /// Reads the records. Deleted highlights are ignored, and bookmarks are counted as skipped.
  /// Without the database of titles, the title is the book's identifier.
  ///
  /// - Throws: `ImportError` if the table of highlights is missing or can't be read.
  public func read(_ source: ImportSource) throws(ImportError) -> ImportContent {
    guard let tables = source.tables, let columns = tables.columns(of: "ZAEANNOTATION") else {
      throw ImportError("not a database of Apple Books with highlights")
    }
    var content = ImportContent(records: [])
    var books: [String: (title: String, author: String)] = [:]
    if tables.columns(of: "ZBKLIBRARYASSET") != nil {
      try tables.forEachRow(of: "ZBKLIBRARYASSET", ["ZASSETID", "ZTITLE", "ZAUTHOR"]) { row in
        books[row[0].text] = (row[1].text, row[2].text)
      }
    }
    let wanted = [
      "ZANNOTATIONUUID", "ZANNOTATIONASSETID", "ZANNOTATIONSELECTEDTEXT", "ZANNOTATIONNOTE",
      "ZANNOTATIONSTYLE", "ZANNOTATIONCREATIONDATE", "ZANNOTATIONMODIFICATIONDATE",
      "ZANNOTATIONDELETED", "ZFUTUREPROOFING5", "ZANNOTATIONLOCATION",
    ].filter(columns.contains)
    var bookmarks = 0
    try tables.forEachRow(of: "ZAEANNOTATION", wanted) { row in
      let cells = Dictionary(zip(wanted, row)) { first, _ in first }
      func cell(_ name: String) -> ImportValue { cells[name] ?? .none }
      if cell("ZANNOTATIONDELETED").number ?? 0 != 0 { return }
      let quote = cell("ZANNOTATIONSELECTEDTEXT").text
      guard !quote.trimmed.isEmpty else {
        bookmarks += 1
        return
      }
      let asset = cell("ZANNOTATIONASSETID").text
      var record = AnnotationRecord(
        id: cell("ZANNOTATIONUUID").text, quote: quote, source: "",
        title: books[asset]?.title ?? asset, color: .yellow, note: cell("ZANNOTATIONNOTE").text)
      record.author = books[asset]?.author ?? ""
      record.location = cell("ZFUTUREPROOFING5").text
      if let style = cell("ZANNOTATIONSTYLE").number.flatMap({ Int(exactly: $0) }) {
        let names = ["underline", "green", "blue", "yellow", "pink", "purple"]
        record.setColor(names.indices.contains(style) ? names[style] : String(style))
      }
      func moment(_ name: String) -> WrittenDate? {
        WrittenDate(secondsSince1970: cell(name).number.map { $0 + Self.epoch })
      }
      record.setDates(moment("ZANNOTATIONCREATIONDATE"), moment("ZANNOTATIONMODIFICATIONDATE"))
      content.records.append(record)
    }
    if bookmarks > 0 {
      content.skipped.append(bookmarks == 1 ? "a bookmark" : "\(bookmarks) bookmarks")
    }
    return content
  }
}
