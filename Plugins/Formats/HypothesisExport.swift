import FoundationEssentials
public import Interchange
public import Model

/// Writes annotations in the format that Hypothesis exports and imports: `{"annotations": […]}`. A
/// colour other than yellow is a tag, such as `color:green`. An imported annotation is written as
/// it was, with the changes made in Diple.
public struct HypothesisExport: Exporter {
  /// The id, which selects the format: `diple export --to hypothesis`.
  public static let id = "hypothesis"
  /// The description that `diple strategies` prints.
  public static let summary = "JSON that Hypothesis imports"
  /// The properties of highlights that the format doesn't support.
  public static let omissions: [RecordPart] = [.states]
  /// Examples, which are also the tests.
  public static let examples = [
    ExportExample(
      "an annotation with its place", records: [ExportSample.records[0]],
      output: """
        {"annotations":[
        {"created":"1970-01-01T00:00:00Z","document":{"title":["On signs"]},"id":"urn:diple:1",\
        "tags":["signs","two words","color:blue"],"target":[{"selector":[{"exact":"Look \\"here\\",\\n*now*",\
        "prefix":"says: ","suffix":".","type":"TextQuoteSelector"},{"end":22,"start":6,\
        "type":"TextPositionSelector"}],"source":"signs.md"}],"text":"=Why <this>?",\
        "updated":"1970-01-01T00:01:00Z","uri":"signs.md"}
        ]}

        """),
    ExportExample("no highlights", records: [], output: "{\"annotations\":[\n]}\n"),
  ]

  private struct Annotation: Encodable {
    var id: String
    var created: String?
    var updated: String?
    var uri: String
    var text: String
    var tags: [String]
    var document: Page
    var target: [Target]
    /// Links to the annotation. Hypothesis stores the addresses of its web pages here; Diple adds
    /// its link under the key `diple`.
    var links: [String: String]?
  }

  private struct Page: Encodable { var title: [String] }

  private struct Target: Encodable {
    var source: String
    var selector: [Selector]
  }

  private struct Selector: Encodable {
    var type: String
    var exact: String?
    var prefix: String?
    var suffix: String?
    var start: Int?
    var end: Int?
  }

  /// Creates the exporter, which has no state.
  public init() {}

  /// Writes the records in their order.
  ///
  /// - Throws: `StrategyError` if a record can't be encoded as JSON.
  public func export(
    _ records: some Sequence<AnnotationRecord>, to output: inout some TextOutputStream
  ) throws(StrategyError) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    output.write("{\"annotations\":[\n")
    var isFirst = true
    for record in records {
      let object = HypothesisObject(record.object)?.matching(record)
      guard let data = try? object.map(encoder.encode) ?? encoder.encode(Self.annotation(record))
      else {
        throw StrategyError("\(record.id) cannot be written as JSON")
      }
      output.write((isFirst ? "" : ",\n") + String(decoding: data, as: UTF8.self))
      isFirst = false
    }
    output.write((isFirst ? "" : "\n") + "]}\n")
  }

  private static func annotation(_ record: AnnotationRecord) -> Annotation {
    var selectors = [
      Selector(
        type: "TextQuoteSelector", exact: record.quote,
        prefix: record.isInOwnText ? record.prefix : nil,
        suffix: record.isInOwnText ? record.suffix : nil)
    ]
    if let range = record.textRange, record.isInOwnText {
      selectors.append(
        Selector(type: "TextPositionSelector", start: range.lowerBound, end: range.upperBound))
    }
    func text(_ date: String) -> String? { date.isEmpty ? nil : date }
    return Annotation(
      id: record.id, created: text(record.createdText), updated: text(record.updatedText),
      uri: record.addressOrPath, text: record.note,
      tags: record.tags + (record.color == .yellow ? [] : [HypothesisObject.tag(record.color)]),
      document: Page(title: [record.title]),
      target: [Target(source: record.addressOrPath, selector: selectors)],
      links: record.link.map { ["diple": $0] })
  }
}
