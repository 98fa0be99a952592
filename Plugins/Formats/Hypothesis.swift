import FoundationEssentials
public import Interchange
import Model

/// Reads annotations of Hypothesis: a response of its API, `{"total", "rows"}`, an exported file,
/// `{"annotations"}`, or a single annotation. Positions are in UTF-16 units of the page's text. A
/// tag such as `color:green` names the colour, and each record keeps its whole annotation.
public struct Hypothesis: Importer {
  /// The id, which selects the format: `diple import --from hypothesis`.
  public static let id = "hypothesis"
  /// The name of the format in messages.
  public static let name = "Hypothesis annotations"
  /// The description that `diple strategies` prints.
  public static let summary = "JSON of Hypothesis: answers of its API and exported files"
  /// Examples, which are also the tests.
  public static let examples = [
    ImportExample(
      "an annotation, a reply and a note about the page",
      input: answer, records: [sample], skipped: 2),
    ImportExample("a single annotation", input: single, records: [singleSample]),
    ImportExample(
      "something else", input: "{\"annotations\": [{\"quote\": \"Look here\"}]}", records: nil),
  ]

  private static let answer = """
    {"total": 3, "rows": [
      {"id": "a", "user": "acct:me@hypothes.is", "uri": "https://example.org/signs",
       "created": "2023-01-27T05:56:46.103467+00:00", "updated": "2023-01-27T05:57:46.103467+00:00",
       "text": "Why?", "tags": ["signs"], "references": [],
       "document": {"title": ["On signs"]},
       "target": [{"source": "https://example.org/signs", "selector": [
         {"type": "RangeSelector", "startContainer": "/p[1]"},
         {"type": "TextPositionSelector", "start": 6, "end": 15},
         {"type": "TextQuoteSelector", "exact": "Look here", "prefix": "\\n\\tsays: ",
          "suffix": ".\\n"}]}]},
      {"id": "b", "uri": "https://example.org/signs", "text": "Indeed.", "references": ["a"],
       "target": [{"source": "https://example.org/signs"}]},
      {"id": "c", "uri": "https://example.org/signs", "text": "A page.",
       "target": [{"source": "https://example.org/signs"}]}]}
    """

  private static let single = """
    {"id": "d", "uri": "https://example.org/signs", "text": "", "tags": ["old", "color:green"],
     "target": [{"selector": [{"type": "TextQuoteSelector", "exact": "Look here"}]}]}
    """

  private static let sample: AnnotationRecord = {
    var record = AnnotationRecord(
      id: "a", quote: "Look here", prefix: "\n\tsays: ", suffix: ".\n",
      position: .utf16(TextRange(utf16: 6..<15)), source: "https://example.org/signs",
      title: "On signs", color: .yellow, note: "Why?", tags: ["signs"],
      created: Date(timeIntervalSince1970: 1_674_799_006),
      updated: Date(timeIntervalSince1970: 1_674_799_066))
    record.object = JSONValue(Array(answer.utf8))?["rows"].values.first ?? .null
    return record
  }()

  private static let singleSample: AnnotationRecord = {
    let address = "https://example.org/signs"
    var record = AnnotationRecord(
      id: "d", quote: "Look here", source: address, title: address, color: .green, tags: ["old"])
    record.sourceColor = "green"
    record.object = JSONValue(Array(single.utf8)) ?? .null
    return record
  }()

  /// Creates the importer, which has no state.
  public init() {}

  /// Returns whether the file is JSON with the keys of this format.
  public func recognizes(_ source: ImportSource) -> Bool {
    JSONValue(source.bytes).flatMap(Self.annotations) != nil
  }

  private static func annotations(_ value: JSONValue) -> [JSONValue]? {
    if isAnnotation(value) { return [value] }
    guard let list = (value[["rows", "annotations"]].list ?? value.list),
      list.isEmpty ? value.keys.contains("rows") : list.allSatisfy(isAnnotation)
    else { return nil }
    return list
  }

  private static func isAnnotation(_ value: JSONValue) -> Bool {
    HypothesisObject(value) != nil
  }

  /// Reads the records. Replies and notes about a whole page are skipped.
  ///
  /// - Throws: `ImportError` if the file isn't in this format.
  public func read(_ source: ImportSource) throws(ImportError) -> ImportContent {
    guard let annotations = JSONValue(source.bytes).flatMap(Self.annotations) else {
      throw ImportError("not annotations of Hypothesis")
    }
    var content = ImportContent(records: [])
    for annotation in annotations {
      let id = annotation["id"].text
      if !annotation["references"].values.isEmpty {
        content.skipped.append("\(id) is a reply")
        continue
      }
      guard let record = HypothesisObject(annotation)?.record else {
        content.skipped.append("\(id) is a note about the page as a whole")
        continue
      }
      content.records.append(record)
    }
    return content
  }
}
