import FoundationEssentials
import Interchange
import Model
import SystemSupport

/// A highlight in the form that plugins read and write.
struct PluginHighlight: Codable {
  var id: String?
  var quote: String?
  var prefix: String?
  var suffix: String?
  /// The range in the document's rendered text, in UTF-16 units.
  var start: Int?
  var end: Int?
  var source: String?
  var title: String?
  var color: String?
  var note: String?
  var tags: [String]?
  var created: Date?
  var updated: Date?

  init(_ record: AnnotationRecord) {
    (id, quote, prefix, suffix) = (record.id, record.quote, record.prefix, record.suffix)
    if case .utf16(let range)? = record.position {
      (start, end) = (range.utf16.lowerBound, range.utf16.upperBound)
    }
    (source, title, color) = (record.source, record.title, record.color.rawValue)
    (note, tags) = (record.note, record.tags)
    (created, updated) = (record.created, record.updated)
  }

  /// The record, or nil if it has neither a quote nor a valid range, or an unknown colour.
  var record: AnnotationRecord? {
    var position: AnnotationRecord.Position?
    if let start, let end, start >= 0, start < end {
      position = .utf16(TextRange(utf16: start..<end))
    }
    guard position != nil || quote?.isEmpty == false else { return nil }
    let color = color.map { HighlightColor(rawValue: $0) } ?? .yellow
    return color.map {
      AnnotationRecord(
        id: id ?? "", quote: quote ?? "", prefix: prefix ?? "", suffix: suffix ?? "",
        position: position, source: source ?? "", title: title ?? "", color: $0,
        note: note ?? "", tags: tags ?? [], created: created, updated: updated ?? created)
    }
  }
}

/// An import format that runs a program.
struct ProcessImporter: Importer {
  static let id = "process-import"
  static let summary = "a program that reads highlights"
  static let examples: [ImportExample] = []

  let program: PluginProgram

  private struct Request: Encodable {
    var diple = PluginManifest.version
    var request = "import"
    var data: String
  }

  func read(_ source: ImportSource) throws(ImportError) -> ImportContent {
    do throws(PluginError) {
      let answers = try program.answers(
        to: Request(data: String(decoding: source.bytes, as: UTF8.self)))
      var records: [AnnotationRecord] = []
      for (index, answer) in answers.enumerated() {
        guard let record = answer.record?.record else {
          throw PluginError("line \(index + 1) of its answer is not a valid highlight")
        }
        records.append(record)
      }
      return ImportContent(records: records)
    } catch { throw ImportError(program.named(error), isFailure: true) }
  }
}

/// An export format that runs a program.
struct ProcessExporter: Exporter {
  static let id = "process-export"
  static let summary = "a program that writes highlights"
  static let examples: [ExportExample] = []

  let program: PluginProgram

  private struct Request: Encodable {
    var diple = PluginManifest.version
    var request = "export"
    var records: [PluginHighlight]
  }

  func export(
    _ records: some Sequence<AnnotationRecord>, to output: inout some TextOutputStream
  ) throws(StrategyError) {
    do throws(PluginError) {
      let answers = try program.answers(to: Request(records: records.map(PluginHighlight.init)))
      for (index, answer) in answers.enumerated() where answer.text == nil {
        throw PluginError("line \(index + 1) of its answer has no text")
      }
      for answer in answers { output.write(answer.text ?? "") }
    } catch { throw StrategyError(program.named(error)) }
  }
}
