import FoundationEssentials
public import Interchange
import Model

/// Reads the JSON of KOReader's exporter, with one book or several.
public struct KOReaderExport: Importer {
  /// The id, which selects the format: `diple import --from koreader-json`.
  public static let id = "koreader-json"
  /// The name of the format in messages.
  public static let name = "KOReader export"
  /// The description that `diple strategies` prints.
  public static let summary = "JSON of KOReader's exporter, of one book or several"
  /// Examples, which are also the tests.
  public static let examples = [
    ImportExample(
      "two books",
      input: """
        {"created_on": 1674800000, "version": "json/1.0.0", "documents": [
          {"title": "On signs", "author": "Ann Reed", "file": "/books/signs.epub", "entries": [
            {"page": 12, "time": 1674799006, "chapter": "One", "sort": "highlight",
             "drawer": "lighten", "color": "green", "text": "Look here", "note": "Why?"},
            {"page": "xii", "time": 1674799006, "sort": "bookmark", "text": ""}]},
          {"title": "Another", "entries": []}]}
        """,
      records: [sample], skipped: 1),
    ImportExample("something else", input: "{\"documents\": [{\"name\": \"a\"}]}", records: nil),
  ]

  private static let sample: AnnotationRecord = {
    let date = Date(timeIntervalSince1970: 1_674_799_006)
    var record = AnnotationRecord(
      id: "", quote: "Look here", source: "", title: "On signs", color: .green, note: "Why?",
      created: date, updated: date)
    record.author = "Ann Reed"
    record.location = "page 12 · One"
    record.sourceColor = "green"
    return record
  }()

  /// Creates the importer, which has no state.
  public init() {}

  /// Returns whether the file is JSON with the keys of this format.
  public func recognizes(_ source: ImportSource) -> Bool {
    JSONValue(source.bytes).flatMap(Self.books) != nil
  }

  private static func books(_ value: JSONValue) -> [JSONValue]? {
    let books = value["documents"].list ?? [value]
    return books.allSatisfy { $0["entries"].list != nil && $0.keys.contains("title") }
      ? books : nil
  }

  /// Reads the records. Entries without text are skipped.
  ///
  /// - Throws: `ImportError` if the file isn't in this format.
  public func read(_ source: ImportSource) throws(ImportError) -> ImportContent {
    guard let books = JSONValue(source.bytes).flatMap(Self.books) else {
      throw ImportError("not an export of KOReader")
    }
    var content = ImportContent(records: [])
    for book in books {
      // The value is a list of entries, or in older versions a list of such lists.
      for entry in book["entries"].values.flatMap({ $0.list ?? [$0] }) {
        let quote = entry["text"].text
        guard !quote.trimmed.isEmpty else {
          content.skipped.append("an entry of \(book["title"].text) has no text")
          continue
        }
        var record = AnnotationRecord(
          id: "", quote: quote, source: "", title: book["title"].text, color: .yellow,
          note: entry["note"].text)
        record.author = book["author"].text
        let page = entry["page"].text
        record.location = location(page.isEmpty ? nil : "page \(page)", entry["chapter"].text)
        if !entry["color"].text.isEmpty { record.setColor(entry["color"].text) }
        record.setDates(WrittenDate(secondsSince1970: entry["time"].number))
        content.records.append(record)
      }
    }
    return content
  }
}
