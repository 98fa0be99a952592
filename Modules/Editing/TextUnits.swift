package import MarkdownParse
package import Model

/// A unit by which text is selected. The cases are ordered by size.
package enum TextUnit: String, Hashable, Sendable, Codable, CaseIterable, Comparable {
  /// A user-perceived character.
  case character
  /// A word, by Unicode's rules and dictionaries.
  case word
  /// A sentence, inside its paragraph.
  case sentence
  /// A line of the rendered text, without its line end. It is a paragraph, or a part of a paragraph
  /// between hard breaks.
  case line
  /// A paragraph, heading, code block or cell.
  case paragraph
  /// A top-level block of the document, such as a whole list, quote or table.
  case block
  /// A heading and the text up to the next heading of its level. The text before the first heading
  /// is a section too.
  case section
  /// The whole text.
  case all

  /// Compares by size.
  package static func < (a: TextUnit, b: TextUnit) -> Bool { a.rank < b.rank }
  private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

/// Finds the units of one document's text.
///
/// Expensive results are computed on first use and cached. Words and sentences are found only for
/// the paragraphs that are queried.
///
/// ```swift
/// let units = TextUnits(document)
/// let word = units.unit(.word, at: TextOffset(utf16: 12))  // nil between words
/// ```
///
/// Not thread-safe and not `Sendable`. Offsets are UTF-16 units of the rendered text.
package final class TextUnits {
  /// The document whose units are found.
  package let document: ParsedDocument
  private let segmenter: any TextSegmenter

  /// Creates the units of a document. O(1).
  package init(_ document: ParsedDocument, segmenter: any TextSegmenter = .standard) {
    self.document = document
    self.segmenter = segmenter
  }

  private var units: [UInt16] { document.text.utf16 }

  /// The ranges of the leaf blocks with text.
  private lazy var paragraphs = document.paragraphs
  private lazy var lines = findLines()
  private lazy var blocks = findBlocks()
  private lazy var sections = findSections()
  private var words: [Int: [TextRange]] = [:]
  private var sentences: [Int: [TextRange]] = [:]

  // MARK: - Looking up

  /// Returns the unit that contains an offset; nil if no unit does, as for an offset between two
  /// words. An offset at the end of the text or between two paragraphs belongs to the unit before
  /// it.
  package func unit(_ unit: TextUnit, at offset: TextOffset) -> TextRange? {
    let count = units.count
    guard count > 0 else { return nil }
    let place = min(offset.utf16, count - 1)
    switch unit {
    case .all: return TextRange(utf16: 0..<count)
    case .character:
      let start = Graphemes.border(at: place, orBefore: units)
      return TextRange(utf16: start..<Graphemes.border(after: start, in: units))
    case .word, .sentence:
      guard let index = paragraphIndex(at: place) else { return nil }
      return Self.find(place, in: parts(unit, of: index), orBefore: unit == .sentence)
    case .line, .paragraph, .block, .section:
      return Self.find(place, in: whole(unit), orBefore: true)
    }
  }

  /// Returns the word for an offset at which the user clicked: the word that contains the offset or
  /// ends there. If there is no such word, returns the character at the offset, which may be
  /// punctuation. Nil only if the text is empty.
  package func wordOrNeighbour(at offset: TextOffset) -> TextRange? {
    if let word = unit(.word, at: offset), offset.utf16 < units.count { return word }
    if offset.utf16 > 0 {
      let before = TextOffset(utf16: offset.utf16 - 1)
      if let word = unit(.word, at: before), word.upperBound == offset { return word }
    }
    return unit(.character, at: offset)
  }

  /// Returns the range widened so that it divides no unit of a size. Ends between units are
  /// unchanged.
  package func whole(_ unit: TextUnit, around range: TextRange) -> TextRange {
    guard !range.isEmpty else { return range }
    let last = TextOffset(utf16: range.utf16.upperBound - 1)
    let first = self.unit(unit, at: range.lowerBound)
    let end = self.unit(unit, at: last)
    let start = min(range.utf16.lowerBound, first?.utf16.lowerBound ?? .max)
    return TextRange(utf16: start..<max(range.utf16.upperBound, end?.utf16.upperBound ?? 0))
  }

  // MARK: - Stepping

  /// A border of a unit.
  package enum Edge: Hashable, Sendable, CaseIterable {
    /// The offset of the unit's first UTF-16 unit.
    case start
    /// The offset after the unit's last UTF-16 unit.
    case end
  }

  /// Returns the border of the `count`-th unit after an offset, or before it if `count` is
  /// negative. If there are fewer units, returns the end or start of the text. O(count), and
  /// O(paragraph) for words.
  package func border(_ edge: Edge, of unit: TextUnit, from offset: TextOffset, by count: Int)
    -> TextOffset
  {
    var place = offset.utf16
    for _ in 0..<abs(count) {
      let next = count > 0 ? nextBorder(edge, unit, place) : previousBorder(edge, unit, place)
      guard next != place else { break }
      place = next
    }
    return TextOffset(utf16: place)
  }

  private func nextBorder(_ edge: Edge, _ unit: TextUnit, _ place: Int) -> Int {
    switch unit {
    case .all: return units.count
    case .character: return Graphemes.border(after: place, in: units)
    case .word, .sentence:
      var index = paragraphIndex(at: place) ?? 0
      while index < paragraphs.count {
        let parts = parts(unit, of: index)
        if let found = parts.first(where: { Self.edge(edge, $0) > place }) {
          return Self.edge(edge, found)
        }
        index += 1
      }
      return units.count
    case .line, .paragraph, .block, .section:
      return whole(unit).first { Self.edge(edge, $0) > place }.map { Self.edge(edge, $0) }
        ?? units.count
    }
  }

  private func previousBorder(_ edge: Edge, _ unit: TextUnit, _ place: Int) -> Int {
    switch unit {
    case .all: return 0
    case .character: return Graphemes.border(before: place, in: units)
    case .word, .sentence:
      var index = paragraphIndex(at: place) ?? -1
      while index >= 0 {
        let parts = parts(unit, of: index)
        if let found = parts.last(where: { Self.edge(edge, $0) < place }) {
          return Self.edge(edge, found)
        }
        index -= 1
      }
      return 0
    case .line, .paragraph, .block, .section:
      return whole(unit).last { Self.edge(edge, $0) < place }.map { Self.edge(edge, $0) } ?? 0
    }
  }

  private static func edge(_ edge: Edge, _ range: TextRange) -> Int {
    edge == .start ? range.utf16.lowerBound : range.utf16.upperBound
  }

  // MARK: - Finding

  private func whole(_ unit: TextUnit) -> [TextRange] {
    switch unit {
    case .line: lines
    case .paragraph: paragraphs
    case .block: blocks
    default: sections
    }
  }

  private func parts(_ unit: TextUnit, of paragraph: Int) -> [TextRange] {
    if let known = unit == .word ? words[paragraph] : sentences[paragraph] { return known }
    let range = paragraphs[paragraph].utf16
    let text = Array(units[range])
    let found = (unit == .word ? segmenter.words(in: text) : segmenter.sentences(in: text)).map {
      TextRange(
        utf16: $0.utf16.lowerBound + range.lowerBound..<$0.utf16.upperBound + range.lowerBound)
    }
    if unit == .word { words[paragraph] = found } else { sentences[paragraph] = found }
    return found
  }

  /// Returns the index of the paragraph at an offset, or of the last one before it. Nil if the
  /// offset is before the first paragraph.
  private func paragraphIndex(at place: Int) -> Int? {
    let index = Self.count(startingUpTo: place, in: paragraphs) - 1
    return index >= 0 ? index : nil
  }

  /// Returns the number of ranges that start at or before a place. O(log ranges).
  private static func count(startingUpTo place: Int, in ranges: [TextRange]) -> Int {
    var low = 0
    var high = ranges.count
    while low < high {
      let middle = (low + high) / 2
      if ranges[middle].utf16.lowerBound <= place { low = middle + 1 } else { high = middle }
    }
    return low
  }

  private static func find(_ place: Int, in ranges: [TextRange], orBefore: Bool) -> TextRange? {
    let index = count(startingUpTo: place, in: ranges) - 1
    guard index >= 0 else { return orBefore ? ranges.first : nil }
    return orBefore || ranges[index].utf16.contains(place) ? ranges[index] : nil
  }

  private func findLines() -> [TextRange] {
    var lines: [TextRange] = []
    for paragraph in paragraphs {
      var start = paragraph.utf16.lowerBound
      for index in paragraph.utf16 where units[index] == 10 {
        if index > start { lines.append(TextRange(utf16: start..<index)) }
        start = index + 1
      }
      let end = paragraph.utf16.upperBound
      if end > start { lines.append(TextRange(utf16: start..<end)) }
    }
    return lines
  }

  private func findBlocks() -> [TextRange] {
    document.blocks.filter { $0.parent == 0 && !$0.text.isEmpty }.map(\.text)
  }

  private func findSections() -> [TextRange] {
    var starts: [(offset: Int, level: Int)] = []
    for block in document.blocks {
      if case .heading(let level) = block.kind, !block.text.isEmpty {
        starts.append((block.text.utf16.lowerBound, level))
      }
    }
    guard let first = paragraphs.first, let last = paragraphs.last else { return [] }
    let end = last.utf16.upperBound
    var sections: [TextRange] = []
    if starts.first?.offset != first.utf16.lowerBound {
      sections.append(
        TextRange(utf16: first.utf16.lowerBound..<trimmed(starts.first?.offset ?? end)))
    }
    // The innermost section of an offset is that of the nearest heading before it.
    for (index, start) in starts.enumerated() {
      let next = starts[(index + 1)...].first { $0.level <= start.level }
      sections.append(TextRange(utf16: start.offset..<trimmed(next?.offset ?? end)))
    }
    return sections
  }

  /// Returns an offset moved back over the separators before it.
  private func trimmed(_ offset: Int) -> Int {
    var offset = offset
    while offset > 0, units[offset - 1] <= 32 { offset -= 1 }
    return offset
  }
}
