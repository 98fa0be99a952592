import Editing
import Model
import Rendering

/// A mouse press that is in progress or was just released.
struct Press {
  var position: Screen.Position
  var offset: TextOffset
  var time: Double
  /// The number of consecutive presses at this position, from 1 to 3.
  var count: Int
  /// Whether the pointer has moved by at least one cell since the press.
  var hasMoved = false
  /// Whether the press was held long enough to select a unit.
  var wasHeld = false
  var isDown = true
  /// The link to follow unless another press makes it a double click.
  var link: String?
  /// The selection before the press.
  var before: Selection
}

extension Reader {
  /// The maximum time between the presses of a double click, in seconds.
  package static let clickWindow = 0.25
  /// The time in seconds after which a held press selects a word, or the unit set in the options.
  package static let holdDelay = 0.35
  private static let wheelRows = 3

  mutating func take(_ mouse: InputEvent.Mouse, at time: Double) -> [Effect] {
    switch mouse.action {
    case .wheelUp, .wheelDown:
      let count = mouse.action == .wheelUp ? -Self.wheelRows : Self.wheelRows
      if case .list(var list) = mode {
        list.move(by: count)
        mode = .list(list)
      } else {
        scroll(by: count)
      }
    case .press:
      if case .list(let list) = mode { return click(list, at: mouse.position) }
      if mouse.button == .right { return openMenu() }
      if mouse.button == .left { pressed(at: mouse.position, time) }
    case .drag:
      dragged(to: mouse.position)
    case .release:
      return released(at: mouse.position, time)
    }
    return []
  }

  /// Returns the offset at a position of the screen: the text there or the nearest in its row. In a
  /// row without text, returns the nearest offset after it.
  mutating func offset(at position: Screen.Position) -> TextOffset? {
    var place = flow.position(top, movedBy: min(max(0, position.row), height - 1))
    while true {
      if let offset = offset(in: flow.row(at: place), column: position.column - margin) {
        return offset
      }
      let next = flow.position(place, movedBy: 1)
      if next == place { return nil }
      place = next
    }
  }

  /// Returns the end of the text above a row without text, where a drag onto that row ends. Returns
  /// nil for other rows.
  private mutating func endAbove(_ position: Screen.Position) -> TextOffset? {
    var place = flow.position(top, movedBy: min(max(0, position.row), height - 1))
    guard flow.row(at: place)?.range == nil else { return nil }
    while true {
      let above = flow.position(place, movedBy: -1)
      if above == place { return nil }
      place = above
      if let range = flow.row(at: place)?.range { return TextOffset(utf16: range.upperBound) }
    }
  }

  private mutating func pressed(at position: Screen.Position, _ time: Double) {
    guard position.row < height, let offset = offset(at: position) else { return }
    var count = 1
    if let last = press, last.position == position, time - last.time <= Self.clickWindow,
      !last.hasMoved
    {
      count = last.count % 3 + 1
    }
    press = Press(
      position: position, offset: offset, time: time, count: count,
      before: count == 1 ? selection : press?.before ?? selection)
    isExtending = false
    wantedColumn = nil
    deadline = nil
    switch count {
    case 2: selection = Selection(.word, at: offset, in: units) ?? selection
    case 3: selection = Selection(.line, at: offset, in: units) ?? selection
    default:
      // Keep the selection until it is clear whether this is a click inside it.
      if !isSelected(offset) { selection = Selection(caretAt: offset, in: units) }
      deadline = time + Self.holdDelay
    }
  }

  private func isSelected(_ offset: TextOffset) -> Bool { selection.range.contains(offset) }

  mutating func tick(_ time: Double) -> [Effect] {
    guard let deadline, time >= deadline else { return [] }
    self.deadline = nil
    guard var press, !press.hasMoved, press.count == 1 else { return [] }
    guard press.isDown else {
      self.press = nil
      return press.link.map { [.follow($0)] } ?? []
    }
    let unit = Selection(options.unit, at: press.offset, in: units)
    if let unit, options.unit != .character { selection = unit }
    press.wasHeld = true
    self.press = press
    return []
  }

  private mutating func dragged(to position: Screen.Position) {
    guard var press, press.isDown else { return }
    if !press.hasMoved {
      // Ignore small movements inside the cell.
      guard position != press.position else { return }
      press.hasMoved = true
      deadline = nil
      if press.count == 1, !press.wasHeld {
        selection = Selection(caretAt: press.offset, in: units)
      }
      self.press = press
    }
    if position.row <= 0 { scroll(by: -1) }
    if position.row >= height - 1 { scroll(by: 1) }
    if let end = endAbove(position), end > press.offset {
      let last = TextOffset(utf16: end.utf16 - 1)
      selection.extend(to: selection.unit == .character ? end : last, in: units)
      return
    }
    guard let offset = offset(at: position) else { return }
    // The selection includes the character under the pointer.
    let isForward = offset >= press.offset
    let end = isForward ? units.unit(.character, at: offset)?.upperBound ?? offset : offset
    selection.extend(to: selection.unit == .character ? end : offset, in: units)
  }

  private mutating func released(at position: Screen.Position, _ time: Double) -> [Effect] {
    deadline = nil
    guard var press, press.isDown else { return [] }
    press.isDown = false
    self.press = press
    guard press.count == 1, !press.hasMoved, !press.wasHeld else { return [] }
    // A click inside the selection opens the menu. A click on a highlight selects it.
    if !press.before.isCaret, press.before.range.contains(press.offset) {
      selection = press.before
      return openMenu()
    }
    let hit = text.highlights.last { $0.range?.contains(press.offset) == true }
    if let range = hit?.range {
      selection = Selection(range, in: units)
      return []
    }
    guard shows(press.offset, at: press.position), let link = link(at: press.offset) else {
      return []
    }
    // A second press selects the word, so delay following the link.
    guard time < press.time + Self.clickWindow else { return [.follow(link)] }
    press.link = link
    self.press = press
    deadline = press.time + Self.clickWindow
    return []
  }

  /// Returns whether a unit of the text is exactly at a position, not only the nearest to it.
  private mutating func shows(_ offset: TextOffset, at position: Screen.Position) -> Bool {
    var column = margin
    for cell in flow.row(at: flow.position(top, movedBy: position.row))?.cells ?? [] {
      if cell.range?.contains(offset.utf16) == true,
        (column..<column + cell.width).contains(position.column)
      {
        return true
      }
      column += cell.width
    }
    return false
  }
}
