import Model
import RichText

/// The text that the Markdown should render, and the original offset of each part.
struct ExpectedText {
  /// A run of units that are consecutive in both texts, or the rendered units of a single mark.
  struct Segment: Sendable {
    /// The offset in the rendered text.
    var start: Int
    var count: Int
    /// The index of the original text: 0 for the document's text, then the notes; -1 for units that
    /// are in no original text.
    var source: Int
    var offset: Int
    /// Whether the whole segment renders a single original unit.
    var isOne: Bool

    var range: Range<Int> { start..<start + count }

    /// Returns the rendered range for a range of the original text, or nil if the segment contains
    /// none of it.
    func rendered(_ range: Range<Int>) -> Range<Int>? {
      if isOne { return range.contains(offset) ? self.range : nil }
      let part = range.clamped(to: offset..<offset + count)
      return part.isEmpty
        ? nil : part.lowerBound - offset + start..<part.upperBound - offset + start
    }
  }

  private(set) var units: [UInt16] = []
  private(set) var segments: [Segment] = []
  /// The terminator that the next separator corresponds to.
  private var terminator: (source: Int, offset: Int)?

  /// Begins a leaf. Appends the line feed that separates it from the previous leaf.
  mutating func separate() {
    guard !units.isEmpty, let terminator else { return }
    append(0x0A, terminator.source, terminator.offset)
  }

  mutating func appendTab(_ source: Int, _ offset: Int) { append(0x09, source, offset) }

  /// Appends the units of a leaf.
  mutating func append(_ leaf: ConversionLeaf) {
    var raws = leaf.raws[...]
    for (index, unit) in leaf.units.enumerated() {
      while let first = raws.first, first.units.upperBound <= index { raws.removeFirst() }
      let isRaw = raws.first?.units.contains(index) == true
      append(unit, leaf.source, Int(leaf.origins[index]), isOne: isRaw)
    }
    end(leaf)
  }

  /// Sets the terminator that the separator after a leaf corresponds to.
  mutating func end(_ leaf: ConversionLeaf) { terminator = (leaf.source, leaf.terminator) }

  private mutating func append(_ unit: UInt16, _ source: Int, _ offset: Int, isOne: Bool = false) {
    units.append(unit)
    if let last = segments.last, last.source == source, last.isOne == isOne,
      isOne ? last.offset == offset : last.offset + last.count == offset
    {
      segments[segments.count - 1].count += 1
    } else {
      segments.append(
        Segment(
          start: units.count - 1, count: 1, source: source, offset: offset, isOne: isOne))
    }
  }

  /// Returns the highlights and comments, in the order of their ranges. A comment and a highlight
  /// without a note on the same range become one highlight. O((highlights + comments) · log)
  func highlights(_ plan: ConversionPlan) -> [MarkdownConversion.Highlight] {
    // The segments of the document's text are in its order.
    let passages = Passages(segments: segments.filter { $0.source == 0 }, units: units)
    func range(_ original: Range<Int>?, _ offset: Int) -> Range<Int>? {
      original.flatMap(passages.rendered) ?? passages.end(before: offset).map { word(before: $0) }
    }
    var result: [MarkdownConversion.Highlight] = []
    var bare: [Range<Int>: Int] = [:]
    for highlight in plan.document.highlights {
      guard let range = range(highlight.range, highlight.range.lowerBound), !range.isEmpty else {
        continue
      }
      if highlight.note.isEmpty, highlight.tags.isEmpty { bare[range] = result.count }
      result.append(
        MarkdownConversion.Highlight(
          range: TextRange(utf16: range), color: highlight.color,
          note: highlight.styledNote?.markdown ?? highlight.note, tags: highlight.tags))
    }
    for comment in plan.comments {
      guard let range = range(comment.range, comment.offset), !range.isEmpty else { continue }
      if let index = bare.removeValue(forKey: range) {
        result[index].note = comment.text.string
      } else {
        result.append(
          MarkdownConversion.Highlight(
            range: TextRange(utf16: range), note: comment.text.string))
      }
    }
    return result.sorted {
      ($0.range.utf16.lowerBound, $0.range.utf16.upperBound)
        < ($1.range.utf16.lowerBound, $1.range.utf16.upperBound)
    }
  }

  /// The segments of the document's text.
  private struct Passages {
    let segments: [Segment]
    let units: [UInt16]

    /// Returns the number of segments at the beginning that meet a condition, which no segment
    /// after them meets. O(log segments)
    private func count(where condition: (Segment) -> Bool) -> Int {
      var (low, high) = (0, segments.count)
      while low < high {
        let middle = (low + high) / 2
        if condition(segments[middle]) { low = middle + 1 } else { high = middle }
      }
      return low
    }

    /// Returns the rendered range of a range of the original text, without line feeds at its ends;
    /// nil if nothing of it is rendered.
    func rendered(_ range: Range<Int>) -> Range<Int>? {
      let first = count { $0.offset + ($0.isOne ? 1 : $0.count) <= range.lowerBound }
      let end = count { $0.offset < range.upperBound }
      guard first < end, let start = segments[first].rendered(range)?.lowerBound,
        let stop = segments[end - 1].rendered(range)?.upperBound
      else { return nil }
      var found = start..<stop
      while !found.isEmpty, units[found.lowerBound] == 0x0A { found.removeFirst() }
      while !found.isEmpty, units[found.upperBound - 1] == 0x0A { found.removeLast() }
      return found.isEmpty ? nil : found
    }

    /// Returns the end of the rendered text before an offset of the original text; nil if nothing of
    /// the text is rendered.
    func end(before offset: Int) -> Int? {
      let index = count { $0.offset < offset }
      guard index > 0 else { return segments.first?.start }
      let near = segments[index - 1]
      return near.isOne
        ? near.range.upperBound : min(near.count, offset - near.offset) + near.start
    }
  }

  /// Returns the last word that ends at or before an offset or, if there is none, the first one
  /// after it.
  private func word(before offset: Int) -> Range<Int> {
    var end = min(offset, units.count)
    while end > 0, units[end - 1].isBlank { end -= 1 }
    var start = end
    while start > 0, !units[start - 1].isBlank { start -= 1 }
    if start < end { return start..<end }
    while end < units.count, units[end].isBlank { end += 1 }
    start = end
    while end < units.count, !units[end].isBlank { end += 1 }
    return start..<end
  }
}
