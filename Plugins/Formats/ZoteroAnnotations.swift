import FoundationEssentials
public import Interchange
import Model

/// Reads annotations of Zotero: JSON exported from its reader, and items of its API.
public struct ZoteroAnnotations: Importer {
  /// The id, which selects the format: `diple import --from zotero`.
  public static let id = "zotero"
  /// The name of the format in messages.
  public static let name = "Zotero annotations"
  /// The description that `diple strategies` prints.
  public static let summary = "JSON of Zotero: annotations of its reader, items of its API"
  /// Examples, which are also the tests.
  public static let examples = [
    ImportExample(
      "a highlight, a picture, and an item of the API",
      input: """
        [{"type": "highlight", "color": "#5fb236", "sortIndex": "00003|00000027", "pageLabel": "4",
          "position": {"type": "FragmentSelector", "value": "epubcfi(/6/8)"}, "text": "Look here",
          "comment": "Why?", "tags": [{"name": "signs"}], "id": "TX8S2BZM",
          "dateCreated": "2023-01-27T05:56:46.798Z", "dateModified": "2023-01-27T05:57:46.865Z"},
         {"type": "image", "color": "#ffd400", "pageLabel": "5", "position": {}, "id": "B"},
         {"key": "C", "data": {"itemType": "annotation", "annotationType": "underline",
          "annotationText": "And there", "annotationComment": "", "annotationColor": "#ff6666",
          "annotationPageLabel": "xii", "annotationSortIndex": "1", "tags": [{"tag": "old"}],
          "parentItem": "P", "dateAdded": "2023-01-27T05:56:46Z",
          "dateModified": "2023-01-27T05:56:46Z"}}]
        """,
      records: [
        sample("TX8S2BZM", "Look here", .green, "#5fb236", "page 4", "Why?", "signs", 60),
        sample("C", "And there", .pink, "#ff6666", "page xii", "", "old", 0),
      ], skipped: 1),
    ImportExample(
      "something else", input: "[{\"type\": \"Annotation\", \"id\": \"a\"}]", records: nil),
  ]

  private static func sample(
    _ id: String, _ quote: String, _ color: HighlightColor, _ written: String, _ page: String,
    _ note: String, _ tag: String, _ later: Double
  ) -> AnnotationRecord {
    var record = AnnotationRecord(
      id: id, quote: quote, source: "", title: "", color: color, note: note, tags: [tag],
      created: Date(timeIntervalSince1970: 1_674_799_006),
      updated: Date(timeIntervalSince1970: 1_674_799_006 + later))
    record.location = page
    record.sourceColor = written
    return record
  }

  /// Creates the importer, which has no state.
  public init() {}

  /// Returns whether the file is JSON with the keys of this format.
  public func recognizes(_ source: ImportSource) -> Bool {
    JSONValue(source.bytes).flatMap(Self.annotations) != nil
  }

  private static func annotations(_ value: JSONValue) -> [JSONValue]? {
    guard let list = value["annotations"].list ?? value.list, !list.isEmpty else { return nil }
    let isZotero = list.allSatisfy { item in
      let keys = item.keys
      return keys.isSuperset(of: ["type", "position", "id"])
        && !keys.isDisjoint(with: ["sortIndex", "pageLabel"])
        || item["data"].keys.contains("annotationType")
    }
    return isZotero ? list : nil
  }

  /// Reads the records. Annotations other than highlighted or underlined text are skipped.
  ///
  /// - Throws: `ImportError` if the file isn't in this format.
  public func read(_ source: ImportSource) throws(ImportError) -> ImportContent {
    guard let annotations = JSONValue(source.bytes).flatMap(Self.annotations) else {
      throw ImportError("not annotations of Zotero")
    }
    var content = ImportContent(records: [])
    for item in annotations {
      let data = item["data"]
      func value(_ plain: String, _ ofItem: String) -> JSONValue {
        let plainValue = item[plain]
        return if case .null = plainValue { data[ofItem] } else { plainValue }
      }
      let id = item[["id", "key"]].text
      let type = value("type", "annotationType").text
      let quote = value("text", "annotationText").text
      guard ["highlight", "underline"].contains(type), !quote.trimmed.isEmpty else {
        content.skipped.append(
          "\(id)\(type.isEmpty ? "" : ", a mark of type \(type),") is not marked text")
        continue
      }
      var record = AnnotationRecord(
        id: id, quote: quote, source: "", title: value("title", "parentTitle").text, color: .yellow,
        note: value("comment", "annotationComment").text,
        tags: value("tags", "tags").values.map { $0[["name", "tag"]].text })
      record.setColor(value("color", "annotationColor").text)
      let page = value("pageLabel", "annotationPageLabel").text
      record.location = location(page.isEmpty ? nil : "page \(page)")
      record.setDates(
        WrittenDate(value("dateCreated", "dateAdded").text),
        WrittenDate(value("dateModified", "dateModified").text))
      content.records.append(record)
    }
    return content
  }
}
