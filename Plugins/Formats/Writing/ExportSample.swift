import FoundationEssentials
import Interchange
import Model

/// The records of the exporters' examples.
enum ExportSample {
  /// A record with all properties, and a record with only a quote.
  static let records = [full, plain]

  private static let full: AnnotationRecord = {
    var record = AnnotationRecord(
      id: "urn:diple:1", quote: "Look \"here\",\n*now*", prefix: "says: ", suffix: ".",
      position: .utf16(TextRange(utf16: 6..<22)), source: "signs.md", title: "On signs",
      color: .blue, note: "=Why <this>?", tags: ["signs", "two words"],
      created: Date(timeIntervalSince1970: 0), updated: Date(timeIntervalSince1970: 60))
    (record.author, record.location, record.line) = ("Reed, Ann", "page 12", 7)
    record.colorLabel = "question"
    return record
  }()

  private static let plain = AnnotationRecord(
    id: "urn:diple:2", quote: "Clean.", source: "signs.md", title: "On signs", color: .yellow,
    created: Date(timeIntervalSince1970: 0), updated: Date(timeIntervalSince1970: 0))
}

extension AnnotationRecord {
  /// The time of creation in the format of RFC 3339; empty if it is unknown.
  var createdText: String { created?.formatted(.iso8601) ?? "" }
  /// The time of the last change in the format of RFC 3339; empty if it is unknown.
  var updatedText: String { updated?.formatted(.iso8601) ?? "" }
}
