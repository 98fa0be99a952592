import FoundationEssentials
public import Interchange
import Model

/// Reads the JSON exported from wallabag: articles with their annotations.
public struct WallabagAnnotations: Importer {
  /// The id, which selects the format: `diple import --from wallabag`.
  public static let id = "wallabag"
  /// The name of the format in messages.
  public static let name = "wallabag annotations"
  /// The description that `diple strategies` prints.
  public static let summary = "JSON that wallabag exports, with annotations"
  /// Examples, which are also the tests.
  public static let examples = [
    ImportExample(
      "an annotation with a note, one with only a quote, and one without a quote",
      input: """
        [{"id": "1", "title": "On signs", "url": "https://example.org/signs", "content": "<p>x</p>",
          "annotations": [
            {"id": 5, "annotator_schema_version": "v1.0", "text": "Why?", "quote": "Look here",
             "created_at": "2023-01-27T05:56:46+0000", "updated_at": "2023-01-27T05:57:46+0000",
             "ranges": [{"start": "/p[1]", "startOffset": "0", "end": "/p[1]", "endOffset": "9"}]},
            {"id": 6, "quote": "And there"}, {"id": 7, "text": "alone"}]},
         {"id": "2", "title": "Another", "url": "https://example.org/2", "annotations": []}]
        """,
      records: [sample(5, "Look here", "Why?", 0, 60), sample(6, "And there", "", nil, nil)],
      skipped: 1),
    ImportExample("something else", input: "[{\"title\": \"a\"}]", records: nil),
  ]

  private static func sample(
    _ id: Int, _ quote: String, _ note: String, _ created: Double?, _ updated: Double?
  ) -> AnnotationRecord {
    var record = AnnotationRecord(
      id: String(id), quote: quote, source: "https://example.org/signs", title: "On signs",
      color: .yellow, note: note,
      created: created.map { Date(timeIntervalSince1970: 1_674_799_006 + $0) },
      updated: updated.map { Date(timeIntervalSince1970: 1_674_799_006 + $0) })
    record.idScopes = [record.source]
    return record
  }

  /// Creates the importer, which has no state.
  public init() {}

  /// Returns whether the file is JSON with the keys of this format.
  public func recognizes(_ source: ImportSource) -> Bool {
    JSONValue(source.bytes).flatMap(Self.articles) != nil
  }

  private static func articles(_ value: JSONValue) -> [JSONValue]? {
    let list = value.values
    return !list.isEmpty
      && list.allSatisfy {
        $0.keys.isSuperset(of: ["url", "title"]) && $0["annotations"].list != nil
      } ? list : nil
  }

  /// Reads the records. Annotations without a quote are skipped.
  ///
  /// - Throws: `ImportError` if the file isn't in this format.
  public func read(_ source: ImportSource) throws(ImportError) -> ImportContent {
    guard let articles = JSONValue(source.bytes).flatMap(Self.articles) else {
      throw ImportError("not an export of wallabag with annotations")
    }
    var content = ImportContent(records: [])
    for article in articles {
      for annotation in article["annotations"].values {
        let quote = annotation["quote"].text
        guard !quote.trimmed.isEmpty else {
          content.skipped.append(
            "\(annotation["id"].text) of \(article["title"].text) has no quote")
          continue
        }
        let address = article["url"].text
        let title = article["title"].text
        var record = AnnotationRecord(
          id: annotation["id"].text, quote: quote, source: address,
          title: title.isEmpty ? address : title, color: .yellow, note: annotation["text"].text)
        // Each server counts its annotations from 1.
        if !address.isEmpty { record.idScopes = [address] }
        record.setDates(
          WrittenDate(annotation["created_at"].text), WrittenDate(annotation["updated_at"].text))
        content.records.append(record)
      }
    }
    return content
  }
}
