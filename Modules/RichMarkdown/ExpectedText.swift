import Model

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

  /// Returns the comments, each with the range of the word before its mark.
  func comments(_ plan: ConversionPlan) -> [MarkdownConversion.Comment] {
    // The segments of the document's text are in its order.
    let textSegments = segments.filter { $0.source == 0 }
    var index = 0
    return plan.comments.compactMap { comment in
      while index < textSegments.count, textSegments[index].offset < comment.offset { index += 1 }
      let before = index > 0 ? textSegments[index - 1] : nil
      guard let near = before ?? textSegments.first else { return nil }
      let end =
        before == nil
        ? near.start
        : near.isOne
          ? near.range.upperBound : min(near.count, comment.offset - near.offset) + near.start
      return MarkdownConversion.Comment(
        range: TextRange(utf16: word(before: end)), text: comment.text)
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
