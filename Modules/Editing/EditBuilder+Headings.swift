import MarkdownParse
package import Model

extension EditBuilder {
  /// Turns the paragraphs and headings that a range touches into headings of a level from 1 to 6,
  /// or into paragraphs if `level` is nil.
  ///
  /// For levels 1 and 2, a paragraph of several lines is underlined; for other levels its lines are
  /// joined. A blank line is added where a paragraph would otherwise merge with its neighbour.
  ///
  /// - Throws:
  ///   - ``FormattingError/noSuchLevel(_:)`` if `level` is not 1 to 6
  ///   - ``FormattingError/nothingSelected`` if the range touches no text
  ///   - ``FormattingError/outOfBounds`` if the range ends beyond the text
  ///   - ``FormattingError/inexpressible(_:_:_:)`` if a touched block can't become a heading.
  package func setHeading(_ level: Int?, _ range: TextRange) throws(FormattingError) -> SourceChange
  {
    if let level, !(1...6).contains(level) { throw .noSuchLevel(level) }
    var plans: [HeadingPlan] = []
    for index in try touchedLeaves(range) {
      let block = document.blocks[index]
      func refuse(_ obstacle: FormattingError.Obstacle) -> FormattingError {
        .inexpressible(.heading(level), obstacle, block.text)
      }
      if document.isHTML(index) { throw refuse(.html) }
      if block.text.count > Leaf.longest { throw refuse(.length) }
      switch block.kind {
      case .paragraph where level != nil:
        if case .listItem(task: .some) = document.blocks[block.parent].kind,
          document.blocks[block.parent].firstChild == index
        {
          throw refuse(.taskItem)
        }
        guard let plan = HeadingPlan(document, index, level) else { throw refuse(.lineBreak) }
        plans.append(plan)
      case .heading(let old) where old != level:
        guard let plan = HeadingPlan(document, index, level) else { throw refuse(.lineBreak) }
        plans.append(plan)
      case .codeBlock where level != nil: throw refuse(.codeBlock)
      case .tableCell where level != nil: throw refuse(.tableCell)
      case .calloutLabel where level != nil: throw refuse(.calloutLabel)
      case .descriptionTerm where level != nil: throw refuse(.descriptionTerm)
      default: continue
      }
    }
    return try change(by: plans, .heading(level), range)
  }

  /// Returns the level of the heading at an offset, its end included; nil if no heading is there.
  package func headingLevel(at offset: TextOffset) -> Int? {
    for block in document.blocks {
      guard case .heading(let level) = block.kind, block.text.utf16.lowerBound <= offset.utf16,
        offset.utf16 <= block.text.utf16.upperBound
      else { continue }
      return level
    }
    return nil
  }
}

/// The ways to turn a block into a heading of a level, or into a paragraph.
struct HeadingPlan: ChangePlan {
  let block: Int
  let kind: Block.Kind?
  let expectation: LeafExpectation
  private let document: ParsedDocument
  private let leaf: Leaf
  private let level: Int?
  private var ways: [[SourceEdit]] = []

  /// Creates the plan, or returns nil if the text has a line break that the heading can't contain.
  init?(_ document: ParsedDocument, _ index: Int, _ level: Int?) {
    self.document = document
    self.level = level
    block = index
    kind = level.map { .heading(level: $0) } ?? .paragraph
    leaf = Leaf(index, of: document)
    expectation = leaf.expectation(
      document.characterStyles(ofBlock: index), document, kept: leaf.spans)
    guard let first = leaf.pieces.first, let last = leaf.pieces.last else { return nil }
    let escapes: [[SourceEdit]] =
      level == nil
      ? escape(before: first)
      : last.isCharacter && bytes[last.source] == [UInt8(ascii: "#")]
        ? [[insertion("\\", at: last.source.lowerBound)]] : []
    for form in forms {
      for escape in [[]] + escapes {
        for blank in level == nil ? blanks : [[]] {
          ways.append((form + escape + blank).minimal(in: Array(bytes)))
        }
      }
    }
    if ways.isEmpty { return nil }
  }

  func edits(way: Int) -> [SourceEdit]? { way < ways.count ? ways[way] : nil }

  private var bytes: [UInt8] { document.source.bytes }

  private func insertion(_ text: String, at byte: Int) -> SourceEdit {
    SourceEdit(byte..<byte, bytes: Array(text.utf8))
  }

  // MARK: - Current markup

  /// The markers before and after the text of a heading that starts with `#`; nil for other blocks.
  private var marks: (open: Range<Int>, close: Range<Int>)? {
    guard case .heading(_) = document.blocks[block].kind else { return nil }
    let start = document.blocks[block].source.bytes.lowerBound
    guard start < leaf.source.lowerBound, bytes[start] == UInt8(ascii: "#") else { return nil }
    var end = leaf.source.upperBound
    while end < bytes.count, !bytes[end].isLineEnd { end += 1 }
    return (start..<leaf.source.lowerBound, leaf.source.upperBound..<end)
  }

  /// The underline of an underlined (setext) heading, from the end of the heading's text; nil for
  /// other blocks.
  private var underline: Range<Int>? {
    guard case .heading(_) = document.blocks[block].kind, marks == nil else { return nil }
    return leaf.source.upperBound..<document.blocks[block].source.bytes.upperBound
  }

  // MARK: - Forms

  /// The ways to write the level, the smallest change first.
  private var forms: [[SourceEdit]] {
    guard let level else {
      let gone = [marks?.open, marks?.close, underline].compactMap { $0 }
      return [gone.map { SourceEdit($0, bytes: []) }]
    }
    if let marks { return [remarked(marks, level)] }
    let isSingle = !leaf.pieces.contains(where: \.isLineBreak)
    var forms: [[SourceEdit]] = []
    if let underline, level <= 2 {
      forms.append([SourceEdit(underline, bytes: redrawn(underline, level))])
    } else if level <= 2, !isSingle {
      forms.append([underlining(level)])
    }
    guard !leaf.pieces.contains(where: \.isHardBreak) else { return forms }
    let mark = insertion(String(repeating: "#", count: level) + " ", at: leaf.source.lowerBound)
    let joins = leaf.pieces.filter(\.isLineBreak).map {
      SourceEdit($0.source, bytes: [UInt8(ascii: " ")])
    }
    forms.append([mark] + joins + (underline.map { [SourceEdit($0, bytes: [])] } ?? []))
    return forms
  }

  /// Returns the edits that replace the `#` marks before the text, and the closing marks if the
  /// heading has them.
  private func remarked(_ marks: (open: Range<Int>, close: Range<Int>), _ level: Int)
    -> [SourceEdit]
  {
    let mark = UInt8(ascii: "#")
    let new = [UInt8](repeating: mark, count: level)
    let edits = [SourceEdit(marks.open, bytes: new + bytes[marks.open].drop { $0 == mark })]
    // Marks that begin a name in the heading's attributes (`{#name}`) are kept.
    let closing = document.parts(of: block).first { $0.kind == .headingClosing }?.source.bytes
    guard let closing, let first = bytes[closing].firstIndex(of: mark),
      let last = bytes[closing].lastIndex(of: mark)
    else { return edits }
    return edits + [SourceEdit(first..<last + 1, bytes: new)]
  }

  /// Returns an underline with `=` or `-` as the level requires.
  private func redrawn(_ underline: Range<Int>, _ level: Int) -> [UInt8] {
    let mark = UInt8(ascii: level == 1 ? "=" : "-")
    let start = bytes[underline].lastIndex { !"=- \t".utf8.contains($0) } ?? underline.lowerBound
    return bytes[underline].indices.map {
      $0 > start && "=-".utf8.contains(bytes[$0]) ? mark : bytes[$0]
    }
  }

  /// Returns the insertion of an underline, prefixed with the container markers of the text's last
  /// line.
  private func underlining(_ level: Int) -> SourceEdit {
    let last = leaf.pieces.last(where: \.isLineBreak)
    let lineEnd = last.map { bytes[$0.source].drop { !$0.isLineEnd } } ?? []
    let line = Array(lineEnd) + Array((level == 1 ? "===" : "---").utf8)
    return SourceEdit(leaf.source.upperBound..<leaf.source.upperBound, bytes: line)
  }

  // MARK: - Becoming a paragraph

  /// Returns the ways to escape text that would begin another kind of block.
  private func escape(before first: LeafPiece) -> [[SourceEdit]] {
    guard first.isCharacter else { return [] }
    if bytes[first.source.lowerBound].isMarkByte {
      return [[insertion("\\", at: leaf.source.lowerBound)]]
    }
    // `1.` begins a list: escape the mark after the digits.
    let mark = leaf.pieces.first { !(48...57).contains(bytes[$0.source.lowerBound]) }
    return mark.map { [[insertion("\\", at: $0.source.lowerBound)]] } ?? []
  }

  /// The combinations of blank lines to try: none, one after, one before, both.
  private var blanks: [[SourceEdit]] {
    let start = document.blocks[block].source.bytes.lowerBound
    let end = (marks?.close ?? underline)?.upperBound ?? leaf.source.upperBound
    let ending = document.lineEnding
    let prefix = document.linePrefix(before: start)
    let before = SourceEdit(start..<start, bytes: ending + prefix)
    let after = SourceEdit(end..<end, bytes: ending + prefix.withoutTrailingBlanks)
    return [[], [after], [before], [before, after]]
  }
}

extension LeafPiece {
  fileprivate var isLineBreak: Bool { if case .lineBreak = kind { true } else { false } }
  fileprivate var isCharacter: Bool { if case .character = kind { true } else { false } }
}

extension UInt8 {
  /// Whether the byte is a line feed or a carriage return.
  var isLineEnd: Bool { self == 10 || self == 13 }
}

extension [UInt8] {
  /// The bytes without trailing spaces and tabs.
  var withoutTrailingBlanks: [UInt8] {
    Array(prefix((lastIndex { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") } ?? -1) + 1))
  }
}

extension ParsedDocument {
  /// The line ending of the document's first line; a line feed if the document has only one line.
  var lineEnding: [UInt8] {
    guard let first = source.bytes.firstIndex(where: \.isLineEnd) else { return [10] }
    guard source.bytes[first] == 13 else { return [10] }
    return first + 1 < source.bytes.count && source.bytes[first + 1] == 10 ? [13, 10] : [13]
  }

  /// Returns the start of the line that contains a byte. The first line starts after the byte order
  /// mark.
  func lineStart(before byte: Int) -> Int {
    if let ending = source.bytes[..<byte].lastIndex(where: \.isLineEnd) { return ending + 1 }
    return source.bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? min(3, byte) : 0
  }

  /// Returns the prefix that puts another line into the same containers as the given byte: the
  /// markers of the byte's own line, with spaces in place of list markers.
  func linePrefix(before byte: Int) -> [UInt8] {
    source.bytes[lineStart(before: byte)..<byte].map {
      $0 == UInt8(ascii: ">") || $0 == UInt8(ascii: "\t") ? $0 : UInt8(ascii: " ")
    }
  }
}
