import FoundationEssentials
public import Interchange
import Model

/// Reads Web Annotations of any program: a single one, a list, a page or a collection. It reads
/// text quote selectors and text position selectors, and keeps the whole annotation in each record.
public struct WebAnnotationReader: Importer {
  /// The id, which selects the format: `diple import --from w3c`.
  public static let id = "w3c"
  /// The name of the format in messages.
  public static let name = "W3C annotations"
  /// The description that `diple strategies` prints.
  public static let summary = "W3C Web Annotations (JSON-LD) with text quote and position selectors"
  /// Examples, which are also the tests.
  public static let examples = [
    ImportExample(
      "one annotation", input: WebAnnotation.text,
      records: [keeping(WebAnnotation.text, WebAnnotation.sample)]),
    ImportExample(
      "a page of another program, with a position and a note but no quote",
      input: page,
      records: [
        keeping(page, local)
      ]),
    ImportExample("something else", input: "{\"type\": \"Book\"}", records: nil),
    ImportExample("a text that is not JSON", input: "Highlights of a book", records: nil),
  ]

  private static let page = """
    {"type": "AnnotationPage", "items": [
      {"type": "Annotation", "id": "x", "created": "1970-01-01T00:00:00.5+00:00",
       "bodyValue": "Why?",
       "target": {"source": "a.md", "selector": {
         "type": "RangeSelector",
         "refinedBy": {"type": "TextPositionSelector", "start": 3, "end": 7}}}}]}
    """

  private static var local: AnnotationRecord {
    var record = AnnotationRecord(
      id: "x", quote: "", position: .codePoints(3..<7), source: "a.md", title: "a.md",
      color: .yellow, note: "Why?", created: Date(timeIntervalSince1970: 0),
      updated: Date(timeIntervalSince1970: 0))
    record.idScopes = ["a.md"]
    return record
  }

  /// Returns a record with the only annotation of a file.
  private static func keeping(_ file: String, _ record: AnnotationRecord) -> AnnotationRecord {
    var record = record
    let value = JSONValue(Array(file.utf8)) ?? .null
    record.object = (value["items"].list ?? value.values).first ?? .null
    return record
  }

  /// Creates the importer, which has no state.
  public init() {}

  /// Reads the records. An annotation of something other than a passage has neither a quote nor a
  /// position.
  ///
  /// - Throws: `ImportError` if the file isn't a Web Annotation or a list of them.
  public func read(_ source: ImportSource) throws(ImportError) -> ImportContent {
    guard let file = JSONValue(source.bytes) else { throw Self.error }
    let items = file["items"].list ?? file["first"]["items"].list
    let annotations = (items ?? file.values).map(WebAnnotationObject.init)
    guard !annotations.contains(where: { $0 == nil }) else { throw Self.error }
    return ImportContent(records: annotations.flatMap { $0?.records ?? [] })
  }

  private static var error: ImportError { ImportError("not a Web Annotation or a list of them") }
}
