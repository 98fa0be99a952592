import FoundationEssentials
public import Interchange
import Model

/// Reads the databases of Apple Books: `AEAnnotation….sqlite` has the highlights, and
/// `BKLibrary….sqlite`, named in the same command, their books' titles.
public struct AppleBooksDatabase: Importer {
  /// The name by which it is chosen.
  public static let id = "apple-books"
  /// What it is called in messages.
  public static let name = "Apple Books highlights"
  /// What it does, in one line.
  public static let summary =
    "AEAnnotation*.sqlite of Apple Books, with BKLibrary*.sqlite for titles"
  /// What it must do; databases are in its tests.
  public static let examples = [
    ImportExample("no database", input: "SQLite format 3", records: nil)
  ]

  /// Makes the format.
  public init() {}

  /// Whether it has the table of highlights.
  public func recognizes(_ source: ImportSource) -> Bool {
    source.tables?.columns(of: "ZAEANNOTATION") != nil
  }

  /// What seconds are counted from, in seconds since 1970: the beginning of 2001.
  private static let epoch = 978_307_200.0

  /// Reads the records.
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
