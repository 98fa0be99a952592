import MarkdownParse
import Model

extension HTMLWriter {
  /// The number of bytes after which a part of the source ends with its line.
  private static let sourceLength = 4_096

  /// Writes the Markdown source: a part for some lines each, and an element for each line. The
  /// positions in it are those of the rendered text.
  mutating func sourceParts() -> [HTMLBody.Part] {
    let source = SourcePieces(document, length: Self.sourceLength, dividesLines: false)
    var parts: [HTMLBody.Part] = []
    var occurrences: [Int: Int] = [:]
    var writer = SourceLineWriter(self)
    for piece in source.pieces {
      writer.begin(piece)
      source.eachStretch(of: piece) { writer.write($0, source) }
      let (html, hash, begun) = writer.finish()
      parts.append(
        HTMLBody.Part(
          html: html, range: piece.text,
          key: HTMLBody.Key(hash: hash, occurrence: occurrences[hash, default: 0]),
          highlights: begun, isTitle: false))
      occurrences[hash, default: 0] += 1
    }
    return parts
  }
}

/// Writes the lines of a piece of the source.
private struct SourceLineWriter {
  private var html: HTMLWriter
  private var elements = HTMLWriter.OpenElements()
  private var line = 0
  /// The start of the text of the current line; nil while the line has none.
  private var base: Int?
  /// Whether the element of the current line was begun.
  private var isOpen = false
  /// The markup of the current line before its text.
  private var before = ""
  /// The stretches of the last leaf that had text.
  private var known: (leaf: Int, stretches: ArraySlice<HTMLWriter.Stretch>, code: ColoredCode?)?

  init(_ html: HTMLWriter) { self.html = html }

  mutating func begin(_ piece: SourcePieces.Piece) {
    html.piece = HashedHTML(base: piece.text.lowerBound)
    html.begun = []
    line = piece.line
    html.piece.write("<div class=\"source\" dir=\"ltr\">")
  }

  mutating func finish() -> (html: String, hash: Int, begun: [String]) {
    // The last line is open only if the source doesn't end with a line ending.
    if isOpen || !before.isEmpty { endLine() }
    html.piece.write("</div>\n")
    let (text, hash) = html.piece.finish()
    return (text, hash, html.begun)
  }

  mutating func write(_ stretch: SourcePieces.Stretch, _ source: SourcePieces) {
    switch stretch {
    case .markup(let bytes, _, _): eachLine(of: source.shown(bytes)) { $0.markup($1) }
    case .text(let range, let leaf):
      let units = html.document.text.utf16
      var place = range.lowerBound
      while place < range.upperBound {
        let end = units[place..<range.upperBound].firstIndex(of: 10) ?? range.upperBound
        text(place..<end, of: leaf, shown: nil)
        if end < range.upperBound { endLine(at: end) }
        place = end + 1
      }
    case .replaced(let range, let bytes, let leaf):
      let shown = source.shown(bytes)
      guard shown.contains("\n") else {
        return text(range, of: leaf, shown: String(shown))
      }
      // The text is a space or a line feed between two lines. A space is at the end of the first.
      if html.document.text.utf16[range.lowerBound] == 10 {
        passLineFeed(at: range.lowerBound)
      } else {
        text(range, of: leaf, shown: nil)
      }
      eachLine(of: shown) { $0.markup($1) }
    }
  }

  private mutating func eachLine(
    of shown: [Character], _ body: (inout SourceLineWriter, String) -> Void
  ) {
    for (index, part) in shown.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    {
      if index > 0 { endLine() }
      if !part.isEmpty { body(&self, String(part)) }
    }
  }

  /// Writes markup in the current line, inside of the highlight that continues after it.
  private mutating func markup(_ shown: String) {
    let element = "<span class=\"markup\" data-x>\(shown.escapedForHTML)</span>"
    if !isOpen {
      before += element
    } else {
      html.openElements(for: nil, in: &elements)
      html.piece.write(element)
    }
  }

  /// Opens the element of a line. `place` is the start of its text; nil if it has none.
  private mutating func openLine(at place: Int?) {
    html.piece.write("<div class=\"line\" data-line=\"\(line)\"")
    if let place {
      html.piece.write(" data-b=\"")
      html.piece.write(place: place)
      html.piece.write("\"")
    }
    html.piece.write(">" + before)
    before = ""
    (base, isOpen) = (place, true)
  }

  /// Ends the line. `place` is the offset of its line feed if that is text.
  private mutating func endLine(at place: Int? = nil) {
    if let place { passLineFeed(at: place) }
    if !isOpen { openLine(at: nil) }
    html.closeAll(&elements)
    html.piece.write("\n</div>")
    (base, isOpen, line) = (nil, false, line + 1)
  }

  /// Begins and ends the highlights that do so at a line feed, which is text but isn't written.
  private mutating func passLineFeed(at place: Int) {
    if !isOpen { openLine(at: place) }
    html.beginMarks(at: place, in: &elements)
    html.endMarks(at: place + 1, in: &elements)
  }

  /// Writes text of a leaf. `shown` is its source if that differs.
  private mutating func text(_ range: Range<Int>, of leaf: Int, shown: String?) {
    guard !range.isEmpty else { return }
    if !isOpen { openLine(at: range.lowerBound) }
    let lineStart = base ?? range.lowerBound
    var place = range.lowerBound
    for stretch in stretches(of: leaf, from: place) {
      guard stretch.range.lowerBound < range.upperBound else { break }
      var stretch = stretch
      (stretch.picture, stretch.style) = (nil, stretch.style.subtracting([.math, .image]))
      let upper = min(stretch.range.upperBound, range.upperBound)
      while place < upper {
        html.beginMarks(at: place, in: &elements)
        var end = html.marks.border(after: place + 1, before: upper)
        if shown != nil {
          // The source of a replaced character is indivisible.
          end = range.upperBound
          html.beginMarks(at: end - 1, in: &elements)
        }
        let kind = codeKind(at: place, &end)
        html.write(stretch, place..<end, kind, shown: shown, base: lineStart, in: &elements)
        html.endMarks(at: end, in: &elements)
        place = end
      }
    }
  }

  private func codeKind(at place: Int, _ end: inout Int) -> CodeKind? {
    guard let code = known?.code, let part = code.parts(in: place..<end).first else { return nil }
    let (start, stop) = (Int(part.start) + code.start, Int(part.end) + code.start)
    end = min(end, start <= place ? stop : start)
    return start <= place ? part.kind : nil
  }

  /// Returns the stretches of a leaf from an offset on. The offsets of all calls are ascending.
  private mutating func stretches(of leaf: Int, from place: Int)
    -> ArraySlice<HTMLWriter.Stretch>
  {
    if known?.leaf != leaf {
      let block = html.document.blocks[leaf]
      var code: ColoredCode?
      if case .codeBlock = block.kind, block.inlines.isEmpty {
        code = ColoredCode(leaf, of: html.page)
      }
      known = (leaf, html.stretches(of: leaf)[...], code)
    }
    while let first = known?.stretches.first, first.range.upperBound <= place {
      known?.stretches.removeFirst()
    }
    return known?.stretches ?? []
  }
}
