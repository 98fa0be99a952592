public import Interchange
import Model

/// Reads the file that `JSONHighlights` writes.
public struct JSONHighlightsReader: Importer {
  /// The id, which selects the format: `diple import --from json`.
  public static let id = "json"
  /// The name of the format in messages.
  public static let name = "JSON of Diple"
  /// The description that `diple strategies` prints.
  public static let summary = "the JSON that Diple exports"
  /// Examples, which are also the tests.
  public static let examples = [
    ImportExample(
      "the file of an export", input: JSONHighlights.examples[0].output,
      records: ExportSample.records.map { record in
        var record = record
        (record.line, record.colorLabel) = (nil, nil)
        return record
      }),
    ImportExample("another schema", input: "{\"schema\": \"x/1\", \"data\": []}", records: nil),
  ]

  /// Creates the importer, which has no state.
  public init() {}

  /// Reads the records. Entries without a quote are skipped.
  ///
  /// - Throws: `ImportError` if the file isn't in this format.
  public func read(_ source: ImportSource) throws(ImportError) -> ImportContent {
    // Most other JSON is rejected without parsing it.
    let beginning = String(decoding: source.bytes.prefix(4096), as: UTF8.self)
    guard beginning.contains("diple.exported-highlights/1"), let value = JSONValue(source.bytes),
      value["schema"] == .text("diple.exported-highlights/1"), let entries = value["data"].list
    else { throw ImportError("not JSON of exported highlights") }
    var content = ImportContent(records: [])
    for (index, entry) in entries.enumerated() {
      guard !entry["quote"].text.isEmpty else {
        content.skipped.append("entry \(index + 1) has no quote")
        continue
      }
      content.records.append(Self.record(entry))
    }
    return content
  }

  private static func record(_ entry: JSONValue) -> AnnotationRecord {
    let document = entry["document"]
    var position: AnnotationRecord.Position?
    if let start = entry["range"]["start"].number.flatMap({ Int(exactly: $0) }),
      let end = entry["range"]["end"].number.flatMap({ Int(exactly: $0) }), 0 <= start, start < end
    {
      position = .utf16(TextRange(utf16: start..<end))
    }
    // The exporter removes the beginning of the ids of a library's highlights.
    let isOwn = document["id"] != .null
    let color = HighlightColor(rawValue: entry["color"].text)
    var record = AnnotationRecord(
      id: (isOwn ? "urn:diple:" : "") + entry["id"].text, quote: entry["quote"].text,
      prefix: entry["prefix"].text, suffix: entry["suffix"].text, position: position,
      source: document["path"].text, title: document["title"].text, color: color ?? .yellow,
      note: entry["note"].text, tags: entry["tags"].values.map(\.text))
    record.isColorKnown = color != nil
    record.author = document["author"].text
    record.location = entry["location"].text
    record.setDates(WrittenDate(entry["created"].text), WrittenDate(entry["updated"].text))
    return record
  }
}
