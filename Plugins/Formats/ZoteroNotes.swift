public import Interchange
import Model

/// Reads notes that Zotero makes from annotations and exports as Markdown with links to Zotero.
public struct ZoteroNotes: Importer {
  /// The id, which selects the format: `diple import --from zotero-notes`.
  public static let id = "zotero-notes"
  /// The name of the format in messages.
  public static let name = "Zotero notes"
  /// The description that `diple strategies` prints.
  public static let summary = "notes of Zotero as Markdown, with links to Zotero"
  /// Examples, which are also the tests.
  public static let examples = [
    ImportExample(
      "two annotations of a work, and own words",
      input: """
        # Annotations
        (1/27/2023, 5:56:46 AM)

        “Look “here”” ([Reed, 2020, p. 3](zotero://select/library/items/W)) ([pdf](zotero://open-pdf/library/items/F?page=5&annotation=TX8S2BZM)) Why?

        Own words.

        “And there” ([Reed, 2020, p. xii](zotero://select/groups/1/items/W)) ([snapshot](zotero://open/library/items/F?annotation=AB12CD34))

        """,
      records: [
        sample("TX8S2BZM", "Look “here”", "3", "Why?"), sample("AB12CD34", "And there", "xii", ""),
      ]
    ),
    ImportExample(
      "something else", input: "“Look here” ([Reed](https://example.org)) Why?\n", records: nil),
  ]

  private static func sample(_ id: String, _ quote: String, _ page: String, _ note: String)
    -> AnnotationRecord
  {
    var record = AnnotationRecord(
      id: id, quote: quote, source: "", title: "Reed, 2020", color: .yellow, note: note)
    record.location = "page \(page)"
    return record
  }

  /// Creates the importer, which has no state.
  public init() {}

  /// Returns whether the file has an annotation with a link to Zotero.
  public func recognizes(_ source: ImportSource) -> Bool {
    source.bytes.contains(Array("](zotero://open".utf8)) && (try? read(source)) != nil
  }

  /// Reads the records: paragraphs of a quote, its citation, a link to the annotation, and a comment.
  /// The title is the citation without the page, because a note lacks the titles of works.
  ///
  /// - Throws: `ImportError` if the file has no annotation.
  public func read(_ source: ImportSource) throws(ImportError) -> ImportContent {
    let records = source.text.split(whereSeparator: \.isNewline).compactMap(Self.record)
    guard !records.isEmpty else { throw ImportError("not a note of Zotero with annotations") }
    return ImportContent(records: records)
  }

  private static func record(_ line: Substring) -> AnnotationRecord? {
    let marks: [Character: Character] = ["“": "”", "\"": "\"", "«": "»", "„": "“", "‘": "’"]
    guard let first = line.first(where: { !$0.isWhitespace }), let last = marks[first],
      let start = line.firstIndex(of: first), let link = line.firstRange(of: "](zotero://open"),
      let cited = line.firstRange(of: " (["), cited.lowerBound < link.lowerBound
    else { return nil }
    let words = line[line.index(after: start)..<cited.lowerBound]
    guard words.last == last else { return nil }
    let quote = words.dropLast().trimmed
    let target = line[link.upperBound...].prefix { $0 != ")" }
    let query = target.firstRange(of: "annotation=").map { target[$0.upperBound...] }
    let id = query?.prefix { $0.isLetter || $0.isNumber } ?? ""
    guard !quote.isEmpty, !id.isEmpty else { return nil }
    let comment = line[target.endIndex...].drop { $0 == ")" }
    // "Reed, 2020, p. 3"
    var citation = line[cited.upperBound...].prefix { $0 != "]" }
    var page: Substring = ""
    if let comma = citation.lastIndex(of: ","), let dot = citation[comma...].lastIndex(of: ".") {
      page = citation[citation.index(after: dot)...]
      citation = citation[..<comma]
    }
    var record = AnnotationRecord(
      id: String(id), quote: quote, source: "", title: citation.trimmed, color: .yellow,
      note: comment.trimmed)
    record.location = location(page.isEmpty ? nil : "page \(page.trimmed)")
    return record
  }
}
