public import Interchange
import Model

/// Reads `Notebook.html`, the page that the Kindle's apps export and send: the highlights and notes
/// of a book, with their chapters.
public struct KindleNotebook: Importer {
  /// The id, which selects the format: `diple import --from kindle-notebook`.
  public static let id = "kindle-notebook"
  /// The name of the format in messages.
  public static let name = "Kindle notebook"
  /// The description that `diple strategies` prints.
  public static let summary = "Notebook.html of a Kindle app"
  /// Examples, which are also the tests.
  public static let examples = [
    ImportExample(
      "a highlight with a note, one in a chapter, and a bookmark",
      input: """
        <?xml version="1.0" encoding="UTF-8"?><html><head><style>.noteText { x: y }</style>
        <title></title></head><body><div class="bodyContainer"><div class="notebookFor">Notebook
        for</div><div class="bookTitle">On signs</div><div class="authors">
        Reed, Ann
        </div><div class="citation"></div><hr/>
        <div class="sectionHeading">One &amp; two</div>
        <div class="noteHeading">Highlight (<span class="highlight_blue">blue</span>) - Page 4 · Location
        274</div><div class="noteText">Look here</div>
        <div class="noteHeading">Note - Page 4 · Location 275</div><div class="noteText">Why?</div>
        <h3 class='noteHeading'>Highlight(<span class='highlight_yellow'>yellow</span>) - 3. Hands &gt; Page
        29</div><div class='noteText'>And there</h3></div>
        <div class="noteHeading">Bookmark - Page 30 · Location 400</div><div class="noteText"></div>
        </div></body></html>
        """,
      records: [
        sample("Look here", .blue, "page 4 · location 274 · One & two", "Why?"),
        sample("And there", .yellow, "page 29 · 3. Hands", ""),
      ], skipped: 1),
    ImportExample(
      "something else", input: "<html><div class=\"noteText\">Look here</div></html>", records: nil),
  ]

  private static func sample(
    _ quote: String, _ color: HighlightColor, _ location: String, _ note: String
  ) -> AnnotationRecord {
    var record = AnnotationRecord(
      id: "", quote: quote, source: "", title: "On signs", color: color, note: note)
    record.author = "Reed, Ann"
    record.location = location
    record.sourceColor = color.rawValue
    return record
  }

  /// Creates the importer, which has no state.
  public init() {}

  /// Returns whether the page has the classes of a notebook.
  public func recognizes(_ source: ImportSource) -> Bool {
    let start = String(decoding: source.bytes.prefix(512), as: UTF8.self).lowercased()
    guard start.contains("<html") || start.contains("<!doctype html") else { return false }
    return ["notebookFor", "bookTitle", "noteHeading"].allSatisfy {
      source.bytes.contains(Array($0.utf8))
    }
  }

  /// The elements of a notebook, by the classes of their tags.
  private enum Part: String { case bookTitle, authors, sectionHeading, noteHeading, noteText }

  /// An entry of the notebook.
  private struct Entry {
    var chapter: String
    var heading = ""
    /// The name of the colour; empty for notes and bookmarks.
    var color = ""
    var text = ""
  }

  private struct Notebook {
    var title = ""
    var author = ""
    var entries: [Entry] = []

    init(_ text: String) {
      var part: Part?
      var words = ""
      var chapter = ""
      var isHidden = false
      func clean() -> String {
        words.split(whereSeparator: \.isWhitespace).joined(separator: " ")
      }
      // Some versions close a `<div>` with `</h3>`, so any end of a block ends the part.
      func end() {
        let text = clean()
        switch part {
        case .bookTitle: if title.isEmpty { title = text }
        case .authors: if author.isEmpty { author = text }
        case .sectionHeading: chapter = text
        case .noteHeading: entries[entries.count - 1].heading = text
        case .noteText:
          if let last = entries.indices.last, entries[last].text.isEmpty {
            entries[last].text = text
          }
        case nil: break
        }
        (part, words) = (nil, "")
      }
      for token in HTMLTokens(text) {
        switch token {
        case .text(let text):
          if part != nil, !isHidden { words += HTMLScan.unescaped(text) }
        case .start(let name, let tag):
          if ["style", "script"].contains(name) { isHidden = true }
          let classes = HTMLTokens.attribute("class", of: tag) ?? ""
          if let found = classes.split(separator: " ").lazy.compactMap({
            Part(rawValue: String($0))
          }).first {
            end()
            part = found
            if found == .noteHeading { entries.append(Entry(chapter: chapter)) }
          } else if part == .noteHeading, classes.hasPrefix("highlight_") {
            entries[entries.count - 1].color = String(classes.dropFirst(10))
          } else if ["p", "br", "div"].contains(name) {
            words += " "
          }
        case .end(let name):
          if ["style", "script"].contains(name) { isHidden = false }
          if ["div", "h1", "h2", "h3", "body"].contains(name) { end() }
        }
      }
      end()
    }
  }

  /// Reads the records. A note belongs to the highlight before it, if its location is in it; other
  /// notes are notes on the book. Bookmarks and entries without text are skipped.
  ///
  /// - Throws: `ImportError` if the page has no entries.
  public func read(_ source: ImportSource) throws(ImportError) -> ImportContent {
    let notebook = Notebook(source.text)
    guard recognizes(source), !notebook.entries.isEmpty else {
      throw ImportError("not the notebook of a Kindle app")
    }
    let title = notebook.title.isEmpty ? source.title : notebook.title
    var content = ImportContent(records: [])
    var bookmarks = 0
    /// The place of the highlight directly before the entry; nil if a note is before it.
    var last: ClippingHead?
    for entry in notebook.entries {
      let (kind, head, chapter) = Self.parts(of: entry)
      if kind == .bookmark {
        bookmarks += 1
      } else if entry.text.isEmpty {
        content.skipped.append("an entry at \(head.place.isEmpty ? title : head.place) has no text")
      } else if kind == .note {
        if let found = last, let index = content.records.indices.last,
          Self.isWithin(head, found, content.records[index].quote)
        {
          content.records[index].note = entry.text
        } else {
          content.notes.append(
            SeparateNote(
              title: title, author: notebook.author, location: location(head.place, chapter),
              text: entry.text))
        }
        last = nil
      } else {
        var record = AnnotationRecord(
          id: "", quote: entry.text, source: "", title: title, color: .yellow)
        record.author = notebook.author
        record.location = location(head.place, chapter)
        if !entry.color.isEmpty { record.setColor(entry.color) }
        content.records.append(record)
        last = head
      }
    }
    if bookmarks > 0 {
      content.skipped.append(bookmarks == 1 ? "a bookmark" : "\(bookmarks) bookmarks")
    }
    return content
  }

  /// Parses a heading such as "Highlight (blue) - 3. Hands > Page 29 · Location 364".
  private static func parts(of entry: Entry) -> (
    kind: ClippingWords.Kind?, place: ClippingHead, chapter: String
  ) {
    let heading = entry.heading.prefix(ClippingHead.limit)
    let dash = heading.firstRange(of: " - ")
    let start = dash.map { heading[..<$0.lowerBound] } ?? heading
    let rest = dash.map { heading[$0.upperBound...] } ?? ""
    let pieces = rest.split(separator: ">").map(\.trimmed).filter { !$0.isEmpty }
    let chapter = pieces.count > 1 ? pieces[0] : entry.chapter
    let kind =
      entry.color.isEmpty ? ClippingWords.kind(of: start.lowercased() + " ") : .highlight
    return (kind, ClippingHead(pieces.last ?? ""), chapter)
  }

  /// Returns whether a note's place is in a highlight, whose heading has only its start. A location
  /// is about 150 bytes of the book.
  private static func isWithin(_ note: ClippingHead, _ highlight: ClippingHead, _ quote: String)
    -> Bool
  {
    guard let at = note.location?.lowerBound, let start = highlight.location?.lowerBound else {
      return note.page == highlight.page
    }
    return (start...start + quote.utf8.count / 128 + 2).contains(at)
  }
}
