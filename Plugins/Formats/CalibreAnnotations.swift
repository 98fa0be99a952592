import FoundationEssentials
public import Interchange
import Model

/// Reads annotations of calibre: the collection that its viewer and its library export (JSON), and
/// `metadata.db`, the database of a library, which also has the titles of the books.
public struct CalibreAnnotations: Importer {
  /// The id, which selects the format: `diple import --from calibre`.
  public static let id = "calibre"
  /// The name of the format in messages.
  public static let name = "calibre annotations"
  /// The description that `diple strategies` prints.
  public static let summary = "annotations that calibre exports (JSON), and its metadata.db"
  /// Examples, which are also the tests. Databases are in other tests.
  public static let examples = [
    ImportExample(
      "a highlight with notes, a removed one, and a bookmark",
      input: """
        \u{FEFF}{"annotations": [
          {"book_id": 3, "format": "EPUB", "type": "highlight", "uuid": "ybG", "spine_index": 4,
           "start_cfi": "/2/4/8/1:235", "highlighted_text": "Look here", "notes": "Why?",
           "style": {"kind": "color", "type": "builtin", "which": "green"},
           "timestamp": "2023-01-27T05:56:46.798Z", "toc_family_titles": ["One", "Two"]},
          {"type": "highlight", "uuid": "x", "removed": true, "timestamp": "2023-01-27T05:56:46.798Z"},
          {"book_id": 3, "type": "bookmark", "title": "Here", "pos": "epubcfi(/6/4)"}],
         "type": "calibre_annotation_collection", "version": 1}
        """,
      records: [sample], skipped: 1),
    ImportExample(
      "something else", input: "{\"annotations\": [{\"type\": \"highlight\"}]}", records: nil),
  ]

  private static let sample: AnnotationRecord = {
    let date = Date(timeIntervalSince1970: 1_674_799_006)
    var record = AnnotationRecord(
      id: "ybG", quote: "Look here", source: "", title: "calibre book 3", color: .green,
      note: "Why?", created: date, updated: date)
    record.location = "Two"
    record.sourceColor = "green"
    return record
  }()

  /// Creates the importer, which has no state.
  public init() {}

  /// Returns whether the file is a collection, or the database has calibre's tables.
  public func recognizes(_ source: ImportSource) -> Bool {
    if let tables = source.tables {
      return tables.columns(of: "annotations")?.contains("annot_data") ?? false
        && tables.columns(of: "books") != nil
    }
    return JSONValue(source.bytes).flatMap(Self.annotations) != nil
  }

  private static func annotations(_ value: JSONValue) -> [JSONValue]? {
    value["type"].text == "calibre_annotation_collection" ? value["annotations"].list : nil
  }

  /// Reads the records. A collection lacks the titles of the books, so that each book has its number
  /// in calibre as its title. Bookmarks and highlights without text are skipped.
  ///
  /// - Throws: `ImportError` if the file isn't in this format, or the database is damaged.
  public func read(_ source: ImportSource) throws(ImportError) -> ImportContent {
    var content = ImportContent(records: [])
    var bookmarks = 0
    func add(_ annotation: JSONValue, _ title: String, _ author: String) {
      guard !annotation["removed"].flag else { return }
      guard annotation["type"].text == "highlight" else {
        bookmarks += 1
        return
      }
      let quote = annotation["highlighted_text"].text.trimmed
      guard !quote.isEmpty else {
        content.skipped.append("\(annotation["uuid"].text) of \(title) has no text")
        return
      }
      var record = AnnotationRecord(
        id: annotation["uuid"].text, quote: quote, source: "", title: title, color: .yellow,
        note: annotation["notes"].text.trimmed)
      record.author = author
      record.location = location(
        annotation["toc_family_titles"].values.last?.text.split(whereSeparator: \.isWhitespace)
          .joined(separator: " "))
      let color = annotation["style"][["which", "background-color"]].text
      if !color.isEmpty { record.setColor(color) }
      record.setDates(WrittenDate(annotation["timestamp"].text))
      content.records.append(record)
    }
    if let tables = source.tables {
      guard recognizes(source) else { throw ImportError("not a library of calibre") }
      try Self.read(tables, add)
    } else {
      guard let annotations = JSONValue(source.bytes).flatMap(Self.annotations) else {
        throw ImportError("not annotations of calibre")
      }
      for annotation in annotations {
        let book = annotation["book_id"].text
        add(annotation, book.isEmpty ? source.title : "calibre book \(book)", "")
      }
    }
    if bookmarks > 0 {
      content.skipped.append(bookmarks == 1 ? "a bookmark" : "\(bookmarks) bookmarks")
    }
    return content
  }

  private static func read(
    _ tables: any ImportTables, _ add: (JSONValue, String, String) -> Void
  ) throws(ImportError) {
    var books: [Int64: (title: String, author: String)] = [:]
    let columns = ["id", "title", "author_sort"].filter {
      tables.columns(of: "books")?.contains($0) ?? false
    }
    try tables.forEachRow(of: "books", columns) { row in
      let cells = Dictionary(zip(columns, row)) { first, _ in first }
      guard case .integer(let id)? = cells["id"] else { return }
      books[id] = (
        cells["title"]?.text ?? "",
        (cells["author_sort"]?.text ?? "").replacing(" & ", with: "; ")
      )
    }
    try tables.forEachRow(of: "annotations", ["book", "annot_data"]) { row in
      guard let annotation = JSONValue(Array(row[1].text.utf8)) else { return }
      var book: (title: String, author: String)?
      if case .integer(let id) = row[0] { book = books[id] }
      add(annotation, book?.title ?? "", book?.author ?? "")
    }
  }
}
