import Model

/// Turns code points of a text into UTF-16 units: made once, then O(log pairs) for each place.
struct CodePointMap {
  /// The code points that take two units each, in order.
  private let pairs: [Int]
  /// How many code points there are.
  private let count: Int

  /// Looks through a text. O(units).
  init(_ units: [UInt16]) {
    var pairs: [Int] = []
    var point = 0
    for unit in units where unit & 0xFC00 != 0xDC00 {
      if unit & 0xFC00 == 0xD800 { pairs.append(point) }
      point += 1
    }
    (self.pairs, count) = (pairs, point)
  }

  /// The units of some code points; nil when there are fewer.
  func units(of points: Range<Int>) -> TextRange? {
    guard points.lowerBound >= 0, points.upperBound <= count else { return nil }
    return TextRange(utf16: unit(points.lowerBound)..<unit(points.upperBound))
  }

  private func unit(_ point: Int) -> Int {
    var (low, high) = (0, pairs.count)
    while low < high {
      let middle = (low + high) / 2
      if pairs[middle] < point { low = middle + 1 } else { high = middle }
    }
    return point + low
  }
}
