package import Model

/// A page of which only the shown rows are laid out. Opening a text therefore takes equally long
/// for any length.
///
/// Rows are identified by their chunk and their index in it, because the number of rows before them
/// isn't known. Rows far from the last access are discarded.
package struct LazyLayout {
  /// The position of a row of the page.
  package struct Position: Hashable, Comparable, Sendable {
    /// The index of the chunk, from 0.
    package var chunk: Int
    /// The index of the row in the chunk, from 0.
    package var row: Int

    package init(chunk: Int, row: Int) { (self.chunk, self.row) = (chunk, row) }

    /// Orders positions from top to bottom.
    package static func < (a: Position, b: Position) -> Bool { (a.chunk, a.row) < (b.chunk, b.row) }
  }

  /// The length in UTF-16 units after which a chunk ends at the next boundary of words, lines or
  /// rows. A chunk is at most twice as long, unless it is a single heading or table row.
  package static let longestChunk = 4_096
  /// The maximum number of cached chunks, and of UTF-16 units in them. Above it, the farthest
  /// chunks are discarded, because a row needs much more memory than its text.
  private static let remembered = 1_024
  private static let rememberedUnits = 1 << 15

  /// The document, the highlights and the options.
  package let page: Page
  private let plan: PageBlocks
  private var layout: PageLayout
  private var cache: [Int: [Row]] = [:]
  private var cachedUnits = 0

  /// Creates a layout from a page and its blocks, which should be divided with `longestChunk`.
  /// O(highlights).
  package init(_ page: Page, _ plan: PageBlocks) {
    self.page = page
    self.plan = plan
    layout = PageLayout(
      page, plan, links: plan.links, hasGutter: page.options.color != .none)
  }

  /// The number of chunks.
  package var count: Int { plan.chunks.count }

  /// Returns the range of a chunk in the rendered text, in UTF-16 units. The index must be valid.
  public func range(ofChunk index: Int) -> Range<Int> { plan.chunks[index].range }

  /// Returns the rows of a chunk; empty if the index is out of range. O(chunk) if the rows aren't
  /// cached.
  package mutating func rows(ofChunk index: Int) -> [Row] {
    guard plan.chunks.indices.contains(index) else { return [] }
    if let rows = cache[index] { return rows }
    if cache.count >= Self.remembered || cachedUnits >= Self.rememberedUnits {
      forget(around: index)
    }
    let rows = layout.rows(of: index)
    cache[index] = rows
    cachedUnits += units(inChunk: index)
    return rows
  }

  /// The number of UTF-16 units in a chunk, or of bytes in a piece of the source.
  private func units(inChunk index: Int) -> Int {
    if let source = plan.source { return source.pieces[index].bytes.count }
    return plan.chunks[index].range.count
  }

  /// Discards half of the cache, beginning with the chunks furthest from `index`.
  private mutating func forget(around index: Int) {
    let all = cache
    (cache, cachedUnits) = ([:], 0)
    for (chunk, rows) in all.sorted(by: { abs($0.key - index) < abs($1.key - index) }) {
      let units = units(inChunk: chunk)
      guard cache.count < Self.remembered / 2, cachedUnits + units <= Self.rememberedUnits / 2
      else { return }
      cache[chunk] = rows
      cachedUnits += units
    }
  }

  /// Returns the row at a position; nil if there is no such row.
  package mutating func row(at place: Position) -> Row? {
    let rows = rows(ofChunk: place.chunk)
    return rows.indices.contains(place.row) ? rows[place.row] : nil
  }

  /// Returns the position some rows further down, or up if `count` is negative. It stops at the
  /// first or last row. O(rows).
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

  package mutating func lastPosition() -> Position {
    var chunk = max(0, count - 1)
    while chunk > 0, rows(ofChunk: chunk).isEmpty { chunk -= 1 }
    return Position(chunk: chunk, row: max(0, rows(ofChunk: chunk).count - 1))
  }

  /// Returns the position of the row that shows an offset of the text. If no row shows it, returns
  /// the nearest row before it. O(log chunks + chunk).
  package mutating func position(of offset: TextOffset) -> Position {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      let chunk = plan.chunks[middle]
      let isAfter = chunk.kind == .destination || chunk.start > offset.utf16
      if isAfter { high = middle } else { low = middle + 1 }
    }
    // A thematic break has the offset of the text before it.
    var chunk = max(0, low - 1)
    while chunk > 0, plan.chunks[chunk].range.isEmpty { chunk -= 1 }
    let rows = rows(ofChunk: chunk)
    var best = rows.firstIndex { $0.range != nil } ?? 0
    for (index, row) in rows.enumerated() {
      guard row.content.contains(where: { ($0.range?.lowerBound ?? .max) <= offset.utf16 }) else {
        continue
      }
      // Table cells are side by side, so a row that contains the offset itself is the best.
      let holds = row.content.contains { $0.range?.contains(offset.utf16) == true }
      best = index
      if holds { break }
    }
    return Position(chunk: chunk, row: best)
  }
}
