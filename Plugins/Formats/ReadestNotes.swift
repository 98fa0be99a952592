import FoundationEssentials
public import Interchange
import Model

/// Reads notes of Readest: a list of notes, or a book with its `booknotes`. Times are in
/// milliseconds since 1970.
public struct ReadestNotes: Importer {
  /// The id, which selects the format: `diple import --from readest`.
  public static let id = "readest"
  /// The name of the format in messages.
  public static let name = "Readest notes"
  /// The description that `diple strategies` prints.
  public static let summary = "JSON of Readest: the notes of a book"
  /// Examples, which are also the tests.
  public static let examples = [
    ImportExample(
      "a highlight, a bookmark and a deleted highlight",
      input: """
        {"title": "On signs", "author": "Ann Reed", "booknotes": [
          {"id": "a1", "type": "annotation", "cfi": "epubcfi(/6/8!/4/2)", "style": "highlight",
           "color": "blue", "text": "Look here", "note": "Why?", "page": 12,
           "createdAt": 1674799006000, "updatedAt": 1674799066000},
          {"id": "a2", "type": "bookmark", "cfi": "epubcfi(/6/10)", "text": "", "note": ""},
          {"id": "a3", "type": "annotation", "cfi": "epubcfi(/6/12)", "text": "gone",
           "note": "", "deletedAt": 1674799066000}]}
        """,
      records: [sample], skipped: 2),
    ImportExample("something else", input: "{\"booknotes\": [{\"id\": 1}]}", records: nil),
  ]

  private static let sample: AnnotationRecord = {
    var record = AnnotationRecord(
      id: "a1", quote: "Look here", source: "", title: "On signs", color: .blue, note: "Why?",
      created: Date(timeIntervalSince1970: 1_674_799_006),
      updated: Date(timeIntervalSince1970: 1_674_799_066))
    record.author = "Ann Reed"
    record.location = "page 12"
    record.sourceColor = "blue"
    return record
  }()

  /// Creates the importer, which has no state.
  public init() {}

  /// Returns whether the file is JSON with the keys of this format.
  public func recognizes(_ source: ImportSource) -> Bool {
    JSONValue(source.bytes).flatMap(Self.notes) != nil
  }

  private static func notes(_ value: JSONValue) -> [JSONValue]? {
    let found = value["booknotes"].list ?? value["config"]["booknotes"].list
    guard let list = found ?? value["annotations"].list ?? value.list, !list.isEmpty else {
      return nil
    }
    return list.allSatisfy { $0.keys.isSuperset(of: ["id", "type", "cfi"]) } ? list : nil
  }

  /// Reads the records. Deleted notes and notes without a quote are skipped.
  ///
  /// - Throws: `ImportError` if the file isn't in this format.
  public func read(_ source: ImportSource) throws(ImportError) -> ImportContent {
    guard let value = JSONValue(source.bytes), let notes = Self.notes(value) else {
      throw ImportError("not notes of Readest")
    }
    let book = value["book"].keys.isEmpty ? value : value["book"]
    var content = ImportContent(records: [])
    for note in notes {
      let quote = note["text"].text
      let id = note["id"].text
      if note["deletedAt"].number ?? 0 > 0 {
        content.skipped.append("\(id) was deleted")
      } else if quote.trimmed.isEmpty {
        content.skipped.append("\(id), a mark of type \(note["type"].text), has no text")
      } else {
        var record = AnnotationRecord(
          id: id, quote: quote, source: "", title: book["title"].text, color: .yellow,
          note: note["note"].text)
        record.author = book["author"].text
        if !note["color"].text.isEmpty { record.setColor(note["color"].text) }
        let page = note["page"].text
        record.location = location(page.isEmpty ? nil : "page \(page)")
        func moment(_ key: String) -> WrittenDate? {
          WrittenDate(secondsSince1970: note[key].number.map { $0 / 1000 })
        }
        record.setDates(moment("createdAt"), moment("updatedAt"))
        content.records.append(record)
      }
    }
    return content
  }
}
