package import Model

/// The direct attributes of the parts of a text.
///
/// Runs are sorted, disjoint and not empty. Adjacent runs differ, and units outside all runs have
/// no attributes. Offsets are UTF-16 units, below 2³². Equal sets are stored once.
package struct FormatRuns<Attribute: FormatAttribute>: Sendable {
  /// The attributes of a part of the text.
  package typealias Set = AttributeSet<Attribute>

  /// A range and the index of its set in `sets`.
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

  /// The replacement of some units of a text, for `replace(_:)`.
  package struct Replacement: Sendable {
    /// The units to remove.
    package var range: Range<Int>
    /// The number of units to insert.
    package var count: Int
    /// The attributes of the inserted units.
    package var set: Set

    package init(range: Range<Int>, count: Int, set: Set) {
      (self.range, self.count, self.set) = (range, count, set)
    }
  }

  // Much of this type is inlinable, because unspecialized code takes several times as long.
  @usableFromInline var stored: [Run] = []
  /// The distinct sets. The first one is empty.
  @usableFromInline var sets: [Set] = [Set()]
  @usableFromInline var numbers: [Set: UInt32] = [Set(): 0]

  /// Creates the runs of a text without attributes.
  package init() {}

  /// The number of runs.
  @inlinable package var count: Int { stored.count }

  /// The runs in order.
  package var runs: some RandomAccessCollection<(range: TextRange, set: Set)> {
    stored.lazy.map { (TextRange(utf16: $0.range), sets[Int($0.set)]) }
  }

  /// Returns the run at an index of `runs`. O(1).
  @inlinable
  package func run(_ index: Int) -> (range: Range<Int>, set: Set) {
    (Int(stored[index].start)..<Int(stored[index].end), sets[Int(stored[index].set)])
  }

  /// The sets in use, each once, in the order of their first run. O(runs).
  package var usedSets: [Set] {
    var isUsed = [Bool](repeating: false, count: sets.count)
    return stored.compactMap { run in
      if isUsed[Int(run.set)] { return nil }
      isUsed[Int(run.set)] = true
      return sets[Int(run.set)]
    }
  }

  /// The end of the last run, or 0 if there are no runs.
  @inlinable
  package var end: Int { stored.last.map { Int($0.end) } ?? 0 }

  /// Removes all attributes.
  package mutating func removeAll() { self = Self() }

  // MARK: - Queries

  /// Returns the index of the first run that ends after an offset. O(log runs).
  func index(after offset: Int) -> Int {
    var (low, high) = (0, stored.count)
    while low < high {
      let middle = (low + high) / 2
      if Int(stored[middle].end) <= offset { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// The set of the unit at an offset; empty beyond the last run. O(log runs).
  package subscript(offset: Int) -> Set {
    let index = index(after: offset)
    return index < stored.count && Int(stored[index].start) <= offset
      ? sets[Int(stored[index].set)] : Set()
  }

  /// Calls `body` with all parts of a range in order, including those without attributes. O(log
  /// runs + runs in the range).
  package func forEach(in range: Range<Int>, _ body: (Range<Int>, Set) -> Void) {
    forEachNumber(in: range) { part, set in body(part, sets[Int(set)]) }
  }

  /// Like `forEach(in:_:)`, with the index of each set in `sets`.
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

  /// Returns the index of a set in `sets`, adding it if necessary.
  @inlinable
  mutating func number(of set: Set) -> UInt32 {
    if let number = numbers[set] { return number }
    sets.append(set)
    numbers[set] = UInt32(sets.count - 1)
    return UInt32(sets.count - 1)
  }

  /// Appends a run. Units between `end` and the run have no attributes. O(1).
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

  /// Sets the attributes of a range. O(log runs + runs in and after the range).
  package mutating func set(_ range: Range<Int>, to set: Set) {
    update(range) { _ in set }
  }

  /// Changes the sets of a range. Calls `transform` once for each distinct set in the range. O(log
  /// runs + runs in and after the range).
  package mutating func update(_ range: Range<Int>, _ transform: (Set) -> Set) {
    update([(range, 0)]) { set, _ in transform(set) }
  }

  /// Changes the sets of some ranges. Each range has a class, numbered from 0. Calls `transform`
  /// once for each distinct pair of a set and a class. O(log runs + runs between and after the
  /// ranges).
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
    // Include the run before, which may merge with the first.
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
    // The run around the end, or the next one, which may merge with the last.
    var rest = index(after: last)
    if rest < stored.count {
      let run = stored[rest]
      Self.add(max(last, Int(run.start))..<Int(run.end), run.set, to: &result)
      rest += 1
    }
    stored.replaceSubrange(begin..<rest, with: result)
    compactWhenStale()
  }

  /// Adjusts the runs to replacements in the text. O(runs + replacements).
  ///
  /// - Precondition: the ranges refer to the old text and are sorted and disjoint.
  package mutating func replace(_ replacements: [Replacement]) {
    var result: [Run] = []
    result.reserveCapacity(stored.count + replacements.count * 2)
    var index = 0
    var position = 0
    var shift = 0
    // Copies the runs between the last replacement and an offset of the old text.
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

  /// Returns the runs of a range, with offsets relative to its start. O(log runs + runs in the
  /// range).
  package func slice(_ range: Range<Int>) -> Self {
    var result = Self()
    forEach(in: range) { part, set in
      result.append(part.lowerBound - range.lowerBound..<part.upperBound - range.lowerBound, set)
    }
    return result
  }

  /// Returns the runs with each set transformed. O(runs).
  package func mapSets(_ transform: (Set) -> Set) -> Self {
    var result = self
    result.update(0..<end, transform)
    return result
  }

  /// Removes unused sets if there are many.
  private mutating func compactWhenStale() {
    guard sets.count > 64 + 2 * stored.count else { return }
    let old = sets
    sets = [Set()]
    numbers = [Set(): 0]
    for index in stored.indices { stored[index].set = number(of: old[Int(stored[index].set)]) }
  }

  /// The first violated invariant, or nil if the runs are valid. O(runs). For tests.
  package var violatedInvariant: String? {
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
  /// Returns whether the same units have the same attributes. O(runs).
  package static func == (a: Self, b: Self) -> Bool {
    a.stored.count == b.stored.count
      && zip(a.stored, b.stored).allSatisfy {
        $0.range == $1.range && a.sets[Int($0.set)] == b.sets[Int($1.set)]
      }
  }
}

extension FormatRuns {
  /// Returns the ranges of each value of a kind, in order; adjacent ranges differ. O(runs).
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
