import Model

/// The highlights of a document while a list is read. Tags, origins and contexts are added for all
/// of them together, because a query for each highlight would take several times as long.
struct ListedHighlights {
  fileprivate(set) var highlights: [Highlight] = []
  /// The keys of their rows.
  private(set) var keys: [Int64] = []
  private(set) var areImported: [Bool] = []

  var indices: Range<Int> { highlights.indices }

  mutating func append(_ highlight: Highlight, key: Int64, isImported: Bool) {
    highlights.append(highlight)
    keys.append(key)
    areImported.append(isImported)
  }

  /// Removes the highlights at the indexes that do not meet a condition.
  mutating func keep(_ isWanted: (Int) -> Bool) {
    let kept = indices.filter(isWanted)
    if kept.count == highlights.count { return }
    (highlights, keys, areImported) = (
      kept.map { highlights[$0] }, kept.map { keys[$0] }, kept.map { areImported[$0] }
    )
  }
}

extension ReadTransaction {
  /// Adds the values that the rows of a document's highlights do not contain. These are the tags
  /// and, depending on the detail of the list, the origins and the text around the passages. A
  /// highlight with an unreadable value is removed and reported. O(highlights × log).
  func complete(_ group: inout ListedHighlights, _ detail: HighlightFilter.Detail) throws {
    try addTags(to: &group)
    guard detail == .all || detail == .withoutContext && group.areImported.contains(true) else {
      return
    }
    let properties = try ListedProperties(of: group, words: detail == .all, in: self)
    var unreadable: Set<Int> = []
    for index in group.indices {
      do {
        try properties.complete(&group.highlights[index], at: index)
      } catch {
        database.onProblem?(error)
        unreadable.insert(index)
      }
    }
    if !unreadable.isEmpty { group.keep { !unreadable.contains($0) } }
  }

  private func addTags(to group: inout ListedHighlights) throws {
    let order = group.indices.map { (key: group.keys[$0], index: $0) }.sorted { $0.key < $1.key }
    for part in order.parts(where: { $1.key - $0.key <= ListedProperties.nearby }) {
      var rest = part
      // The names are read in the order of their bytes, which is the order of the table.
      try forEach(
        "SELECT highlight, name FROM tag WHERE highlight BETWEEN ? AND ? ORDER BY highlight, name",
        [part.first?.key, part.last?.key]
      ) { row in
        let key = try row.integer(0)
        while let first = rest.first, first.key < key { rest.removeFirst() }
        if let first = rest.first, first.key == key {
          group.highlights[first.index].tags.append(try row.text(1))
        }
        return true
      }
    }
  }
}

/// The contexts and the origins of some highlights. Only the operations store them.
private struct ListedProperties {
  /// The newest operation on a field so far.
  private struct Version {
    /// The order of operations; the greatest is current.
    var (time, replica, sequence): (Int64, Int64, Int64)
    var value: Result<Operation.Value, BadValue>
  }

  private var origins: [Version?]
  private var passages: [Version?]

  /// The maximum distance of successive sequence numbers in one query. The query reads all rows
  /// from the first number to the last.
  static let nearby: Int64 = 16

  /// The queries for operations: the first for operations close to the creation of their records,
  /// the second for all other operations.
  private static let queries = [
    """
    sequence BETWEEN ?1 AND ?2 + \(Operation.besideCount - 1) AND replica = ?3
    AND NOT \(Operation.isApart())
    """,
    "record_sequence BETWEEN ?1 AND ?2 AND record_replica = ?3 AND \(Operation.isApart())",
  ].map { condition in
    """
    SELECT time, replica, sequence, record_sequence, field = 'origin', value FROM operation
    WHERE \(condition) AND (field = 'origin' AND value IS NOT NULL OR field = ?4)
    """
  }

  /// Reads the values for the highlights of a group.
  ///
  /// - Parameter words: whether the text around the passages is read.
  init(of group: ListedHighlights, words: Bool, in transaction: ReadTransaction) throws {
    origins = Array(repeating: nil, count: group.highlights.count)
    passages = origins
    let order = group.indices.filter { words || group.areImported[$0] }
      .map { (dot: group.highlights[$0].id.dot, index: $0) }
      .sorted { ($0.dot.replica, $0.dot.sequence) < ($1.dot.replica, $1.dot.sequence) }
    let parts = order.parts {
      $0.dot.replica == $1.dot.replica && $1.dot.sequence - $0.dot.sequence <= Self.nearby
    }
    for part in parts {
      guard let first = part.first?.dot, let last = part.last?.dot else { continue }
      for query in Self.queries {
        try transaction.database.forEach(
          query,
          [first.sequence, last.sequence, first.storedReplica, words ? "selector" : "origin"]
        ) { row in
          let sequence = try row.integer(3)
          if let index = part.index(of: sequence) {
            try add(row, at: index, isImported: group.areImported[index])
          }
          return true
        }
      }
    }
  }

  private mutating func add(_ row: DatabaseRow, at index: Int, isImported: Bool) throws {
    let isOrigin = try row.flag(4)
    if isOrigin, !isImported { return }
    let (time, replica, sequence) = (try row.integer(0), try row.integer(1), try row.integer(2))
    if let known = isOrigin ? origins[index] : passages[index],
      (known.time, known.replica, known.sequence) > (time, replica, sequence)
    {
      return
    }
    let value: Result<Operation.Value, BadValue>
    do { value = .success(try row.value(5)) } catch let problem as BadValue {
      value = .failure(problem)
    }
    let version = Version(time: time, replica: replica, sequence: sequence, value: value)
    if isOrigin { origins[index] = version } else { passages[index] = version }
  }

  /// Adds the values of the highlight at an index of the group.
  ///
  /// - Throws: `BadValue` if a value is unreadable.
  func complete(_ highlight: inout Highlight, at index: Int) throws(BadValue) {
    if case .selector(let selector)? = try passages[index]?.value.get() {
      highlight.selector.prefix = selector.prefix
      highlight.selector.suffix = selector.suffix
    }
    if case .text(let text)? = try origins[index]?.value.get() {
      highlight.origin = StoredOrigin(text: text)
    }
  }
}

extension ArraySlice<(dot: Dot, index: Int)> {
  /// Returns the group index of the element with a sequence. The slice must be sorted by sequence.
  /// O(log count).
  fileprivate func index(of sequence: Int64) -> Int? {
    var (low, high) = (startIndex, endIndex)
    while low < high {
      let middle = low + (high - low) / 2
      if self[middle].dot.sequence < sequence { low = middle + 1 } else { high = middle }
    }
    return low < endIndex && self[low].dot.sequence == sequence ? self[low].index : nil
  }
}

extension Array {
  /// Splits the array between all neighbours for which `belongs` returns false. O(count).
  fileprivate func parts(where belongs: (Element, Element) -> Bool) -> [ArraySlice<Element>] {
    var parts: [ArraySlice<Element>] = []
    var start = 0
    for end in indices.dropFirst() where !belongs(self[end - 1], self[end]) {
      parts.append(self[start..<end])
      start = end
    }
    if start < count { parts.append(self[start...]) }
    return parts
  }
}
