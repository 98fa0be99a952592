import FoundationEssentials
public import Interchange
import Model

/// Reads `.mrexpt` files of Moon+ Reader: the highlights and notes of a book, each in 16 lines after
/// a line `#`.
public struct MoonReaderExport: Importer {
  /// The id, which selects the format: `diple import --from moon-reader`.
  public static let id = "moon-reader"
  /// The name of the format in messages.
  public static let name = "Moon+ Reader export"
  /// The description that `diple strategies` prints.
  public static let summary = "the .mrexpt file that Moon+ Reader exports"
  /// Examples, which are also the tests.
  public static let examples = [
    ImportExample(
      "a highlight with a note, a note, and a bookmark",
      input: """
        851272
        indent:true
        trim:false
        #
        5684
        On signs
        /sdcard/Books/signs.epub
        /sdcard/books/signs.epub
        2
        0
        5736
        9
        -16711936
        1674799006499

        Why?<BR>Why not?
        Look here
        0
        0
        0
        #
        5685
        On signs.epub
        /sdcard/Books/signs.epub
        /sdcard/books/signs.epub
        3
        0
        33512
        0
        -11184811
        1674799006000

        Alone

        0
        0
        0
        #
        5686
        On signs
        /sdcard/Books/signs.epub
        /sdcard/books/signs.epub
        3
        0
        33512
        0
        -11184811
        1674799006000
        (32.8%) And there


        0
        0
        0

        """,
      records: [sample], skipped: 1),
    ImportExample("something else", input: "indent:true\ntrim:false\n#\n1\n", records: nil),
  ]

  private static let sample: AnnotationRecord = {
    let date = Date(timeIntervalSince1970: 1_674_799_006)
    var record = AnnotationRecord(
      id: "", quote: "Look here", source: "", title: "On signs", color: .green,
      note: "Why?\nWhy not?", created: date, updated: date)
    record.location = "section 2 · position 5736"
    record.sourceColor = "#00ff00"
    return record
  }()

  /// Creates the importer, which has no state.
  public init() {}

  /// Returns whether the file begins like an export, with a number and two settings.
  public func recognizes(_ source: ImportSource) -> Bool {
    let start = String(decoding: source.bytes.prefix(256), as: UTF8.self)
    let lines = start.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    return lines.count > 3 && lines[1].hasPrefix("indent:") && lines[2].hasPrefix("trim:")
      && lines.contains("#")
  }

  /// The number of lines of an entry, after the line `#`.
  private static let size = 16

  /// Reads the records. Bookmarks are counted as skipped. Their ids are those of one device, so
  /// that highlights are recognised by their position and text.
  ///
  /// - Throws: `ImportError` if the file has no entries.
  public func read(_ source: ImportSource) throws(ImportError) -> ImportContent {
    let lines = source.text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    var content = ImportContent(records: [])
    var (bookmarks, count) = (0, 0)
    // The header of 3 lines can have an empty line after it.
    var index = recognizes(source) ? 3 : lines.count
    while index < lines.count {
      guard lines[index].trimmed == "#", index + Self.size < lines.count else {
        index += 1
        continue
      }
      let fields = Array(lines[index + 1...index + Self.size])
      // Other lines `#` are texts or notes.
      guard Int(fields[0]) != nil, Int(fields[8]) != nil, Int64(fields[9]) != nil else {
        index += 1
        continue
      }
      index += Self.size + 1
      count += 1
      let (note, quote) = (Self.plain(fields[11]), Self.plain(fields[12]))
      if quote.isEmpty {
        if note.isEmpty {
          bookmarks += 1
        } else {
          content.notes.append(
            SeparateNote(
              title: Self.title(fields[1]), location: "section \(fields[4])", text: note))
        }
        continue
      }
      var record = AnnotationRecord(
        id: "", quote: quote, source: "", title: Self.title(fields[1]), color: .yellow, note: note)
      record.location = location("section \(fields[4])", "position \(fields[6])")
      // The colour is a signed number of 32 bits: opacity, red, green, blue.
      let color = String((Int(fields[8]) ?? 0) & 0xFF_FFFF, radix: 16)
      record.setColor("#" + String(repeating: "0", count: 6 - color.count) + color)
      record.setDates(WrittenDate(secondsSince1970: Double(fields[9]).map { $0 / 1000 }))
      content.records.append(record)
    }
    guard count > 0 else { throw ImportError("not an export of Moon+ Reader") }
    if bookmarks > 0 {
      content.skipped.append(bookmarks == 1 ? "a bookmark" : "\(bookmarks) bookmarks")
    }
    return content
  }

  /// Returns a text with the line breaks that the file writes as `<BR>`.
  private static func plain(_ field: Substring) -> String {
    String(field).replacing("<BR>", with: "\n").trimmed
  }

  /// Returns the title of a book, which can be the name of its file.
  private static func title(_ field: Substring) -> String {
    let name = field.trimmed
    let ending = [".epub", ".pdf", ".mobi", ".txt", ".fb2"].first(
      where: name.lowercased().hasSuffix)
    return String(name.dropLast(ending?.count ?? 0))
  }
}
