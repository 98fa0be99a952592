import Model
import Search

/// Finds the ranges whose edit distance to a quote is at most a fifth of its length, with the
/// bit-parallel columns of Myers (1999) in blocks as described by Hyyrö (2003). Two neighbouring
/// characters in the wrong order count as one edit. O(text × quote / 64).
struct ApproximateSearcher: TextSearcher {
  private let quote: [UInt32]
  private let limit: Int
  private let wholeWords: Bool
  let filter: TextFilter
  /// The positions of each scalar in the quote, as bit sets: for ASCII by its number, for others in
  /// a dictionary.
  private let ascii: [UInt64]
  private let others: [UInt32: [UInt64]]
  private let blocks: Int

  init(_ quote: [UInt32], _ query: SearchQuery) {
    self.quote = quote
    wholeWords = query.wholeWords
    limit = quote.count < 4 ? 0 : max(1, quote.count / 5)
    blocks = (quote.count + 63) / 64
    var ascii = [UInt64](repeating: 0, count: 128 * blocks)
    var others: [UInt32: [UInt64]] = [:]
    for (index, scalar) in quote.enumerated() {
      let bit = UInt64(1) << UInt64(index & 63)
      if scalar < 128 {
        ascii[Int(scalar) * blocks + index >> 6] |= bit
      } else {
        others[scalar, default: [UInt64](repeating: 0, count: blocks)][index >> 6] |= bit
      }
    }
    self.ascii = ascii
    self.others = others
    // If the quote is divided into more pieces than there are differences, at least one piece is
    // unchanged, or its last character is exchanged with the first one of the next piece.
    let pieces = limit + 1
    let borders = (0...pieces).map { quote.count * $0 / pieces }
    let parts = (0..<pieces).flatMap { piece in
      let part = quote[borders[piece]..<borders[piece + 1]]
      return piece + 1 < pieces ? [part, part.dropLast() + [quote[borders[piece + 1]]]] : [part]
    }
    filter =
      TextFilter.any(
        parts.map { part in
          var text = String.UnicodeScalarView()
          for scalar in part { text.append(Unicode.Scalar(scalar) ?? " ") }
          return .substring(String(text))
        }
      ).simplified
  }

  /// The state of one column: the cells that are one more, or one less, than the cell above them.
  private struct Column {
    var plus: [UInt64]
    var minus: [UInt64]
    /// The cells that are equal to the cell above and to the left of them.
    var diagonal: [UInt64]
    /// The positions of the column's character in the quote.
    var equal: [UInt64]
    /// The value of the last cell, the distance of the whole quote.
    var score: Int

    init(_ count: Int, blocks: Int) {
      plus = [UInt64](repeating: .max, count: blocks)
      minus = [UInt64](repeating: 0, count: blocks)
      diagonal = minus
      equal = minus
      score = count
    }
  }

  func search(
    _ text: UnsafeBufferPointer<UInt8>, from start: Int, watch: SearchWatch,
    found: (Range<Int>) -> Bool
  ) -> SearchOutcome {
    text.withCanonical(from: start) { text, start, original in
      find(in: text, from: start, watch: watch) { found(original($0)) }
    }
  }

  private func find(
    in text: UnsafeBufferPointer<UInt8>, from start: Int, watch: SearchWatch,
    found: (Range<Int>) -> Bool
  ) -> SearchOutcome {
    var borders = GraphemeBorders(text)
    var column = Column(quote.count, blocks: blocks)
    var index = start
    // The end of the last match, before which no match may begin.
    var floor = start
    var best: (end: Int, score: Int, steps: Int)?
    var nextLook = start
    while true {
      var isOver = index >= text.count
      if !isOver {
        if index >= nextLook {
          nextLook = index + 1 << 18
          if let reason = watch.reasonToStop { return reason }
        }
        let (scalar, next) = Self.scalar(index, text)
        index = next
        let (folded, kind) = TextFolding.fold(scalar)
        if kind == .mark {
          // A combining mark right after a match belongs to the match's last letter.
          if let end = best?.end, end == index - 2 || end == index - 3 { best?.end = index }
          continue
        }
        advance(&column, folded)
        if column.score <= limit {
          if column.score < best?.score ?? .max { best = (index, column.score, 0) }
        } else {
          isOver = best != nil
        }
        if let steps = best?.steps {
          best?.steps = steps + 1
          if steps > limit { isOver = true }
        }
      }
      guard isOver else { continue }
      guard let place = best else { return .complete }
      best = nil
      let first = beginning(of: place.end, floor, text)
      let range = borders.widened(first..<place.end, from: floor)
      if !range.isEmpty, !wholeWords || WordBorder.surrounds(range, in: text) {
        guard found(range) else { return .cancelled }
      }
      // The search restarts at the end of the match.
      index = range.upperBound
      floor = range.upperBound
      column = Column(quote.count, blocks: blocks)
    }
  }

  /// Computes the column for the next character of the text.
  private func advance(_ column: inout Column, _ scalar: UInt32) {
    let other = scalar < 128 ? nil : others[scalar]
    var carryPlus: UInt64 = 0
    var carryMinus: UInt64 = 0
    var carryExchange: UInt64 = 0
    for block in 0..<blocks {
      var equal = scalar < 128 ? ascii[Int(scalar) * blocks + block] : other?[block] ?? 0
      let (plus, minus) = (column.plus[block], column.minus[block])
      // The cells in which this character and the one before it are exchanged.
      let open = ~column.diagonal[block] & equal
      let exchanged = (open << 1 | carryExchange) & column.equal[block]
      carryExchange = open >> 63
      column.equal[block] = equal
      equal |= carryMinus
      let horizontal = (((equal & plus) &+ plus) ^ plus) | equal | exchanged
      let vertical = horizontal | minus
      column.diagonal[block] = vertical
      var up = minus | ~(horizontal | plus)
      var down = plus & horizontal
      if block == blocks - 1 {
        let last = UInt64(1) << UInt64((quote.count - 1) & 63)
        if up & last != 0 { column.score += 1 }
        if down & last != 0 { column.score -= 1 }
      }
      let (outPlus, outMinus) = (up >> 63, down >> 63)
      // The row above the quote is all zeros, because a match may begin anywhere.
      up = up << 1 | carryPlus
      down = down << 1 | carryMinus
      (carryPlus, carryMinus) = (outPlus, outMinus)
      column.plus[block] = down | ~(vertical | up)
      column.minus[block] = up & vertical
    }
  }

  /// Returns the start of the match that ends at a byte: the one with the smallest distance,
  /// preferably at a word boundary. O(quote²).
  private func beginning(of end: Int, _ earliest: Int, _ text: UnsafeBufferPointer<UInt8>) -> Int {
    // The distances between the ends of the quote and the text that was read backwards.
    var row = Array(0...quote.count)
    // The distances before the last and the one before it, and the last scalar, for exchanges.
    var (before, older): ([Int], [Int]) = (row, [])
    var last: UInt32?
    var best = (cost: Int.max, isInside: true, start: end)
    var index = end
    for _ in 0..<quote.count + limit {
      guard index > earliest else { break }
      var start = index - 1
      while start > earliest, text[start] & 0xC0 == 0x80 { start -= 1 }
      index = start
      let (scalar, kind) = TextFolding.fold(Self.scalar(start, text).value)
      if kind == .mark { continue }
      (older, before) = (before, row)
      var diagonal = row[0]
      row[0] += 1
      for place in 1...quote.count {
        let same = quote[quote.count - place] == scalar
        var cost = min(diagonal + (same ? 0 : 1), row[place] + 1, row[place - 1] + 1)
        if place > 1, quote[quote.count - place] == last,
          quote[quote.count - place + 1] == scalar
        {
          cost = min(cost, older[place - 2] + 1)
        }
        diagonal = row[place]
        row[place] = cost
      }
      last = scalar
      let cost = row[quote.count]
      guard cost <= best.cost else { continue }
      let isInside = !WordBorder.surrounds(start..<text.count, in: text)
      if cost < best.cost || best.isInside && !isInside { best = (cost, isInside, start) }
    }
    return best.start
  }

  /// Returns the scalar that begins at an offset, and its end.
  @inline(__always)
  private static func scalar(_ start: Int, _ text: UnsafeBufferPointer<UInt8>) -> (
    value: UInt32, end: Int
  ) {
    let lead = text[start]
    if lead < 0x80 { return (UInt32(lead), start + 1) }
    let length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2
    let end = min(start + length, text.count)
    var value = UInt32(lead) & (0x7F >> UInt32(length))
    var index = start + 1
    while index < end {
      value = value << 6 | UInt32(text[index] & 0x3F)
      index += 1
    }
    return (value, end)
  }
}
