package import Model

/// A page that is laid out only where somebody looks, so that a text of any length opens at once.
///
/// Its rows are named by piece and row, as nobody knows how many rows stand before. What is far from
/// the last look is forgotten.
package struct LazyLayout {
  /// A row of the page.
  package struct Place: Hashable, Comparable, Sendable {
    /// The piece, from 0.
    package var piece: Int
    /// The row in it, from 0.
    package var row: Int

    /// Makes a place of its parts.
    package init(piece: Int, row: Int) { (self.piece, self.row) = (piece, row) }

    /// Orders from top to bottom.
    package static func < (a: Place, b: Place) -> Bool { (a.piece, a.row) < (b.piece, b.row) }
  }

  /// The UTF-16 units after which a piece ends at the next border of words, lines or rows; at most
  /// twice as many, apart from one heading or row of a table.
  package static let longestPiece = 4_096
  /// The most pieces that are remembered, and the most units in them: a row takes much more memory
  /// than its text.
  private static let remembered = 1_024
  private static let rememberedUnits = 1 << 15

  /// The document, the highlights and the options.
  package let page: Page
  private let plan: PageBlocks
  private var layout: PageLayout
  private var cache: [Int: [Row]] = [:]
  private var cachedUnits = 0

  /// Takes a page with its plan, which should be made with `longestPiece`. O(highlights).
  package init(_ page: Page, _ plan: PageBlocks) {
    self.page = page
    self.plan = plan
    layout = PageLayout(
      page, plan, links: plan.links, hasGutter: page.options.color != .none)
  }

  /// How many pieces there are.
  package var count: Int { plan.pieces.count }

  /// What a piece shows of the text, in UTF-16 units.
  public func range(ofPiece index: Int) -> Range<Int> { plan.pieces[index].range }

  /// The rows of a piece; none outside. O(piece) at the first look.
  package mutating func rows(ofPiece index: Int) -> [Row] {
    guard plan.pieces.indices.contains(index) else { return [] }
    if let rows = cache[index] { return rows }
    if cache.count >= Self.remembered || cachedUnits >= Self.rememberedUnits {
      forget(around: index)
    }
    let rows = layout.rows(of: index)
    cache[index] = rows
    cachedUnits += plan.pieces[index].range.count
    return rows
  }

  /// Forgets what is furthest from a piece, and half of all.
  private mutating func forget(around index: Int) {
    let all = cache
    (cache, cachedUnits) = ([:], 0)
    for (piece, rows) in all.sorted(by: { abs($0.key - index) < abs($1.key - index) }) {
      let units = plan.pieces[piece].range.count
      guard cache.count < Self.remembered / 2, cachedUnits + units <= Self.rememberedUnits / 2
      else { return }
      cache[piece] = rows
      cachedUnits += units
    }
  }

  /// The row at a place.
  package mutating func row(at place: Place) -> Row? {
    let rows = rows(ofPiece: place.piece)
    return rows.indices.contains(place.row) ? rows[place.row] : nil
  }

  /// The place some rows further down, or up when negative; at most to the first or last row.
  /// O(rows).
  package mutating func place(_ start: Place, movedBy count: Int) -> Place {
    var place = start
    var rest = count
    while rest > 0 {
      let below = rows(ofPiece: place.piece).count - 1 - place.row
      if rest <= below { return Place(piece: place.piece, row: place.row + rest) }
      guard let next = next(after: place.piece) else {
        return Place(piece: place.piece, row: max(0, place.row + below))
      }
      rest -= below + 1
      place = Place(piece: next, row: 0)
    }
    while rest < 0 {
      if place.row + rest >= 0 { return Place(piece: place.piece, row: place.row + rest) }
      guard let before = previous(before: place.piece) else {
        return Place(piece: place.piece, row: 0)
      }
      rest += place.row + 1
      place = Place(piece: before, row: rows(ofPiece: before).count - 1)
    }
    return place
  }

  private mutating func next(after piece: Int) -> Int? {
    var next = piece + 1
    while next < count, rows(ofPiece: next).isEmpty { next += 1 }
    return next < count ? next : nil
  }

  private mutating func previous(before piece: Int) -> Int? {
    var before = piece - 1
    while before >= 0, rows(ofPiece: before).isEmpty { before -= 1 }
    return before >= 0 ? before : nil
  }

  /// The last row of the page.
  package mutating func lastPlace() -> Place {
    var piece = max(0, count - 1)
    while piece > 0, rows(ofPiece: piece).isEmpty { piece -= 1 }
    return Place(piece: piece, row: max(0, rows(ofPiece: piece).count - 1))
  }

  /// The row that shows an offset of the text, or the nearest before it. O(log pieces + piece).
  package mutating func place(of offset: TextOffset) -> Place {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      let piece = plan.pieces[middle]
      let isAfter = piece.kind == .destination || piece.start > offset.utf16
      if isAfter { high = middle } else { low = middle + 1 }
    }
    // A rule has the place of the text before it.
    var piece = max(0, low - 1)
    while piece > 0, plan.pieces[piece].range.isEmpty { piece -= 1 }
    let rows = rows(ofPiece: piece)
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
    return Place(piece: piece, row: best)
  }
}
