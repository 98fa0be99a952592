import FoundationEssentials
public import Interchange
import Model

/// Reads the annotations of PDF files: highlighted, underlined and struck text with its notes, and
/// notes beside a line. The program `diple-pdf` returns them as JSON.
public struct PDFAnnotations: Importer {
  /// The id, which selects the format: `diple import --from pdf`.
  public static let id = "pdf"
  /// The name of the format in messages.
  public static let name = "PDF annotations"
  /// The description that `diple strategies` prints.
  public static let summary = "PDF files: marked text and notes"
  /// Examples, which are also the tests.
  public static let examples = [
    ImportExample(
      "a mark with a note, and one without a name",
      input: """
        {"format": "diple.pdf-annotations/1", "title": "On signs", "author": "Ann Reed",
         "textDigest": "7d1c", "fileID": "a0",
         "skipped": ["a drawing on page 2"], "annotations": [
         {"id": "okular-1", "quote": "Look here", "prefix": "Do not. ", "suffix": " And there",
          "note": "Why?", "color": "#00ff00", "page": "iv", "changed": "D:20230127055646+01'00'"},
         {"id": "", "quote": "Once", "prefix": "", "suffix": "", "note": "", "color": "",
          "page": "2", "changed": ""}]}
        """,
      records: [
        sample("iv/okular-1", "Look here", .green, "page iv"),
        sample("", "Once", .yellow, "page 2"),
      ], skipped: 1),
    ImportExample(
      "a highlight that Diple wrote, on two pages",
      input: """
        {"format": "diple.pdf-annotations/1", "title": "On signs", "author": "Ann Reed",
         "textDigest": "7d1c", "fileID": "a0", "skipped": [], "annotations": [
         {"id": "urn:diple:42-9f3c", "quote": "Look", "prefix": "Do not. ", "suffix": "",
          "note": "*Why*?\\n#signs, #to read", "color": "#a6e8b4", "page": "1",
          "changed": "D:20230127045646Z"},
         {"id": "urn:diple:42-9f3c/2", "quote": "here", "prefix": "", "suffix": " And there",
          "note": "", "color": "#a6e8b4", "page": "2", "changed": "D:20230127045646Z"}]}
        """, records: [own]),
    ImportExample(
      "a highlight that Diple wrote, whose page has the number of a footnote",
      input: """
        {"format": "diple.pdf-annotations/1", "title": "On signs", "author": "Ann Reed",
         "textDigest": "7d1c", "fileID": "a0", "skipped": [], "annotations": [
         {"id": "urn:diple:42-9f3c", "quote": "Look1 here", "prefix": "Do not.", "suffix": "",
          "note": "*Why*?\\n#signs, #to read", "color": "#a6e8b4", "page": "1",
          "changed": "D:20230127045646Z", "original": {"quote": "Look here",
          "prefix": "Do not. ", "suffix": " And there", "note": "#signs", "color": "#fff36d"}},
         {"id": "urn:diple:42-9f3c/2", "quote": "here", "prefix": "", "suffix": "", "note": "",
          "color": "#a6e8b4", "page": "2", "changed": ""}]}
        """, records: [changed]),
    ImportExample("something else", input: "{\"annotations\": []}", records: nil),
  ]

  private static var own: AnnotationRecord {
    var record = AnnotationRecord(
      id: "urn:diple:42-9f3c", quote: "Look here", prefix: "Do not. ", suffix: " And there",
      source: "", title: "On signs", color: .green, note: "*Why*?", tags: ["signs", "to read"])
    record.author = "Ann Reed"
    record.location = "page 1"
    record.created = Date(timeIntervalSince1970: 1_674_795_406)
    record.updated = record.created
    return record
  }

  private static var changed: AnnotationRecord {
    var record = own
    record.written = WrittenValues(color: .yellow, note: "", tags: ["signs"])
    return record
  }

  private static func sample(
    _ id: String, _ quote: String, _ color: HighlightColor, _ page: String
  ) -> AnnotationRecord {
    var record = AnnotationRecord(
      id: id, quote: quote, source: "", title: "On signs", color: color)
    record.author = "Ann Reed"
    record.location = page
    record.isColorKnown = !id.isEmpty
    record.idScopes = ["7d1c", "a0"]
    guard record.isColorKnown else { return record }
    (record.prefix, record.suffix) = ("Do not. ", " And there")
    record.note = "Why?"
    record.sourceColor = "#00ff00"
    record.created = Date(timeIntervalSince1970: 1_674_795_406)
    record.updated = record.created
    return record
  }

  /// Creates the importer, which has no state.
  public init() {}

  /// Returns whether the file is the JSON of `diple-pdf`.
  public func recognizes(_ source: ImportSource) -> Bool {
    JSONValue(source.bytes)?["format"].text == "diple.pdf-annotations/1"
  }

  /// Reads the records.
  ///
  /// - Throws: `ImportError` if the file isn't in this format.
  public func read(_ source: ImportSource) throws(ImportError) -> ImportContent {
    guard recognizes(source), let list = JSONValue(source.bytes) else {
      throw ImportError("not annotations of a PDF file")
    }
    let written = list["title"].text.trimmed
    let title = written.isEmpty ? source.path.stem : written
    // Names such as fitz-A0 are in many files.
    let scopes = [list["textDigest"].text, list["fileID"].text].filter { !$0.isEmpty }
    var records: [AnnotationRecord] = []
    // The highlights that Diple wrote, and whether the file has all words of their passages.
    var own: [String: (index: Int, isWhole: Bool)] = [:]
    for annotation in list["annotations"].values {
      let (name, page) = (annotation["id"].text, annotation["page"].text)
      var record = AnnotationRecord(
        // Names are unique on a page only.
        id: name.isEmpty ? "" : "\(page)/\(name)", quote: annotation["quote"].text,
        prefix: annotation["prefix"].text, suffix: annotation["suffix"].text, source: "",
        title: title, color: .yellow, note: annotation["note"].text)
      record.author = list["author"].text.trimmed
      record.idScopes = scopes
      let color = annotation["color"].text
      if color.isEmpty { record.isColorKnown = false } else { record.setColor(color) }
      record.location = location(page.isEmpty ? nil : "page \(page)")
      record.setDates(WrittenDate(pdf: annotation["changed"].text))
      if name.hasPrefix("urn:diple:") {
        record.readOwn(name, annotation["original"])
        if let first = own[record.id] {
          // The highlight continues on another page.
          if !first.isWhole {
            records[first.index].quote += " " + record.quote
            records[first.index].suffix = record.suffix
          }
          continue
        }
        own[record.id] = (records.count, annotation["original"] != .null)
      }
      records.append(record)
    }
    return ImportContent(records: records, skipped: list["skipped"].values.map(\.text))
  }
}

extension AnnotationRecord {
  /// Reads the values of an annotation that Diple wrote: the id, which is the same in every file,
  /// and the tags, which are in the last line of the note.
  ///
  /// - Parameters:
  ///   - name: the annotation's name, which ends with `/2` on the second page of a highlight.
  ///   - original: the highlight as Diple wrote it; `null` if the file does not have it.
  fileprivate mutating func readOwn(_ name: String, _ original: JSONValue) {
    id = String(name.prefix { $0 != "/" })
    if !original["quote"].text.isEmpty {
      quote = original["quote"].text
      (prefix, suffix) = (original["prefix"].text, original["suffix"].text)
    }
    idScopes = []
    let before = original["note"].text
    // White space at the ends of a text is not read from pages.
    let content = TaggedNote(before.trimmed == note.trimmed ? before : note)
    (note, tags) = (content.note, content.tags)
    // It is only another notation of `color`.
    sourceColor = ""
    if let color = UInt32(original["color"].text.dropFirst(), radix: 16) {
      let content = TaggedNote(before)
      written = WrittenValues(
        color: HighlightColor(nearest: color), note: content.note, tags: content.tags)
    }
  }
}

extension WrittenDate {
  /// Parses a date of a PDF file: `D:20230127055646+01'00'`, complete or only its leading parts; nil
  /// for other text.
  fileprivate init?(pdf text: String) {
    let rest = text.hasPrefix("D:") ? text.dropFirst(2) : text[...]
    let digits = rest.prefix { $0.isASCII && $0.isNumber }
    guard [4, 6, 8, 10, 12, 14].contains(digits.count) else { return nil }
    var parts = digits.dropFirst(4).utf8.map { Int($0 - 0x30) }
    var numbers: [Int] = []
    while parts.count >= 2 {
      numbers.append(parts[0] * 10 + parts[1])
      parts.removeFirst(2)
    }
    func part(_ index: Int, _ missing: Int) -> Int {
      index < numbers.count ? numbers[index] : missing
    }
    let zone = rest.dropFirst(digits.count).split { !$0.isASCII || !$0.isNumber }
      .prefix(2).compactMap { Int($0) }
    let offset: Int? =
      switch rest.dropFirst(digits.count).first {
      case "Z": 0
      case "+": (zone.first ?? 0) * 3600 + (zone.dropFirst().first ?? 0) * 60
      case "-": -((zone.first ?? 0) * 3600 + (zone.dropFirst().first ?? 0) * 60)
      default: nil
      }
    self.init(
      year: Int(digits.prefix(4))!, month: part(0, 1), day: part(1, 1), hour: part(2, 0),
      minute: part(3, 0), second: part(4, 0), offset: offset)
  }
}

extension String {
  /// The name of a file without its folder and extension; empty for an empty path.
  fileprivate var stem: String {
    let name = split(separator: "/").last ?? ""
    return String(name.lastIndex(of: ".").map { name[..<$0] } ?? name)
  }
}
