import MarkdownParse
import Model

extension LeafSpan {
  /// Returns old and new spans as one list, outer spans first. If two spans cover the same pieces,
  /// the new one is outside if `newOutside` is true. Code is always inside, because it can't
  /// contain spans.
  static func nested(_ old: [LeafSpan], _ new: [LeafSpan], newOutside: Bool) -> [LeafSpan] {
    let all = newOutside ? new + old : old + new
    return all.enumerated().sorted {
      let (a, b) = ($0.element.pieces, $1.element.pieces)
      let inner = ($0.element.isCode ? 1 : 0, $1.element.isCode ? 1 : 0)
      return (a.lowerBound, -a.upperBound, inner.0, $0.offset)
        < (b.lowerBound, -b.upperBound, inner.1, $1.offset)
    }.map(\.element)
  }

  /// Returns the span with all forms of its style if one of its borders is at or inside a range.
  func withOtherForms(ifTouching ranges: [Range<Int>]) -> LeafSpan {
    guard case .style(let style) = kind, ranges.contains(where: { touches($0) }) else {
      return self
    }
    var span = self
    span.forms += style.delimiters.map { Form(open: $0, close: $0) }.filter { !forms.contains($0) }
    return span
  }

  private func touches(_ range: Range<Int>) -> Bool {
    let reach = range.lowerBound...range.upperBound
    return reach.contains(pieces.lowerBound) || reach.contains(pieces.upperBound)
  }
}

extension Leaf {
  /// Returns a run without white space and silent pieces at its ends. Keeps an end that is also the
  /// end of an old run.
  func trimmed(_ run: Range<Int>, keeping old: [Range<Int>]) -> Range<Int> {
    var run = run
    while let first = run.first, pieces[first].isSpace || pieces[first].isSilent,
      !old.contains(where: { $0.lowerBound == first })
    { run = run.dropFirst() }
    while let last = run.last, pieces[last].isSpace || pieces[last].isSilent,
      !old.contains(where: { $0.upperBound == last + 1 })
    { run = run.dropLast() }
    return run
  }

  /// Returns runs divided at the borders of the spans that they cross, so that everything nests.
  func splitting(_ runs: [Range<Int>], at spans: [LeafSpan], keeping old: [Range<Int>]) -> [Range<
    Int
  >] {
    var parts = runs
    for span in spans {
      parts = parts.flatMap { part -> [Range<Int>] in
        guard part.crosses(span.pieces) else { return [part] }
        return part.divided(at: [span.pieces.lowerBound, span.pieces.upperBound])
      }
    }
    return parts.map { trimmed($0, keeping: old) }.filter { !$0.isEmpty }
  }

  /// Returns spans divided at the ends of the runs that cross them. Nil if a span can't be divided,
  /// or if no span needs to be.
  func splitting(_ spans: [LeafSpan], at runs: [Range<Int>]) -> [LeafSpan]? {
    var result: [LeafSpan] = []
    var isDivided = false
    for span in spans {
      let cuts = runs.filter { $0.crosses(span.pieces) }.flatMap { [$0.lowerBound, $0.upperBound] }
      guard !cuts.isEmpty else {
        result.append(span)
        continue
      }
      guard case .style(let style) = span.kind, style != .code else { return nil }
      isDivided = true
      for part in span.pieces.divided(at: Set(cuts)) {
        let part = trimmed(part, keeping: [span.pieces])
        guard !part.isEmpty else { continue }
        var piece = span
        piece.pieces = part
        piece.isNew = true
        piece.forms += style.delimiters.map { LeafSpan.Form(open: $0, close: $0) }
          .filter { !span.forms.contains($0) }
        result.append(piece)
      }
    }
    return isDivided ? result : nil
  }

  /// Returns the expected styles of the leaf. At the borders of the `kept` spans, white space may
  /// lack a style.
  func expectation(_ styles: [CharacterStyle], _ document: ParsedDocument, kept: [LeafSpan])
    -> LeafExpectation
  {
    let text = document.blocks[block].text.utf16
    var isBroken = [Bool](repeating: false, count: text.count)
    for piece in pieces {
      if piece.isHardBreak { isBroken[piece.text.lowerBound - text.lowerBound] = true }
      guard piece.isSilent else { continue }
      for unit in [piece.text.lowerBound - 1, piece.text.lowerBound] where text.contains(unit) {
        isBroken[unit - text.lowerBound] = true
      }
    }
    for border in kept.flatMap({ [$0.pieces.lowerBound, $0.pieces.upperBound] }) {
      for index in [border - 1, border] where pieces.indices.contains(index) {
        let units = pieces[index].text
        guard !units.isEmpty else { continue }
        isBroken[(index < border ? units.upperBound - 1 : units.lowerBound) - text.lowerBound] =
          true
      }
    }
    return LeafExpectation(
      styles: styles, isSpace: document.text.utf16[text].map(\.isSpaceUnit), isBroken: isBroken)
  }
}

extension Range<Int> {
  /// Returns whether the whole range is inside another.
  func isInside(_ other: Range<Int>) -> Bool {
    other.lowerBound <= lowerBound && upperBound <= other.upperBound
  }

  /// Returns whether two ranges overlap and neither contains the other.
  func crosses(_ other: Range<Int>) -> Bool {
    overlaps(other) && !isInside(other) && !other.isInside(self)
  }

  /// Returns the parts of the range between the offsets inside it.
  func divided(at places: Set<Int>) -> [Range<Int>] {
    let inner = places.filter { $0 > lowerBound && $0 < upperBound }.sorted()
    return zip([lowerBound] + inner, inner + [upperBound]).map { $0..<$1 }
  }
}

extension [Bool] {
  /// The runs of true values, each as long as possible.
  var runs: [Range<Int>] {
    var runs: [Range<Int>] = []
    for (index, isSet) in enumerated() where isSet {
      if let last = runs.last, last.upperBound == index {
        runs[runs.count - 1] = last.lowerBound..<index + 1
      } else {
        runs.append(index..<index + 1)
      }
    }
    return runs
  }
}
