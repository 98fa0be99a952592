import FoundationEssentials
public import Interchange
import Model

/// Reads the files that KOReader stores next to a book, such as `metadata.epub.lua`. They contain
/// `annotations` since 2024; before that, `bookmarks` and `highlight`.
public struct KOReaderMetadata: Importer {
  /// The id, which selects the format: `diple import --from koreader`.
  public static let id = "koreader"
  /// The name of the format in messages.
  public static let name = "KOReader highlights"
  /// The description that `diple strategies` prints.
  public static let summary = "metadata.*.lua, which KOReader keeps beside a book"
  /// Examples, which are also the tests.
  public static let examples = [
    ImportExample(
      "annotations",
      input: """
        -- we can read Lua syntax here!
        return {
            ["annotations"] = {
                [1] = {
                    ["chapter"] = "One",
                    ["color"] = "blue",
                    ["datetime"] = "2023-01-27 05:56:46",
                    ["drawer"] = "lighten",
                    ["note"] = "Why?",
                    ["page"] = "/body/DocFragment[3]/body/p[1]/text().0",
                    ["pageno"] = 12,
                    ["pos0"] = "/body/DocFragment[3]/body/p[1]/text().0",
                    ["pos1"] = "/body/DocFragment[3]/body/p[1]/text().9",
                    ["text"] = "Look\\
        here",
                },
                [2] = {
                    ["datetime"] = "2023-01-27 05:57:46",
                    ["page"] = "/body/DocFragment[3]/body/p[1]/text().0",
                    ["text"] = "in One",
                },
            },
            ["doc_props"] = { ["authors"] = "Ann Reed", ["title"] = "On signs" },
            ["partial_md5_checksum"] = "d41d8cd98f00b204e9800998ecf8427e",
        }
        """,
      records: [
        sample(
          "Look\nhere", .blue, "page 12 · One", note: "Why?",
          id: "d41d8cd98f00b204e9800998ecf8427e /body/DocFragment[3]/body/p[1]/text().0 "
            + "/body/DocFragment[3]/body/p[1]/text().9")
      ], skipped: 1),
    ImportExample(
      "bookmarks of older versions, with the note in `text` and the quote in `notes`",
      input: """
        return {
          bookmarks = {
            [1] = {datetime = "2023-01-27 05:56:46", highlighted = true, notes = "Look here",
                   page = 12, pos0 = "a", pos1 = "b", text = "Why?"},
            [2] = {datetime = "2023-01-27 05:56:46", highlighted = true, notes = "And there",
                   page = "12", pos0 = "c", pos1 = "d",
                   text = "Page 12 And there @ 2023-01-27 05:56:46"}},
          doc_props = {authors = "Ann Reed", title = "On signs"}}
        """,
      records: [
        sample("Look here", .yellow, "page 12", note: "Why?", id: "On signs a b"),
        sample("And there", .yellow, "page 12", note: "", id: "On signs c d"),
      ]),
    ImportExample("a program", input: "return os.execute('true')", records: nil),
  ]

  private static func sample(
    _ quote: String, _ color: HighlightColor, _ location: String, note: String, id: String
  ) -> AnnotationRecord {
    let date = Date(timeIntervalSince1970: 1_674_799_006)
    var record = AnnotationRecord(
      id: id, quote: quote, source: "", title: "On signs", color: color, note: note,
      created: date, updated: date)
    record.author = "Ann Reed"
    record.location = location
    record.sourceColor = color == .blue ? "blue" : ""
    record.hasLocalDates = true
    return record
  }

  /// Creates the importer, which has no state.
  public init() {}

  /// Returns whether the file is a Lua table with annotations, bookmarks or highlights. Returns
  /// true for an invalid table in a `.lua` file too, so that ``read(_:)`` reports its error.
  public func recognizes(_ source: ImportSource) -> Bool {
    let start = String(decoding: source.bytes.prefix(512), as: UTF8.self)
    guard source.path.hasSuffix(".lua") || start.hasPrefix("--") || start.hasPrefix("return") else {
      return false
    }
    guard let table = try? LuaValue(reading: source.bytes) else {
      return source.path.hasSuffix(".lua")
    }
    return Self.isMetadata(table)
  }

  private static func isMetadata(_ table: LuaValue) -> Bool {
    ["annotations", "bookmarks", "highlight"].contains { table[$0].isTable }
  }

  /// Reads the records. Bookmarks and highlights without text are skipped.
  ///
  /// - Throws: `ImportError` with the line if the file isn't a Lua table or has no annotations.
  public func read(_ source: ImportSource) throws(ImportError) -> ImportContent {
    let table: LuaValue
    do throws(LuaValue.Problem) { table = try LuaValue(reading: source.bytes) } catch {
      throw ImportError("line \(error.line): not a table of KOReader: \(error.reason)")
    }
    guard Self.isMetadata(table) else { throw ImportError("it contains no annotations") }
    var content = ImportContent(records: [])
    let book = Book(table, path: source.path)
    let bookmarks: Int
    if table["annotations"].isTable {
      bookmarks = book.read(table["annotations"], &content)
    } else {
      bookmarks = book.readOld(table, &content)
    }
    if bookmarks > 0 {
      content.skipped.append(bookmarks == 1 ? "a bookmark" : "\(bookmarks) bookmarks")
    }
    return content
  }

  private struct Book {
    var title: String
    var author: String
    /// The beginning of the highlights' ids: the checksum of the book, or else its title.
    var name: String

    init(_ table: LuaValue, path: String) {
      let properties = table["doc_props"].isTable ? table["doc_props"] : table["stats"]
      title = properties["title"].text
      author = properties["authors"].text.split(separator: "\n").joined(separator: ", ")
      let file = table["doc_path"].text.isEmpty ? path : table["doc_path"].text
      if title.isEmpty, let last = file.split(separator: "/").last {
        title = String(last.prefix { $0 != "." })
      }
      let sum = table["partial_md5_checksum"].text
      name = sum.isEmpty ? title : sum
    }

    /// Reads the current format. Returns the number of bookmarks.
    func read(_ annotations: LuaValue, _ content: inout ImportContent) -> Int {
      var bookmarks = 0
      for annotation in annotations.values {
        guard !annotation["drawer"].text.isEmpty else {
          bookmarks += 1
          continue
        }
        add(
          annotation["text"].text, note: annotation["note"].text, annotation, annotation,
          &content)
      }
      return bookmarks
    }

    /// Reads the format of older versions, in which notes are stored with bookmarks and colours
    /// with highlights. Returns the number of bookmarks.
    func readOld(_ table: LuaValue, _ content: inout ImportContent) -> Int {
      var styles: [String: [(page: Int, value: LuaValue)]] = [:]
      for (page, highlights) in table["highlight"].numbered {
        for highlight in highlights.values {
          styles[highlight["text"].text, default: []].append((page, highlight))
        }
      }
      var bookmarks = 0
      for bookmark in table["bookmarks"].values {
        guard bookmark["highlighted"].flag else {
          bookmarks += 1
          continue
        }
        let quote = bookmark["notes"].text
        let alike = styles[quote, default: []].prefix(8)
        let place = alike.firstIndex { $0.value["pos0"].place == bookmark["pos0"].place }
        let style = (place ?? alike.indices.first).map { styles[quote]?.remove(at: $0).value }
        let note = bookmark["text"].text
        add(
          quote, note: Self.isAutomatic(note) ? "" : note, bookmark, (style ?? nil) ?? .none,
          &content)
      }
      for (page, highlight) in styles.values.joined().sorted(by: { $0.page < $1.page }) {
        add(
          highlight["text"].text, note: "", highlight, highlight, page: String(page), &content)
      }
      return bookmarks
    }

    /// Returns whether KOReader generated a text, in any language, such as "Page 13 Look here @
    /// 2023-01-27 05:56:46".
    private static func isAutomatic(_ text: String) -> Bool {
      guard let mark = text.lastIndex(of: "@") else { return text.isEmpty }
      let date = text[text.index(after: mark)...]
      return date.count < 32 && WrittenDate(String(date)) != nil
    }

    private func add(
      _ quote: String, note: String, _ item: LuaValue, _ style: LuaValue, page: String? = nil,
      _ content: inout ImportContent
    ) {
      guard !quote.trimmed.isEmpty else {
        content.skipped.append("a highlight of \(title) at \(item["datetime"].text) has no text")
        return
      }
      var record = AnnotationRecord(
        id: "", quote: quote, source: "", title: title, color: .yellow, note: note)
      record.author = author
      // In books without page numbers, `page` is a path.
      let pages = [item["pageno"].text, item["page"].text, page ?? ""]
      let number = pages.first { !$0.isEmpty && !$0.hasPrefix("/") }
      record.location = location(number.map { "page \($0)" }, item["chapter"].text)
      let ends = [item["pos0"], item["pos1"]].map(\.place)
      if !ends[0].isEmpty { record.id = ([name] + ends).joined(separator: " ") }
      if !style["color"].text.isEmpty { record.setColor(style["color"].text) }
      record.setDates(
        WrittenDate(item["datetime"].text), WrittenDate(item["datetime_updated"].text))
      content.records.append(record)
    }
  }
}

extension LuaValue {
  /// The position of one end of a highlight: a path in a book, or a point on a page of a PDF.
  fileprivate var place: String {
    guard isTable else { return text }
    return ["page", "x", "y"].map { self[$0].text }.joined(separator: ",")
  }
}
