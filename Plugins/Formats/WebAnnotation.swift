import FoundationEssentials
public import Interchange
import Model

/// Writes the W3C's Web Annotation data model as JSON-LD: an array of annotations, each with a
/// `TextQuoteSelector`. Positions aren't written, because they would refer to a text that the
/// reader of the file doesn't have. An imported annotation is written as it was, with the changes
/// made in Diple; one with several targets is written after the others.
public struct WebAnnotation: Exporter {
  /// The id, which selects the format: `diple export --to w3c`.
  public static let id = "w3c"
  /// The description that `diple strategies` prints.
  public static let summary = "W3C Web Annotations (JSON-LD) with text quote selectors"
  /// Examples, which are also the tests.
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

  /// Creates the exporter, which has no state.
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
        source: record.addressOrPath, title: record.title,
        selector: [
          QuoteSelector(
            exact: record.quote, prefix: record.isInOwnText ? record.prefix : nil,
            suffix: record.isInOwnText ? record.suffix : nil)
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

  /// Writes the records in their order.
  public func export(
    _ records: some Sequence<AnnotationRecord>, to output: inout some TextOutputStream
  ) {
    // The JSON is printed on several lines for users and other programs. `JSONEncoder.ordered`
    // isn't used, because authors of strategies can't use it either.
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .iso8601
    func list(_ annotations: [some Encodable]) -> String {
      guard let data = try? encoder.encode(annotations) else {
        preconditionFailure("texts and dates can always be written as JSON")
      }
      return String(decoding: data, as: UTF8.self)
    }
    // Each annotation is encoded as a list with one element, and the brackets are removed.
    var isFirst = true
    func write(_ annotation: some Encodable, _ output: inout some TextOutputStream) {
      output.write(isFirst ? "[" : ",")
      output.write(String(list([annotation]).dropFirst().dropLast(2)))
      isFirst = false
    }
    var parts = AnnotationParts()
    for record in records {
      guard let object = WebAnnotationObject(record.object)?.matching(record) else {
        write(Annotation(record), &output)
        continue
      }
      if object.isPart { parts.add(object, record) } else { write(object.value, &output) }
    }
    // Highlights of one annotation whose notes or colours differ now are separate annotations, of
    // which only the first has its id.
    var ids: Set<String> = []
    for (object, record) in parts.annotations {
      let id = object.value["id"].text
      if id.isEmpty || ids.insert(id).inserted {
        write(object.withoutMissingTargets(), &output)
      } else {
        write(Annotation(record), &output)
      }
    }
    output.write((isFirst ? list([Annotation]()) : "\n]") + "\n")
  }
}

/// Annotations with several targets, joined from the records of their targets.
private struct AnnotationParts {
  /// The annotations in the order of their first records, with these.
  private(set) var annotations: [(object: WebAnnotationObject, record: AnnotationRecord)] = []
  /// The indices of the annotations by their content without targets.
  private var indices: [JSONValue: [Int]] = [:]

  /// Adds a target to its annotation. Expected O(size of the annotation).
  mutating func add(_ object: WebAnnotationObject, _ record: AnnotationRecord) {
    let key = object.value.setting("target", to: .null)
    // Copies of the same annotation are rare; only the last ones are compared.
    for index in indices[key, default: []].suffix(8) where annotations[index].object.join(object) {
      return
    }
    indices[key, default: []].append(annotations.count)
    annotations.append((object, record))
  }
}
