import FoundationEssentials
public import Interchange
import Model

/// The W3C's Web Annotation data model as JSON-LD: an array of annotations, each with a
/// `TextQuoteSelector`. Positions are not written: they would be code points of a text that the
/// reader does not have.
public struct WebAnnotation: Exporter {
  /// The name by which it is chosen.
  public static let id = "w3c"
  /// What it does, in one line.
  public static let summary = "W3C Web Annotations (JSON-LD) with text quote selectors"
  /// What it must do; these are its tests.
  public static let examples = [
    ExportExample("one annotation", records: [sample], output: text)
  ]

  static let sample = AnnotationRecord(
    id: "urn:diple:1", quote: "Look here", prefix: "says: ", suffix: ".", source: "signs.md",
    title: "On signs", color: .blue, note: "Why?", tags: ["signs"],
    created: Date(timeIntervalSince1970: 0), updated: Date(timeIntervalSince1970: 60))

  static let text = """
    [
      {
        "@context" : "http://www.w3.org/ns/anno.jsonld",
        "body" : [
          {
            "purpose" : "commenting",
            "type" : "TextualBody",
            "value" : "Why?"
          },
          {
            "purpose" : "tagging",
            "type" : "TextualBody",
            "value" : "signs"
          }
        ],
        "created" : "1970-01-01T00:00:00Z",
        "diple:color" : "blue",
        "id" : "urn:diple:1",
        "modified" : "1970-01-01T00:01:00Z",
        "motivation" : "highlighting",
        "target" : {
          "selector" : [
            {
              "exact" : "Look here",
              "prefix" : "says: ",
              "suffix" : ".",
              "type" : "TextQuoteSelector"
            }
          ],
          "source" : "signs.md",
          "title" : "On signs"
        },
        "type" : "Annotation"
      }
    ]

    """

  /// Makes the format.
  public init() {}

  private struct Annotation: Codable {
    var context = "http://www.w3.org/ns/anno.jsonld"
    var id: String
    var type = "Annotation"
    var motivation = "highlighting"
    var created: Date?
    var modified: Date?
    var color: HighlightColor?
    var link: String?
    var body: [Body]
    var target: Target

    enum CodingKeys: String, CodingKey {
      case context = "@context"
      case color = "diple:color"
      case link = "diple:link"
      case id, type, motivation, created, modified, body, target
    }

    init(_ record: AnnotationRecord) {
      (id, created, modified) = (record.id, record.created, record.updated)
      (color, link) = (record.color, record.link)
      body = record.note.isEmpty ? [] : [Body(purpose: "commenting", value: record.note)]
      body += record.tags.map { Body(purpose: "tagging", value: $0) }
      target = Target(
        source: record.source, title: record.title,
        selector: [
          QuoteSelector(exact: record.quote, prefix: record.prefix, suffix: record.suffix)
        ])
    }
  }

  private struct Body: Codable {
    var type = "TextualBody"
    var purpose: String
    var value: String
  }

  private struct Target: Codable {
    var source: String
    var title: String?
    var selector: [QuoteSelector]
  }

  private struct QuoteSelector: Codable {
    var type = "TextQuoteSelector"
    var exact: String
    var prefix: String?
    var suffix: String?
  }

  /// Writes the records.
  public func export(
    _ records: some Sequence<AnnotationRecord>, to output: inout some TextOutputStream
  ) {
    // A file for people and other programs: on several lines, unlike `JSONEncoder.ordered`, which
    // is not for the authors of strategies either.
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .iso8601
    func list(_ annotations: [Annotation]) -> String {
      guard let data = try? encoder.encode(annotations) else {
        preconditionFailure("texts and dates can always be written as JSON")
      }
      return String(decoding: data, as: UTF8.self)
    }
    // Each as a list of one, whose brackets give way to those of the whole list.
    var isFirst = true
    for record in records {
      output.write(isFirst ? "[" : ",")
      output.write(String(list([Annotation(record)]).dropFirst().dropLast(2)))
      isFirst = false
    }
    output.write((isFirst ? list([]) : "\n]") + "\n")
  }
}
