package import Model

/// Which attributes the parts of a text have of their own: runs that are sorted, disjoint and never
/// empty; neighbours differ, and what no run covers has no attributes. Offsets are UTF-16 units, below
/// 2³². Equal sets are stored once.
package struct FormatRuns<Attribute: FormatAttribute>: Sendable {
  /// The attributes of a part of the text.
  package typealias Set = AttributeSet<Attribute>

  /// A stretch with a set, which is named by its place in the table.
  @usableFromInline
  struct Run: Hashable, Sendable {
    @usableFromInline var start: UInt32
    @usableFromInline var end: UInt32
    @usableFromInline var set: UInt32

    @usableFromInline
    init(start: UInt32, end: UInt32, set: UInt32) {
      (self.start, self.end, self.set) = (start, end, set)
    }

    var range: Range<Int> { Int(start)..<Int(end) }
  }

  /// What some units of a text are replaced by, for `replace(_:)`.
  package struct Replacement: Sendable {
    /// The units that go.
    package var range: Range<Int>
    /// How many come.
    package var count: Int
    /// The attributes of those that come.
    package var set: Set

    /// Makes a replacement of its parts.
    package init(range: Range<Int>, count: Int, set: Set) {
      (self.range, self.count, self.set) = (range, count, set)
    }
  }

  // Much of it can be inlined, as unspecialized it takes several times as long.
  @usableFromInline var stored: [Run] = []
  /// The first one has no attributes.
  @usableFromInline var sets: [Set] = [Set()]
  @usableFromInline var numbers: [Set: UInt32] = [Set(): 0]

  /// Makes runs of a text without attributes.
  package init() {}

  /// How many runs there are.
  @inlinable package var count: Int { stored.count }

  /// The runs in order.
  package var runs: some RandomAccessCollection<(range: TextRange, set: Set)> {
    stored.lazy.map { (TextRange(utf16: $0.range), sets[Int($0.set)]) }
  }

  /// A run by its place among `runs`. O(1).
  @inlinable
  package func run(_ index: Int) -> (range: Range<Int>, set: Set) {
    (Int(stored[index].start)..<Int(stored[index].end), sets[Int(stored[index].set)])
  }

  /// The sets that runs have, each once, in the order in which they come. O(runs).
  package var usedSets: [Set] {
    var isUsed = [Bool](repeating: false, count: sets.count)
    return stored.compactMap { run in
      if isUsed[Int(run.set)] { return nil }
      isUsed[Int(run.set)] = true
      return sets[Int(run.set)]
    }
  }

  /// The end of the last run; 0 without one.
  @inlinable
  package var end: Int { stored.last.map { Int($0.end) } ?? 0 }

  /// Removes all runs.
  package mutating func removeAll() { self = Self() }

  // MARK: - Looking

  /// The first run that ends after an offset. O(log runs).
  func index(after offset: Int) -> Int {
    var (low, high) = (0, stored.count)
    while low < high {
      let middle = (low + high) / 2
      if Int(stored[middle].end) <= offset { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// The set of the unit at an offset. O(log runs).
  package subscript(offset: Int) -> Set {
    let index = index(after: offset)
    return index < stored.count && Int(stored[index].start) <= offset
      ? sets[Int(stored[index].set)] : Set()
  }

  /// Calls with all stretches of a range in order, also those without attributes. O(log runs + those
  /// in the range).
  package func forEach(in range: Range<Int>, _ body: (Range<Int>, Set) -> Void) {
    forEachNumber(in: range) { part, set in body(part, sets[Int(set)]) }
  }

  /// As `forEach(in:_:)` with the sets by their places in `sets`.
  func forEachNumber(in range: Range<Int>, _ body: (Range<Int>, UInt32) -> Void) {
    Self.forEachNumber(of: stored, from: index(after: range.lowerBound), in: range, body)
  }

  private static func forEachNumber(
    of runs: [Run], from first: Int, in range: Range<Int>, _ body: (Range<Int>, UInt32) -> Void
  ) {
    var position = range.lowerBound
    var index = first
    while position < range.upperBound {
      guard index < runs.count, Int(runs[index].start) < range.upperBound else {
        return body(position..<range.upperBound, 0)
      }
      let run = runs[index]
      if Int(run.start) > position { body(position..<Int(run.start), 0) }
      let start = max(position, Int(run.start))
      position = min(range.upperBound, Int(run.end))
      body(start..<position, run.set)
      index += 1
    }
  }

  // MARK: - Changing

  /// The number of a set, which it gets when it has none.
  @inlinable
  mutating func number(of set: Set) -> UInt32 {
    if let number = numbers[set] { return number }
    sets.append(set)
    numbers[set] = UInt32(sets.count - 1)
    return UInt32(sets.count - 1)
  }

  /// Adds a run at the end; a stretch before it has no attributes. O(1).
  ///
  /// - Precondition: the range begins at or after `end`.
  @inlinable
  package mutating func append(_ range: Range<Int>, _ set: Set) {
    precondition(range.lowerBound >= end, "runs are appended in order")
    if range.isEmpty || set.isEmpty { return }
    Self.add(range, number(of: set), to: &stored)
  }

  @inlinable
  static func add(_ range: Range<Int>, _ set: UInt32, to runs: inout [Run]) {
    if set == 0 || range.isEmpty { return }
    if let last = runs.last, Int(last.end) == range.lowerBound, last.set == set {
      runs[runs.count - 1].end = UInt32(range.upperBound)
    } else {
      runs.append(
        Run(start: UInt32(range.lowerBound), end: UInt32(range.upperBound), set: set))
    }
  }

  /// Gives a range one set. O(log runs + those in the range and after it, as they may move).
  package mutating func set(_ range: Range<Int>, to set: Set) {
    update(range) { _ in set }
  }

  /// Changes the sets of a range. `transform` is called once for each set there is in the range.
  /// O(log runs + those in the range and after it).
  package mutating func update(_ range: Range<Int>, _ transform: (Set) -> Set) {
    update([(range, 0)]) { set, _ in transform(set) }
  }

  /// Changes the sets of some ranges, which are of classes numbered from 0. `transform` is called
  /// once for each pair of a set and a class. O(log runs + those between the ranges and after).
  ///
  /// - Precondition: the ranges are sorted and disjoint.
  mutating func update(
    _ parts: [(range: Range<Int>, class: Int)], _ transform: (Set, Int) -> Set
  ) {
    guard let first = parts.first?.range.lowerBound, let last = parts.last?.range.upperBound,
      first < last
    else { return }
    let classes = 1 + (parts.map(\.class).max() ?? 0)
    var known = [UInt32](repeating: .max, count: sets.count * classes)
    var result: [Run] = []
    // The run before is a part of it, for it may become one with the first.
    let begin = max(0, index(after: first) - 1)
    var position = begin < stored.count ? min(first, Int(stored[begin].start)) : first
    func keep(to offset: Int) {
      if position >= offset { return }
      forEachNumber(in: position..<offset) { Self.add($0, $1, to: &result) }
      position = offset
    }
    for part in parts {
      precondition(part.range.lowerBound >= position, "ranges are sorted and disjoint")
      keep(to: part.range.lowerBound)
      let first = index(after: part.range.lowerBound)
      Self.forEachNumber(of: stored, from: first, in: part.range) { range, set in
        let key = Int(set) * classes + part.class
        if known[key] == .max { known[key] = number(of: transform(sets[Int(set)], part.class)) }
        Self.add(range, known[key], to: &result)
      }
      position = part.range.upperBound
    }
    // The run around the end, and the next one, which may become one with the last.
    var rest = index(after: last)
    if rest < stored.count {
      let run = stored[rest]
      Self.add(max(last, Int(run.start))..<Int(run.end), run.set, to: &result)
      rest += 1
    }
    stored.replaceSubrange(begin..<rest, with: result)
    compactWhenStale()
  }

  /// Moves the runs through replacements of parts of the text. O(runs + replacements).
  ///
  /// - Precondition: the ranges are of the text before any of them, sorted and disjoint.
  package mutating func replace(_ replacements: [Replacement]) {
    var result: [Run] = []
    result.reserveCapacity(stored.count + replacements.count * 2)
    var index = 0
    var position = 0
    var shift = 0
    // What stands before an offset of the old text, from where the last one ended.
    func keep(to offset: Int) {
      while index < stored.count, Int(stored[index].start) < offset {
        let run = stored[index]
        let start = max(position, Int(run.start))
        let end = min(offset, Int(run.end))
        if start < end { Self.add(start + shift..<end + shift, run.set, to: &result) }
        if Int(run.end) > offset { break }
        index += 1
      }
      position = max(position, offset)
    }
    for replacement in replacements {
      precondition(replacement.range.lowerBound >= position, "ranges are sorted and disjoint")
      keep(to: replacement.range.lowerBound)
      let start = replacement.range.lowerBound + shift
      let set = number(of: replacement.set)
      Self.add(start..<start + replacement.count, set, to: &result)
      position = replacement.range.upperBound
      while index < stored.count, Int(stored[index].end) <= position { index += 1 }
      shift += replacement.count - replacement.range.count
    }
    keep(to: Int.max)
    stored = result
    compactWhenStale()
  }

  /// The runs of a range, counted from its start. O(log runs + those in the range).
  package func slice(_ range: Range<Int>) -> Self {
    var result = Self()
    forEach(in: range) { part, set in
      result.append(part.lowerBound - range.lowerBound..<part.upperBound - range.lowerBound, set)
    }
    return result
  }

  /// The runs with each set as `transform` gives it. O(runs).
  package func mapSets(_ transform: (Set) -> Set) -> Self {
    var result = self
    result.update(0..<end, transform)
    return result
  }

  /// Sets that no run has any more are dropped when they are many.
  private mutating func compactWhenStale() {
    guard sets.count > 64 + 2 * stored.count else { return }
    let old = sets
    sets = [Set()]
    numbers = [Set(): 0]
    for index in stored.indices { stored[index].set = number(of: old[Int(stored[index].set)]) }
  }

  /// What is wrong with the runs; nil when they are as they are promised. O(runs). For tests.
  package var brokenPromise: String? {
    for (index, run) in stored.enumerated() {
      if run.start >= run.end { return "run \(index) is empty" }
      if run.set == 0 || sets[Int(run.set)].isEmpty { return "run \(index) has no attributes" }
      guard index > 0 else { continue }
      let before = stored[index - 1]
      if before.end > run.start { return "run \(index) overlaps the one before" }
      if before.end == run.start, sets[Int(before.set)] == sets[Int(run.set)] {
        return "run \(index) equals the one before"
      }
    }
    return Swift.Set(sets).count == sets.count ? nil : "a set is stored twice"
  }
}

extension FormatRuns: Equatable {
  /// Whether the same units have the same attributes. O(runs).
  package static func == (a: Self, b: Self) -> Bool {
    a.stored.count == b.stored.count
      && zip(a.stored, b.stored).allSatisfy {
        $0.range == $1.range && a.sets[Int($0.set)] == b.sets[Int($1.set)]
      }
  }
}

extension FormatRuns {
  /// Where each value of a kind stands: neighbours differ. O(runs).
  package func values(of kind: Attribute.Kind) -> [(range: Range<Int>, value: Attribute)] {
    var values: [(range: Range<Int>, value: Attribute)] = []
    for (range, set) in runs {
      guard let value = set[kind] else { continue }
      if let last = values.last, last.value == value,
        last.range.upperBound == range.utf16.lowerBound
      {
        values[values.count - 1].range = last.range.lowerBound..<range.utf16.upperBound
      } else {
        values.append((range.utf16, value))
      }
    }
    return values
  }
}
