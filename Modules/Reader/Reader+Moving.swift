import Editing
import MarkdownParse
import Model
import Rendering

extension Reader {
  // MARK: - Scrolling

  /// The first offset on the screen.
  var topOffset: TextOffset {
    mutating get {
      var place = top
      for _ in 0..<height {
        if let range = flow.row(at: place)?.range { return TextOffset(utf16: range.lowerBound) }
        let next = flow.position(place, movedBy: 1)
        if next == place { break }
        place = next
      }
      return TextOffset(
        utf16: place.chunk < flow.count ? flow.range(ofChunk: place.chunk).lowerBound : 0)
    }
  }

  /// The number of rows at the top of the screen that have no text, such as those between
  /// paragraphs.
  var rowsAboveText: Int {
    mutating get {
      var place = top
      for row in 0..<height {
        if flow.row(at: place)?.range != nil { return row }
        let next = flow.position(place, movedBy: 1)
        if next == place { break }
        place = next
      }
      return 0
    }
  }

  /// Scrolls so that an offset is in the top row, or as near to it as the end of the text allows.
  ///
  /// - Parameter blanks: the number of rows to show above it.
  mutating func scroll(to offset: TextOffset, below blanks: Int = 0) {
    top = flow.position(withHead(flow.position(of: offset)), movedBy: -blanks)
    keepFull()
  }

  /// Returns the first row of the page if `place` is in the first two rows of the text and both fit
  /// on the screen, so that the page's head is visible, too. Returns other places unchanged.
  private mutating func withHead(_ place: LazyLayout.Position) -> LazyLayout.Position {
    let start = LazyLayout.Position(chunk: 0, row: 0)
    guard !text.head.isEmpty, place.chunk == 1, place.row <= 1,
      flow.position(start, movedBy: height - 1) >= place
    else { return place }
    return start
  }

  mutating func scroll(by count: Int) {
    top = flow.position(top, movedBy: count)
    keepFull()
  }

  /// Limits scrolling so that the last row of the text is at or below the bottom of the screen.
  private mutating func keepFull() {
    let last = flow.lastPosition()
    let lowest = flow.position(last, movedBy: -(height - 1))
    if top > lowest { top = lowest }
  }

  /// Scrolls the last row to the bottom.
  mutating func showEnd() {
    top = flow.lastPosition()
    keepFull()
  }

  /// Scrolls an offset onto the screen: by the smallest distance if it is near, otherwise to the
  /// upper third.
  mutating func reveal(_ offset: TextOffset) {
    let place = flow.position(of: offset)
    if place < top {
      let isNear = flow.position(place, movedBy: height / 2) >= top
      top = isNear ? withHead(place) : flow.position(place, movedBy: -height / 3)
    } else if flow.position(top, movedBy: height - 1) < place {
      let isNear = flow.position(top, movedBy: height + height / 2) >= place
      top = flow.position(place, movedBy: isNear ? -(height - 1) : -height / 3)
    }
    keepFull()
  }

  /// Scrolls an offset to the upper third of the screen, unless it is there already or too near to
  /// an end of the text.
  mutating func land(on offset: TextOffset) {
    let place = flow.position(of: offset)
    let third = (height - 1) / 3
    if place < top || flow.position(top, movedBy: third) < place {
      top = flow.position(place, movedBy: -third)
      keepFull()
    }
  }

  // MARK: - The caret

  mutating func put(caretAt offset: TextOffset) {
    selection = Selection(caretAt: offset, in: units)
    isExtending = false
    wantedColumn = nil
  }

  /// Moves the caret, or the moving end of the selection.
  mutating func move(to offset: TextOffset, extending: Bool) {
    if extending || isExtending {
      selection.extend(to: offset, in: units)
    } else {
      selection = Selection(caretAt: offset, in: units)
    }
    reveal(selection.head)
  }

  mutating func step(_ count: Int, _ unit: TextUnit, extending: Bool, edge: TextUnits.Edge = .start)
  {
    wantedColumn = nil
    let place = units.border(edge, of: unit, from: selection.head, by: count)
    move(to: place, extending: extending)
  }

  /// Moves the caret by rows of the screen and keeps its column.
  mutating func moveRows(_ count: Int, extending: Bool) {
    let place = flow.position(of: selection.head)
    let column = wantedColumn ?? self.column(of: selection.head, in: flow.row(at: place))
    var target = flow.position(place, movedBy: count)
    // Skip rows without text.
    while flow.row(at: target)?.range == nil {
      let next = flow.position(target, movedBy: count < 0 ? -1 : 1)
      if next == target { break }
      target = next
    }
    guard let offset = offset(in: flow.row(at: target), column: column) else { return }
    move(to: offset, extending: extending)
    wantedColumn = column
  }

  /// Moves the caret before the first or after the last character of the text in its row.
  mutating func moveInRow(toEnd: Bool, extending: Bool) {
    guard let range = flow.row(at: flow.position(of: selection.head))?.range else { return }
    wantedColumn = nil
    move(to: TextOffset(utf16: toEnd ? range.upperBound : range.lowerBound), extending: extending)
  }

  // MARK: - Columns

  /// Returns the column of an offset in a row, from 0, without the margin.
  func column(of offset: TextOffset, in row: Row?) -> Int {
    var column = 0
    var best = 0
    for cell in row?.cells ?? [] {
      if let range = cell.range {
        if range.contains(offset.utf16) { return column }
        if range.upperBound <= offset.utf16 { best = column + cell.width }
      }
      column += cell.width
    }
    return best
  }

  /// Returns the offset of the text at a column of a row, or of the nearest text. Returns nil if
  /// the row has no text.
  func offset(in row: Row?, column wanted: Int) -> TextOffset? {
    var column = 0
    var nearest: (distance: Int, offset: Int)?
    for cell in row?.cells ?? [] {
      defer { column += cell.width }
      guard let range = cell.range else { continue }
      if cell.width > 0, (column..<column + cell.width).contains(wanted) {
        return TextOffset(utf16: range.lowerBound)
      }
      let isBefore = column + cell.width <= wanted
      let distance = isBefore ? wanted - column - cell.width : column - wanted
      if nearest == nil || distance <= nearest!.distance {
        nearest = (distance, isBefore ? range.upperBound : range.lowerBound)
      }
    }
    return nearest.map { TextOffset(utf16: $0.offset) }
  }

  // MARK: - Back and forward

  /// Moves to the start, and clears the history and the search, as for a newly opened text.
  package mutating func begin() {
    put(caretAt: TextOffset(utf16: 0))
    (past, future, found) = ([], [], FindState())
    scroll(to: TextOffset(utf16: 0))
  }

  /// Clears the history, so that going back from here returns to the previous text if there is one.
  package mutating func arrive() { (past, future) = ([], []) }

  /// Adds the current position to the history, which is limited to 100 positions.
  mutating func remember() {
    let place = selection.head
    if past.last != place { past.append(place) }
    if past.count > 100 { past.removeFirst() }
    future = []
    canAdvance = false
  }

  mutating func goBack() -> [Effect] {
    guard let place = past.popLast() else {
      if canLeave { return [.leave] }
      message = "no earlier position"
      return []
    }
    future.append(selection.head)
    put(caretAt: place)
    reveal(place)
    return []
  }

  mutating func goForward() -> [Effect] {
    guard let place = future.popLast() else {
      if canAdvance { return [.advance] }
      message = "no later position"
      return []
    }
    past.append(selection.head)
    put(caretAt: place)
    reveal(place)
    return []
  }

  /// Moves to the next heading if `direction` is positive, otherwise to the previous one.
  mutating func goToHeading(_ direction: Int) {
    let headings = plan.headings.map { text.document.blocks[$0].text }
    let here = selection.head
    let target =
      direction > 0
      ? headings.first { $0.lowerBound > here } : headings.last { $0.lowerBound < here }
    guard let target else {
      message = direction > 0 ? "no later heading" : "no earlier heading"
      return
    }
    go(to: target.lowerBound)
  }

  /// Selects the next highlight if `direction` is positive, otherwise the previous one. Highlights of
  /// the same words follow one another.
  mutating func goToHighlight(_ direction: Int) {
    let placed = text.highlights.enumerated()
      .compactMap { index, highlight in highlight.range.map { ($0, index, highlight.id) } }
      .sorted { ($0.0, $0.1) < ($1.0, $1.1) }
    guard let next = nextHighlight(direction, among: placed.map { (range: $0.0, id: $0.2) }),
      placed.indices.contains(next)
    else {
      message = placed.isEmpty ? "no highlights" : "no more highlights"
      return
    }
    choose(Selection(placed[next].0, in: units))
    focus(on: placed[next].2)
    reveal(selection.range.lowerBound)
  }

  /// Returns the index of the next or the previous highlight, which may be outside of the array; nil
  /// if there is none.
  private func nextHighlight(
    _ direction: Int, among placed: [(range: TextRange, id: Highlight.ID)]
  ) -> Int? {
    let head = selection.head
    let isAtStart = currentHighlight?.range?.lowerBound == head
    let isChosen = options.isSelectable ? selectedHighlight != nil : isAtStart
    if isChosen || isAtStart && direction > 0,
      let here = placed.firstIndex(where: { $0.id == currentHighlight?.id })
    {
      return isChosen ? here + direction : here
    }
    if direction > 0 {
      return placed.firstIndex {
        selection.isCaret ? $0.range.lowerBound >= head : $0.range > selection.range
      }
    }
    return placed.lastIndex {
      if !options.isSelectable { return $0.range.lowerBound < head }
      return selection.isCaret ? $0.range.upperBound <= head : $0.range < selection.range
    }
  }
}
