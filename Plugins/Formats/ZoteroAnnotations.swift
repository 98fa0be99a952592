import FoundationEssentials
public import Interchange
import Model

/// Reads annotations and notes of Zotero: JSON exported from its reader, and items of its API. If the
/// items contain the works, too, their titles and authors are used.
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
      "items of the API with their work: a highlight, a note on a picture, a text and an attachment",
      input: """
        [{"key": "W", "data": {"key": "W", "itemType": "book", "title": "On signs",
          "url": "https://example.org/signs", "creators": [
            {"creatorType": "author", "firstName": "Ann", "lastName": "Reed"},
            {"creatorType": "translator", "name": "B"}]}},
         {"key": "F", "data": {"itemType": "attachment", "parentItem": "W", "title": "PDF"}},
         {"key": "H", "data": {"itemType": "annotation", "parentItem": "F",
          "annotationType": "highlight", "annotationText": "Look here", "annotationComment": "",
          "annotationColor": "#ffd400", "annotationPageLabel": "4", "tags": [],
          "dateAdded": "2023-01-27T05:56:46Z", "dateModified": "2023-01-27T05:56:46Z"}},
         {"key": "T", "data": {"itemType": "annotation", "parentItem": "F",
          "annotationType": "text", "annotationText": "", "annotationComment": "Typed",
          "annotationPageLabel": "5"}},
         {"key": "N", "data": {"itemType": "note", "parentItem": "W",
          "note": "<div><p>Read <b>again</b></p></div>"}}]
        """,
      records: [ofWork]),
    ImportExample(
      "an export of Better BibTeX",
      input: """
        {"config": {"label": "BetterBibTeX JSON"}, "items": [
          {"itemType": "book", "itemKey": "W", "title": "On signs", "url": "https://example.org/signs",
           "creators": [{"creatorType": "author", "firstName": "Ann", "lastName": "Reed"}],
           "notes": [{"key": "N", "note": "<p>Again</p>"}],
           "attachments": [{"path": "signs.pdf", "annotations": [
             {"key": "H", "annotationType": "highlight", "annotationText": "Look here",
              "annotationColor": "#ffd400", "annotationPageLabel": "4",
              "dateModified": "2023-01-27T05:56:46Z"}, {"annotationType": "ink"}]}]}]}
        """,
      records: [ofWork], skipped: 1),
    ImportExample("a bibliography", input: "{\"items\": [{\"itemType\": \"book\"}]}", records: nil),
    ImportExample(
      "something else", input: "[{\"type\": \"Annotation\", \"id\": \"a\"}]", records: nil),
  ]

  private static let ofWork: AnnotationRecord = {
    var record = sample("H", "Look here", .yellow, "#ffd400", "page 4", "", "", 0)
    (record.title, record.author, record.tags) = ("On signs", "Reed, Ann", [])
    record.source = "https://example.org/signs"
    return record
  }()

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

  /// Returns the annotations and items of a file in the form of the reader or the API; nil for other
  /// files.
  private static func annotations(_ value: JSONValue) -> [JSONValue]? {
    if let items = value["items"].list { return flattened(items) }
    guard var list = value["annotations"].list ?? value.list, !list.isEmpty else { return nil }
    // Some programs write the data of the API's items only.
    list = list.map { $0.keys.contains("itemType") ? item($0["key"].text, $0) : $0 }
    // Items of the API can be works and attachments, too.
    let isZotero = list.allSatisfy { item in
      let keys = item.keys
      return keys.isSuperset(of: ["type", "position", "id"])
        && !keys.isDisjoint(with: ["sortIndex", "pageLabel"])
        || item["data"].keys.contains("itemType") || item["data"].keys.contains("annotationType")
    }
    return isZotero && list.contains(where: isNoted) ? list : nil
  }

  /// Whether an item is an annotation or a note.
  private static func isNoted(_ item: JSONValue) -> Bool {
    item.keys.contains("type") || item["data"].keys.contains("annotationType")
      || item["data"]["itemType"].text == "note"
  }

  private static func item(_ key: String, _ data: JSONValue) -> JSONValue {
    .object(["key": .text(key), "data": data])
  }

  /// Returns the items of an export of Better BibTeX, in which works contain their notes and
  /// attachments, and these their annotations; nil for other files.
  private static func flattened(_ works: [JSONValue]) -> [JSONValue]? {
    guard !works.isEmpty, works.allSatisfy({ $0.keys.contains("itemType") }) else { return nil }
    var items: [JSONValue] = []
    func add(_ part: JSONValue, _ type: String, of parent: String) {
      guard case .object(var data) = part else { return }
      (data["itemType"], data["parentItem"]) = (.text(type), .text(parent))
      items.append(item(part[["key", "itemKey"]].text, .object(data)))
    }
    for (index, work) in works.enumerated() {
      // Keys are omitted on request.
      let key =
        work[["itemKey", "key"]].text.isEmpty ? "#\(index)" : work[["itemKey", "key"]].text
      items.append(item(key, work))
      for note in work["notes"].values { add(note, "note", of: key) }
      for attachment in work["attachments"].values {
        for annotation in attachment["annotations"].values {
          add(annotation, "annotation", of: key)
        }
      }
    }
    return items.contains(where: isNoted) ? items : nil
  }

  /// A work, or an attachment of a work.
  private struct Item {
    var parent: String
    var title: String
    var author: String
    var address: String

    init(_ data: JSONValue) {
      parent = data["parentItem"].text
      title = data[["title", "shortTitle"]].text
      let authors = data["creators"].values.filter {
        ["author", "editor", ""].contains($0["creatorType"].text)
      }
      let named = authors.contains { $0["creatorType"].text == "author" }
      author = authors.filter { !named || $0["creatorType"].text == "author" }.map { creator in
        let parts = [creator["lastName"].text, creator["firstName"].text]
        return creator["name"].text + parts.filter { !$0.isEmpty }.joined(separator: ", ")
      }.joined(separator: "; ")
      address = data["url"].text
    }
  }

  /// Returns a text without the tags of its bold, italic, lowered and raised words. All other marks
  /// are literal.
  private static func plain(_ text: String) -> String {
    text.contains("<") ? text.replacing(#/<\/?(?:b|i|sub|sup)>/#, with: "") : text
  }

  /// Returns the work to which an item belongs. A work without a parent is itself.
  private static func work(_ key: String, in items: [String: Item]) -> Item? {
    guard let item = items[key] else { return nil }
    return item.parent.isEmpty ? item : items[item.parent] ?? item
  }

  /// Reads the records. Notes, and comments on other marks than highlighted or underlined text, are
  /// notes on the document; marks without a comment are skipped.
  ///
  /// - Throws: `ImportError` if the file isn't in this format.
  public func read(_ source: ImportSource) throws(ImportError) -> ImportContent {
    guard let annotations = JSONValue(source.bytes).flatMap(Self.annotations) else {
      throw ImportError("not annotations of Zotero")
    }
    var items: [String: Item] = [:]
    for item in annotations {
      let data = item["data"]
      guard !["annotation", "note", ""].contains(data["itemType"].text) else { continue }
      items[item["key"].text] = Item(data)
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
      let kind = data["itemType"].text
      if items[id] != nil, type.isEmpty || kind != "annotation" { continue }
      let work = Self.work(data["parentItem"].text, in: items)
      let title = work?.title ?? value("title", "parentTitle").text
      let page = value("pageLabel", "annotationPageLabel").text
      let place = location(page.isEmpty ? nil : "page \(page)")
      let comment = Self.plain(value("comment", "annotationComment").text)
      let quote = Self.plain(value("text", "annotationText").text)
      let isMark = ["highlight", "underline"].contains(type)
      guard isMark, !quote.trimmed.isEmpty else {
        let text = kind == "note" ? HTMLScan.text(of: data["note"].text) : comment.trimmed
        if text.isEmpty {
          content.skipped.append(
            "a mark\(id.isEmpty ? "" : " \(id)")\(type.isEmpty ? "" : " of type \(type)") has no text"
          )
        } else {
          content.notes.append(
            SeparateNote(
              source: work?.address ?? "", title: title.isEmpty ? source.title : title,
              author: work?.author ?? "", location: place, text: text))
        }
        continue
      }
      var record = AnnotationRecord(
        id: id, quote: quote, source: work?.address ?? "", title: title, color: .yellow,
        note: comment, tags: value("tags", "tags").values.map { $0[["name", "tag"]].text })
      record.author = work?.author ?? ""
      record.setColor(value("color", "annotationColor").text)
      record.location = place
      record.setDates(
        WrittenDate(value("dateCreated", "dateAdded").text),
        WrittenDate(value("dateModified", "dateModified").text))
      content.records.append(record)
    }
    return content
  }
}
