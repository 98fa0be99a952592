/// The passages of a document that were found with certainty. They show where to expect the
/// passages between them.
struct Landmarks {
  /// The minimum score of a place that is used as a landmark.
  static let leastScore = 0.94

  private let all: [(old: Int, new: Int)]

  /// Creates landmarks from pairs of a passage's old and new offset in UTF-16 units.
  init(_ all: [(old: Int, new: Int)]) {
    self.all = all.sorted { ($0.old, $0.new) < ($1.old, $1.new) }
  }

  var isEmpty: Bool { all.isEmpty }

  /// Returns the probable shift of the text at an old offset, in UTF-16 units: the shift of the
  /// nearest landmark, or 0 if there are no landmarks. O(log landmarks).
  func shift(at old: Int) -> Int {
    let next = firstAfter(old)
    let sides = [next - 1, next].filter(all.indices.contains)
    guard let nearest = sides.min(by: { abs(all[$0].old - old) < abs(all[$1].old - old) }) else {
      return 0
    }
    return all[nearest].new - all[nearest].old
  }

  private func firstAfter(_ old: Int) -> Int {
    var (low, high) = (0, all.count)
    while low < high {
      let middle = (low + high) / 2
      if all[middle].old <= old { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
