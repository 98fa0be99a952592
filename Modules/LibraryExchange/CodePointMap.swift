import Model
import Workspace

/// Converts ranges of code points in a text to UTF-16 ranges. Building the map is O(units); each
/// conversion is O(log pairs).
struct CodePointMap {
  /// The indices of the code points that need a surrogate pair, in ascending order.
  private let pairs: [Int]
  /// The number of code points in the text.
  private let count: Int

  /// Builds the map of a text. O(units).
  init(_ units: [UInt16]) {
    var pairs: [Int] = []
    var point = 0
    for unit in units where unit & 0xFC00 != 0xDC00 {
      if unit & 0xFC00 == 0xD800 { pairs.append(point) }
      point += 1
    }
    (self.pairs, count) = (pairs, point)
  }

  /// Returns the UTF-16 range of a range of code points; nil if it is not inside the text.
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
