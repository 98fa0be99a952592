package import Model

/// A page that is laid out only where it is shown, so that a text of any length opens at once.
///
/// Its rows are named by chunk and row, as nobody knows how many rows stand before. What is far from
/// the last look is forgotten.
package struct LazyLayout {
  /// A row of the page.
  package struct Position: Hashable, Comparable, Sendable {
    /// The chunk, from 0.
    package var chunk: Int
    /// The row in it, from 0.
    package var row: Int

    /// Makes a place of its parts.
    package init(chunk: Int, row: Int) { (self.chunk, self.row) = (chunk, row) }

    /// Orders from top to bottom.
    package static func < (a: Position, b: Position) -> Bool { (a.chunk, a.row) < (b.chunk, b.row) }
  }

  /// The UTF-16 units after which a chunk ends at the next border of words, lines or rows; at most
  /// twice as many, apart from one heading or row of a table.
  package static let longestChunk = 4_096
  /// The most chunks that are remembered, and the most units in them: a row takes much more memory
  /// than its text.
  private static let remembered = 1_024
  private static let rememberedUnits = 1 << 15

  /// The document, the highlights and the options.
  package let page: Page
  private let plan: PageBlocks
  private var layout: PageLayout
  private var cache: [Int: [Row]] = [:]
  private var cachedUnits = 0

  /// Takes a page with its plan, which should be made with `longestChunk`. O(highlights).
  package init(_ page: Page, _ plan: PageBlocks) {
    self.page = page
    self.plan = plan
    layout = PageLayout(
      page, plan, links: plan.links, hasGutter: page.options.color != .none)
  }

  /// How many chunks there are.
  package var count: Int { plan.chunks.count }

  /// What a chunk shows of the text, in UTF-16 units.
  public func range(ofChunk index: Int) -> Range<Int> { plan.chunks[index].range }

  /// The rows of a chunk; none outside. O(chunk) at the first look.
  package mutating func rows(ofChunk index: Int) -> [Row] {
    guard plan.chunks.indices.contains(index) else { return [] }
    if let rows = cache[index] { return rows }
    if cache.count >= Self.remembered || cachedUnits >= Self.rememberedUnits {
      forget(around: index)
    }
    let rows = layout.rows(of: index)
    cache[index] = rows
    cachedUnits += plan.chunks[index].range.count
    return rows
  }

  /// Forgets what is furthest from a chunk, and half of all.
  private mutating func forget(around index: Int) {
    let all = cache
    (cache, cachedUnits) = ([:], 0)
    for (chunk, rows) in all.sorted(by: { abs($0.key - index) < abs($1.key - index) }) {
      let units = plan.chunks[chunk].range.count
      guard cache.count < Self.remembered / 2, cachedUnits + units <= Self.rememberedUnits / 2
      else { return }
      cache[chunk] = rows
      cachedUnits += units
    }
  }

  /// The row at a place.
  package mutating func row(at place: Position) -> Row? {
    let rows = rows(ofChunk: place.chunk)
    return rows.indices.contains(place.row) ? rows[place.row] : nil
  }

  /// The place some rows further down, or up when negative; at most to the first or last row.
  /// O(rows).
  package mutating func position(_ start: Position, movedBy count: Int) -> Position {
    var place = start
    var rest = count
    while rest > 0 {
      let below = rows(ofChunk: place.chunk).count - 1 - place.row
      if rest <= below { return Position(chunk: place.chunk, row: place.row + rest) }
      guard let next = next(after: place.chunk) else {
        return Position(chunk: place.chunk, row: max(0, place.row + below))
      }
      rest -= below + 1
      place = Position(chunk: next, row: 0)
    }
    while rest < 0 {
      if place.row + rest >= 0 { return Position(chunk: place.chunk, row: place.row + rest) }
      guard let before = previous(before: place.chunk) else {
        return Position(chunk: place.chunk, row: 0)
      }
      rest += place.row + 1
      place = Position(chunk: before, row: rows(ofChunk: before).count - 1)
    }
    return place
  }

  private mutating func next(after chunk: Int) -> Int? {
    var next = chunk + 1
    while next < count, rows(ofChunk: next).isEmpty { next += 1 }
    return next < count ? next : nil
  }

  private mutating func previous(before chunk: Int) -> Int? {
    var before = chunk - 1
    while before >= 0, rows(ofChunk: before).isEmpty { before -= 1 }
    return before >= 0 ? before : nil
  }

  /// The last row of the page.
  package mutating func lastPosition() -> Position {
    var chunk = max(0, count - 1)
    while chunk > 0, rows(ofChunk: chunk).isEmpty { chunk -= 1 }
    return Position(chunk: chunk, row: max(0, rows(ofChunk: chunk).count - 1))
  }

  /// The row that shows an offset of the text, or the nearest before it. O(log chunks + chunk).
  package mutating func position(of offset: TextOffset) -> Position {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      let chunk = plan.chunks[middle]
      let isAfter = chunk.kind == .destination || chunk.start > offset.utf16
      if isAfter { high = middle } else { low = middle + 1 }
    }
    // A rule has the place of the text before it.
    var chunk = max(0, low - 1)
    while chunk > 0, plan.chunks[chunk].range.isEmpty { chunk -= 1 }
    let rows = rows(ofChunk: chunk)
    var best = rows.firstIndex { $0.range != nil } ?? 0
    for (index, row) in rows.enumerated() {
      guard row.content.contains(where: { ($0.range?.lowerBound ?? .max) <= offset.utf16 }) else {
        continue
      }
      // Cells of a table stand side by side: the row that holds the offset itself is the best.
      let holds = row.content.contains { $0.range?.contains(offset.utf16) == true }
      best = index
      if holds { break }
    }
    return Position(chunk: chunk, row: best)
  }
}
