import FoundationEssentials
public import Interchange
import Model

/// Reads annotations of Hypothesis: a response of its API, `{"total", "rows"}`, or an exported
/// file, `{"annotations"}`. Positions are in UTF-16 units of the page's text.
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
      input: """
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
        """,
      records: [sample], skipped: 2),
    ImportExample(
      "something else", input: "{\"annotations\": [{\"quote\": \"Look here\"}]}", records: nil),
  ]

  private static let sample = AnnotationRecord(
    id: "a", quote: "Look here", prefix: "\n\tsays: ", suffix: ".\n",
    position: .utf16(TextRange(utf16: 6..<15)), source: "https://example.org/signs",
    title: "On signs",
    color: .yellow, note: "Why?", tags: ["signs"],
    created: Date(timeIntervalSince1970: 1_674_799_006),
    updated: Date(timeIntervalSince1970: 1_674_799_066))

  /// Creates the importer, which has no state.
  public init() {}

  /// Returns whether the file is JSON with the keys of this format.
  public func recognizes(_ source: ImportSource) -> Bool {
    JSONValue(source.bytes).flatMap(Self.annotations) != nil
  }

  private static func annotations(_ value: JSONValue) -> [JSONValue]? {
    guard let list = (value[["rows", "annotations"]].list ?? value.list),
      list.isEmpty ? value.keys.contains("rows") : list.allSatisfy(isAnnotation)
    else { return nil }
    return list
  }

  private static func isAnnotation(_ value: JSONValue) -> Bool {
    value.keys.isSuperset(of: ["id", "uri"])
      && !value.keys.isDisjoint(with: ["target", "references"])
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
      let selectors = annotation["target"].values.flatMap { $0["selector"].values }
      guard let record = Self.record(annotation, id, selectors) else {
        content.skipped.append("\(id) is a note about the page as a whole")
        continue
      }
      content.records.append(record)
    }
    return content
  }

  private static func record(_ annotation: JSONValue, _ id: String, _ selectors: [JSONValue])
    -> AnnotationRecord?
  {
    func selector(_ type: String) -> JSONValue? { selectors.first { $0["type"].text == type } }
    let quote = selector("TextQuoteSelector")
    let place = selector("TextPositionSelector")
    var position: AnnotationRecord.Position?
    if let start = place?["start"].number.flatMap({ Int(exactly: $0) }),
      let end = place?["end"].number.flatMap({ Int(exactly: $0) }), 0 <= start, start < end
    {
      position = .utf16(TextRange(utf16: start..<end))
    }
    let words = quote?["exact"].text ?? ""
    // A position without a quote is useless, because it refers to the text of the web page.
    guard !words.isEmpty else { return nil }
    let address = annotation["uri"].text
    let title = annotation["document"]["title"].values.first?.text ?? ""
    var record = AnnotationRecord(
      id: id, quote: words, prefix: quote?["prefix"].text ?? "",
      suffix: quote?["suffix"].text ?? "", position: position, source: address,
      title: title.isEmpty ? address : title, color: .yellow, note: annotation["text"].text,
      tags: annotation["tags"].values.map(\.text))
    record.setDates(
      WrittenDate(annotation["created"].text), WrittenDate(annotation["updated"].text))
    return record
  }
}
