import FoundationEssentials
import Interchange
import MarkdownParse
import Model
import Rendering

/// One document of an HTML page: its title, its text with the notes beside it, and a list of its
/// highlights.
struct HTMLArticle {
  private let document: ExportedDocument
  /// The prefix of the HTML ids of the document's elements, such as `d1-`.
  private let name: String
  private let isAlone: Bool
  private let parts: [HTMLBody.Part]
  private let formatClass: String
  /// The style rules of the document's formats.
  let format: HTMLFormatSheet
  private let records: [String: AnnotationRecord]
  /// The numbers of the records, from 1, by id.
  private let numbers: [String: Int]
  /// Whether the page contains the text.
  private let hasText: Bool
  /// The text of the first heading; nil if there is none.
  private let title: String?
  /// Whether the text begins with a heading below level 1 that is the title.
  private let beginsWithTitle: Bool

  /// - Parameters:
  ///   - document: the document. Its page is nil on return: the text is no longer needed, and
  ///     takes more memory than its HTML.
  ///   - number: the number of the document on the page, from 1.
  ///   - isAlone: whether the page contains no other document.
  ///   - numbers: the numbers of all documents on the page, by path. Links to these documents lead
  ///     to their place on the page.
  init(
    _ document: inout ExportedDocument, number: Int, isAlone: Bool, numbers: [String: Int] = [:]
  ) {
    self.isAlone = isAlone
    name = "d\(number)-"
    var options = HTMLOptions()
    options.namePrefix = name
    options.pictureAddress = document.pictureAddress
    options.linkAddress = { [source = document.head.source] destination in
      let path = Self.path(destination, from: source)
      return path.flatMap { numbers[$0] }.map { "#d\($0)" } ?? destination
    }
    let records = Dictionary(
      document.records.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    self.records = records
    self.numbers = Dictionary(
      document.records.enumerated().map { ($1.id, $0 + 1) }, uniquingKeysWith: { first, _ in first }
    )
    let signs = document.page.map { Self.signs(of: document.records, in: $0.document) } ?? [:]
    options.putsSignsFirst = true
    options.signClass = { signs[$0] ?? "" }
    options.signAddress = { [name] id in
      records[id].map(Self.hasNote) == true ? "#n-\(name)\(id)" : nil
    }
    let body = document.page.map { HTMLBody($0, options: options) }
    parts = body?.parts ?? []
    (formatClass, format) = (body?.formatClass ?? "", body?.format ?? HTMLFormatSheet())
    hasText = body != nil
    title = parts.first(where: \.isTitle).flatMap { [text = document.page?.document.text] part in
      text?.substring(TextRange(utf16: part.range))
    }
    let wanted = Self.words(document.head.title)
    beginsWithTitle =
      parts.first.map { [text = document.page?.document.text] part in
        !wanted.isEmpty && !part.isTitle && part.html.starts(with: /<h[2-6]/)
          && Self.words(text?.substring(TextRange(utf16: part.range)) ?? "") == wanted
      } ?? false
    document.page = nil
    self.document = document
  }

  /// Returns the path of the file to which a link leads; nil for a link with a scheme, or within
  /// the same document.
  private static func path(_ destination: String, from source: String) -> String? {
    let file = destination.prefix { $0 != "#" && $0 != "?" }
    if file.isEmpty || file.contains(":") { return nil }
    let folder = file.hasPrefix("/") ? [] : source.split(separator: "/").dropLast()
    var parts: [Substring] = []
    for part in folder + file.replacing("%20", with: " ").split(separator: "/") where part != "." {
      if part == ".." {
        guard parts.popLast() != nil else { return nil }
      } else {
        parts.append(part)
      }
    }
    let isAbsolute = file.hasPrefix("/") || source.hasPrefix("/")
    return (isAbsolute ? "/" : "") + parts.joined(separator: "/")
  }

  /// Returns the classes of the signs of highlights, which are in the margin of their first
  /// line. A sign whose line may already have one is in a second column, and further ones remain in
  /// the text. O(records × log(records)).
  private static func signs(of records: [AnnotationRecord], in document: ParsedDocument)
    -> [String: String]
  {
    var classes: [String: String] = [:]
    // The last start in each column.
    var starts: [Int?] = [nil, nil]
    let length = document.text.utf16.count
    let ordered = records.compactMap { record in
      record.textRange.map { (id: record.id, start: $0.lowerBound) }
    }.sorted { ($0.start, $0.id) < ($1.start, $1.id) }
    for (id, start) in ordered where start <= length {
      let column = starts.firstIndex { last in
        guard let last, start - last < longestLine else { return true }
        return document.text.substring(TextRange(utf16: last..<start)).contains(where: \.isNewline)
      }
      if let column { starts[column] = start }
      if column != 0 { classes[id] = column == nil ? "more" : "second" }
    }
    return classes
  }

  /// The most characters in a line of the page.
  private static let longestLine = 110

  /// Whether the text contains the title, perhaps with a subtitle.
  private var hasTitle: Bool {
    let wanted = Self.words(document.head.title)
    return title.map { !wanted.isEmpty && Self.words($0).starts(with: wanted) } ?? false
  }

  private static func words(_ text: String) -> [String] {
    text.lowercased().split { !$0.isLetter && !$0.isNumber }.map(String.init)
  }

  /// Whether the title is at the beginning of the text, so that the header contains it.
  private var hasHoistedTitle: Bool {
    guard let first = parts.first, first.isTitle && hasTitle || beginsWithTitle else {
      return false
    }
    return !first.highlights.contains { records[$0].map(Self.hasNote) == true }
  }

  /// Returns the HTML of a heading as a heading of level 1.
  private static func firstLevel(_ html: String) -> String {
    "<h1" + html.dropFirst(3).replacing(/<\/h[2-6]>/, with: "</h1>", maxReplacements: 1)
  }

  private static func hasNote(_ record: AnnotationRecord) -> Bool {
    !record.note.isEmpty || !record.tags.isEmpty
  }

  func write(to output: inout some TextOutputStream) {
    let look = formatClass.isEmpty ? "" : " class=\"\(formatClass)\""
    output.write("<article id=\"\(name.dropLast())\"\(look)>\n")
    writeHead(to: &output)
    if !hasText {
      let problem = document.problem.isEmpty ? "The text is not on this page." : document.problem
      output.write("<p class=\"problem\">\(problem.escapedForHTML)</p>\n")
    }
    for part in hasHoistedTitle ? parts.dropFirst() : parts[...] {
      let noted = part.highlights.compactMap { records[$0] }.filter(Self.hasNote)
      guard !noted.isEmpty else {
        output.write(part.html)
        continue
      }
      // In the margin, the notes float from the top of the block. On narrow screens the style sheet
      // shows them below it.
      output.write("<div class=\"noted\">\n<aside aria-label=\"Notes\">\n")
      for record in noted { output.write(note(record)) }
      output.write("</aside>\n<div class=\"text\">\n\(part.html)</div>\n</div>\n")
    }
    writeLists(to: &output)
    output.write("</article>\n")
  }

  private func writeHead(to output: inout some TextOutputStream) {
    output.write("<header>\n")
    // If the text contains the title, the title isn't repeated in the header.
    if hasHoistedTitle {
      output.write(beginsWithTitle ? Self.firstLevel(parts[0].html) : parts[0].html)
    } else if !hasTitle {
      let level = isAlone ? 1 : 2
      output.write("<h\(level) dir=\"auto\">\(document.head.title.escapedForHTML)</h\(level)>\n")
    }
    var facts = [document.author, document.date].filter { !$0.isEmpty }
    facts.append(document.head.place)
    var list = facts.map { "<span>\($0.escapedForHTML)</span>" }
    if document.address.contains(":"), LinkSafety.isSafe(document.address) {
      let address = LinkSafety.encoded(document.address).escapedForHTML
      list.append("<a href=\"\(address)\" rel=\"noreferrer nofollow\">\(address)</a>")
    }
    let count = document.records.count.counted("highlight")
    let counted =
      parts.isEmpty || document.records.isEmpty
      ? "<span>\(count)</span>" : "<a href=\"#\(name)list\">\(count)</a>"
    output.write(
      "<p class=\"facts\">\((list + [counted]).joined(separator: " · "))</p>\n")
    if !document.note.isEmpty {
      output.write(Self.noteHTML(document.note, prefix: "note\(name)0-"))
    }
    output.write("</header>\n")
  }

  // MARK: - Notes and lists

  /// Returns the box with a highlight's note, which is shown beside its paragraph.
  private func note(_ record: AnnotationRecord) -> String {
    var html = "<div class=\"note-box \(record.color.rawValue)\" id=\"\(place("n-", record))\">\n"
    html +=
      "<p class=\"facts\">\(back(record))<span class=\"color \(record.color.rawValue)\">\(sign(record))</span> \(facts(of: record))</p>\n"
    if !record.note.isEmpty { html += noteHTML(record) }
    return html + "</div>\n"
  }

  private func noteHTML(_ record: AnnotationRecord) -> String {
    Self.noteHTML(record.note, prefix: "note\(name)\(numbers[record.id] ?? 0)-")
  }

  /// Returns a note, which is Markdown, as HTML. A note with HTML that the page leaves out
  /// is shown as it is written, so that nothing of it is missing.
  ///
  /// - Parameter prefix: the prefix of the names of its headings and footnotes.
  private static func noteHTML(_ note: String, prefix: String) -> String {
    let parsed = ParsedDocument(parsing: MarkdownSource(note))
    let hasHTML =
      parsed.blocks.contains { if case .htmlBlock = $0.kind { true } else { false } }
      || parsed.inlines.contains { if case .rawHTML = $0.kind { true } else { false } }
    if hasHTML { return "<p class=\"note\" dir=\"auto\">\(note.escapedForHTML)</p>\n" }
    var options = HTMLOptions()
    options.namePrefix = prefix
    return
      "<div class=\"note\">\n\(HTMLBody(Page(document: parsed), options: options).html)</div>\n"
  }

  /// Returns a link from a note to its passage.
  private func back(_ record: AnnotationRecord) -> String {
    "<a class=\"back\" href=\"#\(place("hl-", record))\" aria-label=\"to the passage\">↩</a> "
  }

  private func sign(_ record: AnnotationRecord) -> String {
    String(record.color.letter) + (record.state == .doubtful ? "?" : "")
  }

  /// Returns the HTML id of a highlight's note, with the prefix `n-`, or of its passage, with the
  /// prefix `hl-`.
  private func place(_ kind: String, _ record: AnnotationRecord) -> String {
    (kind + name + record.id).escapedForHTML
  }

  private func writeLists(to output: inout some TextOutputStream) {
    let shown = Set(parts.flatMap(\.highlights))
    let placed = document.records.filter { shown.contains($0.id) }
    let unplaced = document.records.filter { !shown.contains($0.id) }
    guard !document.records.isEmpty else { return }
    output.write(
      "<section class=\"list\" aria-label=\"Highlights\"\(parts.isEmpty ? "" : " id=\"\(name)list\"")>\n"
    )
    if !placed.isEmpty {
      output.write("<h2>Highlights</h2>\n<ol>\n")
      for record in placed {
        output.write(
          "<li><span class=\"color \(record.color.rawValue)\">\(sign(record))</span> <a href=\"#\(place("hl-", record))\" dir=\"auto\">\(Self.shortened(record.quote).escapedForHTML)</a>"
        )
        if Self.hasNote(record) {
          output.write(" <a href=\"#\(place("n-", record))\" aria-label=\"note\">✎</a>")
        }
        output.write(link(record) + "</li>\n")
      }
      output.write("</ol>\n")
    }
    if !unplaced.isEmpty {
      output.write("<h2>Highlights without a place in the text</h2>\n<ul>\n")
      for record in unplaced { output.write(unplacedItem(record)) }
      output.write("</ul>\n")
    }
    output.write("</section>\n")
  }

  private func unplacedItem(_ record: AnnotationRecord) -> String {
    var html =
      "<li id=\"\(place("n-", record))\"><span class=\"color \(record.color.rawValue)\">\(sign(record))</span>"
    html += " <q dir=\"auto\">\(Self.oneLine(record.quote).escapedForHTML)</q>"
    html += " <span class=\"facts\">\(facts(of: record))</span>\n"
    if !record.note.isEmpty { html += noteHTML(record) }
    return html + "</li>\n"
  }

  private func facts(of record: AnnotationRecord) -> String {
    var facts = [
      record.color.rawValue + (record.colorLabel.map { " (\($0.escapedForHTML))" } ?? "")
    ]
    if record.state == .doubtful || record.state == .orphaned {
      facts.append(record.state.rawValue)
    }
    if !record.placeText.isEmpty { facts.append(record.placeText.escapedForHTML) }
    if !record.tags.isEmpty {
      facts.append(
        record.tags.map { "<span class=\"tag\">#\($0.escapedForHTML)</span>" }.joined(
          separator: " "))
    }
    if let created = record.created {
      facts.append("<time>\(created.formatted(.iso8601.year().month().day()))</time>")
    }
    return facts.joined(separator: " · ") + link(record)
  }

  /// Returns a link that opens the passage in Diple; empty if the user disabled these links.
  private func link(_ record: AnnotationRecord) -> String {
    record.link.map { " · <a href=\"\($0.escapedForHTML)\">Open</a>" } ?? ""
  }

  private static func oneLine(_ text: String) -> String {
    text.split(whereSeparator: \.isNewline).joined(separator: " ")
  }

  private static func shortened(_ text: String) -> String {
    let line = oneLine(text)
    return line.count > 120 ? line.prefix(119) + "…" : line
  }
}
