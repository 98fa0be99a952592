public import Interchange
import Model

/// Reads the document in which Google Play Books keeps the notes and highlights of a book in Google
/// Drive, downloaded as a Word document (.docx).
public struct GooglePlayBooks: Importer {
  /// The id, which selects the format: `diple import --from play-books`.
  public static let id = "play-books"
  /// The name of the format in messages.
  public static let name = "Google Play Books notes"
  /// The description that `diple strategies` prints.
  public static let summary = "the document of Google Play Books in Google Drive (.docx)"
  /// An example of a file in another format. Documents are in the tests.
  public static let examples = [
    ImportExample("not a document", input: "PK\u{3}\u{4}word/document.xml", records: nil)
  ]

  /// Creates the importer, which has no state.
  public init() {}

  /// Returns whether the file is a Word document that mentions Google's books and has an entry.
  public func recognizes(_ source: ImportSource) -> Bool {
    Self.markup(of: source).map { !Notes($0).entries.isEmpty } ?? false
  }

  /// The maximum size of the document's markup in bytes.
  private static let limit = 32 << 20

  /// Returns the markup of a document that mentions Google's books, in its text or in a link; nil
  /// for other files.
  private static func markup(of source: ImportSource) -> String? {
    guard let file = ZipFile(source.bytes),
      let markup = file.content(of: "word/document.xml", limit: limit)
    else { return nil }
    let links = file.content(of: "word/_rels/document.xml.rels", limit: limit) ?? []
    let isGoogle =
      markup.contains(Array("Play Books".utf8))
      || ["play.google.com/books", "play.google.com/store/books", "books.google."].contains {
        links.contains(Array($0.utf8))
      }
    return isGoogle ? String(decoding: markup, as: UTF8.self) : nil
  }

  /// A paragraph of the document.
  private struct Paragraph {
    var text = ""
    /// The level of the heading; 0 for other paragraphs.
    var level = 0
    /// The colour behind the text, as `rrggbb`; empty for none.
    var fill = ""
    /// The number of the outermost table that contains the paragraph, from 1; 0 outside of tables.
    var table = 0
  }

  /// An entry of the document: a highlight, or a note without one.
  private struct Entry {
    var chapter: String
    var quote = ""
    var fill = ""
    var note: [String] = []
    var page = ""
    var date: WrittenDate?
  }

  private struct Notes {
    var title = ""
    var author = ""
    var entries: [Entry] = []

    init(_ markup: String) {
      let paragraphs = Self.paragraphs(markup)
      var chapter = ""
      var table = 0
      var open: Entry?
      // The first table has the title, and below it the author and the publisher.
      let first = paragraphs.first { $0.level == 1 }
      title = first?.text ?? ""
      for paragraph in paragraphs {
        if paragraph.level > 1 { chapter = paragraph.text }
        if paragraph.table != table {
          end(&open)
          table = paragraph.table
        }
        guard table > 0, paragraph.level == 0 else { continue }
        if table == first?.table {
          if author.isEmpty { author = paragraph.text }
          continue
        }
        var entry = open ?? Entry(chapter: chapter)
        if !paragraph.fill.isEmpty {
          entry.quote += (entry.quote.isEmpty ? "" : "\n") + paragraph.text
          entry.fill = paragraph.fill
        } else if entry.date == nil, paragraph.text.count < 40,
          let date = ClippingHead.date(in: paragraph.text.lowercased())
        {
          entry.date = date
        } else if entry.date != nil {
          entry.page = paragraph.text
        } else {
          entry.note.append(paragraph.text)
        }
        open = entry
      }
      end(&open)
    }

    /// Adds an entry. Only entries have a date; the other tables are warnings.
    private mutating func end(_ entry: inout Entry?) {
      if let entry, entry.date != nil { entries.append(entry) }
      entry = nil
    }

    private static func paragraphs(_ markup: String) -> [Paragraph] {
      var found: [Paragraph] = []
      var paragraph = Paragraph()
      var (tables, depth) = (0, 0)
      var (isText, isRun) = (false, false)
      var (runText, runFill) = ("", "")
      for token in HTMLTokens(markup) {
        switch token {
        case .text(let words): if isText { runText += HTMLScan.unescaped(words) }
        case .start("w:tbl", _):
          depth += 1
          if depth == 1 { tables += 1 }
        case .end("w:tbl"): depth = max(0, depth - 1)
        case .start("w:p", _): paragraph = Paragraph(table: depth > 0 ? tables : 0)
        case .end("w:p"):
          paragraph.text = paragraph.text.trimmed
          if !paragraph.text.isEmpty { found.append(paragraph) }
          paragraph = Paragraph()
        case .start("w:pstyle", let tag):
          let style = HTMLTokens.attribute("w:val", of: tag)?.lowercased() ?? ""
          if style == "title" { paragraph.level = 1 }
          if style.hasPrefix("heading") { paragraph.level = Int(style.dropFirst(7)) ?? 0 }
        case .start("w:r", _): (isRun, runText, runFill) = (true, "", "")
        case .end("w:r"):
          paragraph.text += runText
          if !runText.trimmed.isEmpty, !runFill.isEmpty { paragraph.fill = runFill }
          (isRun, runText) = (false, "")
        case .start("w:shd", let tag):
          let fill = HTMLTokens.attribute("w:fill", of: tag)?.lowercased() ?? ""
          if isRun, fill.utf8.count == 6, fill != "ffffff" { runFill = fill }
        case .start("w:t", let tag): isText = !tag.hasSuffix("/")
        case .end("w:t"): isText = false
        case .start("w:br", _), .start("w:tab", _): runText += " "
        default: break
        }
      }
      return found
    }
  }

  /// Reads the records. Notes without a highlight are notes on the book.
  ///
  /// - Throws: `ImportError` if the file is not a document of Google Play Books.
  public func read(_ source: ImportSource) throws(ImportError) -> ImportContent {
    guard let notes = Self.markup(of: source).map(Notes.init), !notes.entries.isEmpty else {
      throw ImportError("not a document of Google Play Books")
    }
    let title = notes.title.isEmpty ? source.title : notes.title
    var content = ImportContent(records: [])
    for entry in notes.entries {
      let place = location(entry.page.isEmpty ? nil : "page \(entry.page)", entry.chapter)
      let note = entry.note.joined(separator: "\n\n")
      if entry.quote.isEmpty {
        // A bookmark has neither a highlight nor a note.
        if note.isEmpty {
          content.skipped.append("a bookmark at \(place.isEmpty ? title : place)")
        } else {
          content.notes.append(
            SeparateNote(title: title, author: notes.author, location: place, text: note))
        }
        continue
      }
      var record = AnnotationRecord(
        id: "", quote: entry.quote, source: "", title: title, color: .yellow, note: note)
      record.author = notes.author
      record.location = place
      record.setColor("#" + entry.fill)
      record.setDates(entry.date)
      content.records.append(record)
    }
    return content
  }
}
