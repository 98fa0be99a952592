import Model

/// The rules for spaces and tabs beside markup that isn't rendered, such as a comment. If there are
/// spaces on both sides, only those after it are kept. At both ends of a line, no spaces are kept.
struct BlankRules {
  /// Whether the leaf contains markup that isn't rendered.
  var isActive = false
  /// Spaces before such markup, which are written if text follows on the line.
  var pending: Range<Int>?
  /// Whether nothing was written since the last line break.
  var isLineStart = true
  /// The end of the last rendered content of the leaf.
  private(set) var end = 0

  init() {}

  /// Finds the end of the rendered content of a leaf. The marks must be in order. O(marks + bytes).
  init(
    _ marks: [(range: Range<Int>, mark: Assembler.Mark)], _ scan: InlineScan, _ tags: InlineTags,
    _ content: Bytes
  ) {
    isActive = true
    var position = scan.end
    func isFound(from start: Int) -> Bool {
      let text = content[min(start, position)..<position]
      guard let last = text.lastIndex(where: { !$0.isSpace }) else { return false }
      end = last + 1
      return true
    }
    for (range, mark) in marks.reversed() {
      if isFound(from: range.upperBound) { return }
      // An image without a description is rendered as its name.
      if case .close(let index) = mark, scan.spans[index].kind.isImage {
        end = range.upperBound
        return
      }
      if case .atom(let index) = mark {
        let atom = scan.atoms[index]
        if !atom.isSilent(tags[index]), !atom.isBreak {
          end = range.upperBound
          return
        }
      }
      position = min(position, range.lowerBound)
    }
    _ = isFound(from: 0)
  }
}

extension InlineScan.Atom {
  /// Whether the atom renders nothing.
  func isSilent(_ role: InlineTags.Role?) -> Bool {
    switch (kind, role) {
    case (.hidden, _), (.rawHTML, nil), (.rawHTML, .hidden): true
    default: false
    }
  }

  /// Whether the atom ends a line.
  var isBreak: Bool {
    switch kind {
    case .softBreak, .hardBreak: true
    default: false
    }
  }
}

extension Assembler {
  /// Writes literal text before a mark; `mark` is nil at the end of a leaf.
  mutating func writeLiteral(
    _ range: Range<Int>, _ content: Bytes, _ leaf: LeafText, isPlain: Bool, before mark: Mark?
  ) {
    guard blanks.isActive else { return writeText(range, content, leaf, isPlain: isPlain) }
    var range = range.lowerBound..<max(range.lowerBound, min(range.upperBound, blanks.end))
    guard let first = range.first else { return }
    if content[first].isBlank {
      blanks.pending = nil
      while blanks.isLineStart, let first = range.first, content[first].isBlank {
        range = range.dropFirst()
      }
    }
    var end = range.upperBound
    if case .atom(let index) = mark, parser.scan.atoms[index].isSilent(tags[index]) {
      while end > range.lowerBound, content[end - 1].isBlank { end -= 1 }
    }
    if end > range.lowerBound {
      flushBlanks(leaf)
      writeText(range.lowerBound..<end, content, leaf, isPlain: isPlain)
      blanks.isLineStart = false
    }
    if end < range.upperBound { blanks.pending = end..<range.upperBound }
  }

  /// Writes the pending spaces.
  mutating func flushBlanks(_ leaf: LeafText) {
    guard let pending = blanks.pending else { return }
    blanks.pending = nil
    writer.verbatim(leaf.source(pending).bytes)
  }

  /// Writes the pending spaces before an atom that renders text. Returns false if the atom must be
  /// skipped because it ends a line without rendered content.
  mutating func settleBlanks(before atom: InlineScan.Atom, _ index: Int, _ leaf: LeafText) -> Bool {
    if atom.isSilent(tags[index]) { return true }
    if case .softBreak = atom.kind, tags[index] == nil {
      blanks.pending = nil
      if blanks.isLineStart || atom.range.lowerBound >= blanks.end { return false }
      blanks.isLineStart = true
    } else if atom.isBreak {
      blanks.pending = nil
      blanks.isLineStart = true
    } else {
      flushBlanks(leaf)
      if case .lineBreak = tags[index] {
        blanks.isLineStart = true
      } else {
        blanks.isLineStart = false
      }
    }
    return true
  }
}
