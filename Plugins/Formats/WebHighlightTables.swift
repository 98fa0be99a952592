import FoundationEssentials
public import Interchange
import Model

/// Reads the CSV file that Instapaper exports: the saved pages, with the text that was selected when
/// a page was saved.
public struct InstapaperCSV: Importer {
  /// The id, which selects the format: `diple import --from instapaper`.
  public static let id = "instapaper"
  /// The name of the format in messages.
  public static let name = "Instapaper export"
  /// The description that `diple strategies` prints.
  public static let summary = "the CSV file that Instapaper exports"
  /// Examples, which are also the tests.
  public static let examples = [
    ImportExample(
      "a page with a selection, and one without",
      input: """
        URL,Title,Selection,Folder,Timestamp,Tags
        https://example.org/signs,On signs,"Look here, and there",Starred,1674799006,"[""signs""]"
        https://example.org/2,Another,,Unread,1674799006,[]

        """,
      records: [sample], skipped: 1),
    ImportExample("other columns", input: "URL,Title,Folder,Timestamp\na,b,c,1\n", records: nil),
  ]

  private static let sample: AnnotationRecord = {
    let date = Date(timeIntervalSince1970: 1_674_799_006)
    return AnnotationRecord(
      id: "", quote: "Look here, and there", source: "https://example.org/signs",
      title: "On signs", color: .yellow, tags: ["signs"], created: date, updated: date)
  }()

  private static let columns: Set = ["URL", "Title", "Selection", "Folder"]

  /// Creates the importer, which has no state.
  public init() {}

  /// Returns whether the first line names the columns.
  public func recognizes(_ source: ImportSource) -> Bool {
    Self.columns.isSubset(of: CSVRecords.header(of: source))
  }

  /// Reads the records. Pages without a selection are counted as skipped.
  ///
  /// - Throws: `ImportError` if the columns aren't named in the first line, or with the line of a
  ///   cell whose closing quotation mark is missing.
  public func read(_ source: ImportSource) throws(ImportError) -> ImportContent {
    var content = ImportContent(records: [])
    var pages = 0
    try CSVRecords.forEach(in: source, with: Self.columns, "an Instapaper export") { row in
      guard !row["Selection"].isEmpty else {
        pages += 1
        return
      }
      var record = AnnotationRecord(
        id: "", quote: row["Selection"], source: row["URL"].address,
        title: row["Title"].isEmpty ? row["URL"] : row["Title"], color: .yellow,
        tags: CSVRecords.tags(row["Tags"]))
      record.setDates(WrittenDate(secondsSince1970: Double(row["Timestamp"])))
      content.records.append(record)
    }
    content.skipPages(pages)
    return content
  }
}

/// Reads the CSV file that Raindrop.io exports: the saved pages, with their highlights.
public struct RaindropCSV: Importer {
  /// The id, which selects the format: `diple import --from raindrop`.
  public static let id = "raindrop"
  /// The name of the format in messages.
  public static let name = "Raindrop.io export"
  /// The description that `diple strategies` prints.
  public static let summary = "the CSV file that Raindrop.io exports"
  /// Examples, which are also the tests.
  public static let examples = [
    ImportExample(
      "a page with two highlights, and one without",
      input: """
        id,title,note,excerpt,url,folder,tags,created,cover,highlights,favorite
        1,On signs,,About signs.,https://example.org/signs,Read / Later,"signs, old",2023-01-27T05:56:46.103Z,,"Highlight:Look here
        Note:Why?
        Highlight:And there
        and on",true
        2,Another,mine,,https://example.org/2,,,2023-01-27T05:56:46.103Z,,,false

        """,
      records: [sample("Look here", "Why?"), sample("And there\nand on", "")], skipped: 1),
    ImportExample("other columns", input: "id,title,url,highlights\n1,a,b,c\n", records: nil),
  ]

  private static func sample(_ quote: String, _ note: String) -> AnnotationRecord {
    let date = Date(timeIntervalSince1970: 1_674_799_006)
    return AnnotationRecord(
      id: "", quote: quote, source: "https://example.org/signs", title: "On signs",
      color: .yellow, note: note, tags: ["signs", "old"], created: date, updated: date)
  }

  private static let columns: Set = ["title", "excerpt", "url", "folder", "created", "highlights"]

  /// Creates the importer, which has no state.
  public init() {}

  /// Returns whether the first line names the columns.
  public func recognizes(_ source: ImportSource) -> Bool {
    Self.columns.isSubset(of: CSVRecords.header(of: source))
  }

  /// Reads the records. Pages without highlights are counted as skipped. The highlights have the
  /// date of their page, because the file has no other.
  ///
  /// - Throws: `ImportError` if the columns aren't named in the first line, or with the line of a
  ///   cell whose closing quotation mark is missing.
  public func read(_ source: ImportSource) throws(ImportError) -> ImportContent {
    var content = ImportContent(records: [])
    var pages = 0
    try CSVRecords.forEach(in: source, with: Self.columns, "a Raindrop.io export") { row in
      let highlights = Self.highlights(row["highlights"])
      if highlights.isEmpty { pages += 1 }
      for highlight in highlights {
        var record = AnnotationRecord(
          id: "", quote: highlight.quote, source: row["url"].address,
          title: row["title"].isEmpty ? row["url"] : row["title"], color: .yellow,
          note: highlight.note, tags: CSVRecords.tags(row["tags"]))
        record.setDates(WrittenDate(row["created"]))
        content.records.append(record)
      }
    }
    content.skipPages(pages)
    return content
  }

  /// Divides a cell into its highlights: lines after `Highlight:`, and `Note:` for the note of the
  /// highlight before it. In a cell without these words, each line is a highlight.
  private static func highlights(_ cell: String) -> [(quote: String, note: String)] {
    var found: [(quote: String, note: String)] = []
    let hasWords = cell.hasPrefix("Highlight:")
    var isNote = false
    for line in cell.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
      if !hasWords || line.hasPrefix("Highlight:") {
        found.append((String(hasWords ? line.dropFirst(10) : line).trimmed, ""))
        isNote = false
      } else if line.hasPrefix("Note:") {
        isNote = true
        found[found.count - 1].note = String(line.dropFirst(5)).trimmed
      } else if isNote {
        found[found.count - 1].note += "\n" + line
      } else {
        found[found.count - 1].quote += "\n" + line
      }
    }
    return found.map { ($0.quote.trimmed, $0.note.trimmed) }.filter { !$0.quote.isEmpty }
  }
}

/// Recognises the CSV file that Readwise Reader exports. It lists the documents without their
/// highlights, which Readwise exports in another file.
public struct ReadwiseReaderCSV: Importer {
  /// The id, which selects the format: `diple import --from readwise-reader`.
  public static let id = "readwise-reader"
  /// The name of the format in messages.
  public static let name = "Readwise Reader documents"
  /// The description that `diple strategies` prints.
  public static let summary = "the CSV file of Readwise Reader, which has no highlights"
  /// Examples, which are also the tests.
  public static let examples = [
    ImportExample(
      "a list of documents",
      input: """
        Title,URL,ID,Document tags,Saved date,Reading progress,Location,Seen
        On signs,https://example.org/signs,01gm,['signs'],2022-11-06 04:33:50+00:00,0,new,True

        """, records: nil)
  ]

  private static let columns: Set = ["Title", "URL", "ID", "Saved date", "Reading progress"]

  /// Creates the importer, which has no state.
  public init() {}

  /// Returns whether the first line names the columns.
  public func recognizes(_ source: ImportSource) -> Bool {
    Self.columns.isSubset(of: CSVRecords.header(of: source))
  }

  /// Never returns, because the file has no highlights.
  ///
  /// - Throws: `ImportError`, which names the file that has them.
  public func read(_ source: ImportSource) throws(ImportError) -> ImportContent {
    throw ImportError(
      recognizes(source)
        ? "this list of Readwise Reader's documents has no highlights; import the CSV file of "
          + "readwise.io/export" : "not a list of Readwise Reader's documents")
  }
}

extension String {
  /// The text if it is a web address, otherwise empty. In damaged tables, other cells are in the
  /// column of the address, which would be taken for the name of a document.
  fileprivate var address: String {
    ["http://", "https://"].contains(where: hasPrefix) ? self : ""
  }
}

extension ImportContent {
  /// Adds the number of pages without highlights to the skipped entries.
  fileprivate mutating func skipPages(_ count: Int) {
    guard count > 0 else { return }
    skipped.append(count == 1 ? "a page without highlights" : "\(count) pages without highlights")
  }
}
