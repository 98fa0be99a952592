/// The passages of a document whose places are beyond doubt, to tell where others between them are
/// to be expected.
struct Landmarks {
  /// The least score of a place that counts as one.
  static let leastScore = 0.94

  private let all: [(old: Int, new: Int)]

  /// Takes pairs of a unit at which a passage stood and the one at which it stands now.
  init(_ all: [(old: Int, new: Int)]) {
    self.all = all.sorted { ($0.old, $0.new) < ($1.old, $1.new) }
  }

  var isEmpty: Bool { all.isEmpty }

  /// How far what stood at a unit has probably shifted: as the nearest landmark did. O(log landmarks).
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
