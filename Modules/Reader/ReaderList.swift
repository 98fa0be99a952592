import Editing
import MarkdownParse
import Model
import Rendering

/// A list next to the text, to choose from.
struct ReaderList {
  struct Item {
    var title: String
    var action: Action
    /// The key that chooses the item directly.
    var key: Character?
    /// Whether the row continues the entry of the row before.
    var isContinuation = false
    /// Whether the row is the title of a group.
    var isTitle = false
  }

  enum Action {
    case none
    case close
    /// The title of a section, which cannot be chosen.
    case section
    case go(TextOffset)
    case follow(String)
    case highlight(ReaderHighlight)
    case menu(MenuItem)
    case visit(Destination)
    case open(String)
    case format(PaletteEntry)
  }

  var title: String
  private(set) var items: [Item]
  /// The filter text, or nil while the list isn't filtered.
  private(set) var filter: LineField?
  private let all: [Item]
  var index = 0
  /// The pane of the format palette, or nil for other lists.
  var pane: FormatPane?
  /// The index of the first visible item.
  var first = 0
  /// The number of columns of the widest line: an item, the title or the footer.
  let width: Int
  /// The line at the bottom that names the keys, or nil to show none.
  let footer: String?
  /// Whether the highlights in the list can be accepted and rejected.
  let isReview: Bool
  /// Whether the list is the help. It may cover the whole text, and the movement keys scroll it.
  let isHelp: Bool
  /// Whether `/` filters the list.
  let isFilterable: Bool
  /// Whether the list is the outline.
  var isOutline = false
  /// A help text, to be wrapped again for another width; nil for the keys.
  var help: (title: String, lines: [String])?

  init(
    title: String, items: [Item], footer: String? = nil, isReview: Bool = false,
    isHelp: Bool = false, isFilterable: Bool = false
  ) {
    self.isFilterable = isFilterable
    self.title = title
    (self.items, all) = (items, items)
    (self.footer, self.isReview, self.isHelp) = (footer, isReview, isHelp)
    let widestBorder = max(displayWidth(of: title), displayWidth(of: footer ?? ""))
    width = items.reduce(widestBorder) { max($0, displayWidth(of: $1.title)) }
  }

  /// Returns the maximum width of a list; a quarter of the screen is reserved for the text.
  static func mostColumns(of columns: Int) -> Int { columns * 3 / 4 }

  /// Shows only the items that contain all words of the field, ignoring case; all items if nil.
  mutating func narrow(_ field: LineField?) {
    filter = field
    let words = (field?.text ?? "").lowercased().split(separator: " ")
    items = all.filter { item in
      let title = item.title.lowercased()
      return words.allSatisfy(title.contains)
    }
    (index, first) = (0, 0)
  }

  /// Moves by entries. An entry may have several rows.
  mutating func move(by count: Int) {
    for _ in 0..<min(abs(count), items.count) {
      var next = index + count.signum()
      while items.indices.contains(next), items[next].isContinuation { next += count.signum() }
      guard items.indices.contains(next) else { return }
      index = next
    }
  }

  /// Moves by rows to the entry there.
  mutating func move(byRows count: Int) {
    index = start(of: max(0, min(items.count - 1, index + count)))
  }

  /// Returns the first row of the entry that contains a row.
  private func start(of row: Int) -> Int {
    var row = row
    while row > 0, items[row].isContinuation { row -= 1 }
    return row
  }

  /// Returns whether a row is part of the chosen entry.
  func isChosen(_ row: Int) -> Bool { start(of: row) == index }

  /// Scrolls so that the chosen entry is visible, with all its rows if they fit.
  mutating func scroll(rows: Int) {
    var last = index
    while last + 1 < items.count, items[last + 1].isContinuation { last += 1 }
    first = max(first, last - rows + 1)
    first = min(first, index)
    first = max(0, min(first, items.count - rows))
  }
}

extension Reader {
  private mutating func open(_ title: String, _ items: [ReaderList.Item], index: Int = 0) {
    open(ReaderList(title: title, items: items), index: index)
  }

  mutating func open(_ list: ReaderList, index: Int) {
    var list = list
    list.move(by: index)
    list.scroll(rows: rows(of: list))
    mode = .list(list)
  }

  /// Returns the number of rows for items.
  func rows(of list: ReaderList) -> Int {
    max(1, height - 1 - (list.footer != nil && height > 2 ? 1 : 0))
  }

  /// Opens the outline.
  ///
  /// - Parameter place: the heading of this offset is chosen; nil for the caret.
  mutating func openOutline(at place: TextOffset? = nil) {
    let place = place ?? selection.head
    var items: [ReaderList.Item] = []
    var here = 0
    for block in text.document.blocks {
      guard case .heading(let level) = block.kind else { continue }
      if block.text.lowerBound <= place { here = items.count }
      let indent = String(repeating: "  ", count: level - 1)
      items.append(
        .init(
          title: indent
            + text.document.text.substring(block.text).replacing("\n", with: " "),
          action: .go(block.text.lowerBound)))
    }
    guard !items.isEmpty else {
      message = "there are no headings"
      return
    }
    var list = ReaderList(title: "Outline", items: items, isFilterable: true)
    list.isOutline = true
    open(list, index: here)
  }

  mutating func openLinks() {
    let document = text.document
    let links = plan.links.entries.map { link in
      ReaderList.Item(
        title: "[\(link.number)] \(link.destination)", action: .follow(link.destination))
    }
    let notes = document.blocks.compactMap { block -> ReaderList.Item? in
      guard case .footnoteDefinition(let label) = block.kind else { return nil }
      let name = document.source.text(in: label)
      let words = document.text.substring(block.text).split(whereSeparator: \.isNewline).first
      return .init(title: "[\(name)] \(words ?? "")", action: .follow("#fn:\(name)"))
    }
    guard !links.isEmpty || !notes.isEmpty else {
      message = "there are no links"
      return
    }
    open("Links", links + notes)
  }

  /// Opens the list of doubtful and orphaned highlights to review.
  ///
  /// - Parameter index: the item to choose; nil for the highlight that was chosen last.
  mutating func openSideList(at index: Int? = nil) {
    let listed = text.highlights.filter(\.needsReview)
    guard !listed.isEmpty else {
      mode = .reading
      // The answer about the last one that was reviewed stays.
      if index == nil || message.isEmpty { message = "no highlight is doubtful or orphaned" }
      return
    }
    let items = listed.map { highlight in
      ReaderList.Item(
        title:
          "\(highlight.shortID) \(highlight.color.letter) \(highlight.state) “\(highlight.quote)”",
        action: .highlight(highlight))
    }
    open(
      ReaderList(
        title: "Review", items: items,
        footer: text.canMark ? "Enter go · a accept · r reject" : "Enter go · Esc close",
        isReview: text.canMark),
      index: index ?? listed.firstIndex { $0.id == reviewed } ?? 0)
  }

  /// Opens the list of all highlights, in the order of the text. Those without a place come last.
  mutating func openHighlights() {
    let end = text.document.text.count
    let listed = text.highlights.sorted {
      ($0.range?.utf16.lowerBound ?? end, $0.shortID) < (
        $1.range?.utf16.lowerBound ?? end, $1.shortID
      )
    }
    guard !listed.isEmpty else {
      message = "no highlights yet"
      return
    }
    let items = listed.map { highlight in
      let state = highlight.state == .exact ? "" : "\(highlight.state) "
      let note = highlight.note.isEmpty ? "" : " — \(highlight.note.replacing("\n", with: " "))"
      let tags = highlight.tags.map { " " + $0.asTag }.joined()
      return ReaderList.Item(
        title:
          "\(highlight.shortID) \(highlight.color.letter) \(state)“\(highlight.quote)”"
          + "\(note)\(tags)",
        action: .highlight(highlight))
    }
    let here = listed.lastIndex { ($0.range?.lowerBound).map { $0 <= selection.head } ?? false }
    open(
      ReaderList(
        title: "Highlights", items: items, footer: "Enter go · / filter · Esc close",
        isFilterable: true), index: here ?? 0)
  }

  mutating func openHelp() {
    let rows = ReaderKeys.all.filter { !$0.terminal.isEmpty }
    let width = rows.map { displayWidth(of: $0.terminal.joined(separator: " ")) }.max() ?? 0
    let available = helpColumns
    var items: [ReaderList.Item] = []
    for (index, line) in rows.enumerated() {
      if index == 0 || rows[index - 1].group != line.group {
        if index > 0 { items.append(.init(title: "", action: .none)) }
        items.append(.init(title: line.group.rawValue, action: .none, isTitle: true))
      }
      // If the keys leave too little room, put the description below them.
      let isBeside = available - width - 2 >= 24
      let indent = String(repeating: " ", count: isBeside ? width + 2 : 2)
      let parts = Self.wrapped(line.meaning, columns: available - indent.count)
      let keys = line.terminal.joined(separator: " ")
      if !isBeside { items.append(.init(title: keys, action: .none)) }
      for (index, part) in parts.enumerated() {
        let start =
          isBeside && index == 0
          ? keys + String(repeating: " ", count: width + 2 - displayWidth(of: keys)) : indent
        items.append(.init(title: start + part, action: .none))
      }
    }
    open(
      ReaderList(title: "Keys · PgDn scrolls · Esc closes", items: items, isHelp: true),
      index: 0)
  }

  /// Wraps a line at spaces; continuation lines are indented by `hanging` more columns. A word
  /// longer than a line is divided.
  static func wrapped(_ line: String, columns: Int, hanging: Int = 0) -> [String] {
    guard displayWidth(of: line) > columns else { return [line] }
    let indent = String(
      repeating: " ", count: min(columns / 2, line.prefix { $0 == " " }.count + hanging))
    var lines: [String] = []
    var current = ""
    // The text up to the last word that fits, and the text after it.
    var (fitting, rest) = ("", "")
    for character in line {
      if character == " ", current.contains(where: { $0 != " " }) {
        (fitting, rest) = (current, "")
      }
      current.append(character)
      if !fitting.isEmpty { rest.append(character) }
      guard displayWidth(of: current) > columns else { continue }
      if fitting.isEmpty {
        current.removeLast()
        (fitting, rest) = (current, String(character))
      }
      lines.append(fitting)
      current = indent + rest.drop { $0 == " " }
      (fitting, rest) = ("", "")
    }
    if current.contains(where: { $0 != " " }) { lines.append(current) }
    return lines
  }

  /// Asks whether to open a web address in the system's browser.
  package mutating func offer(_ address: String) {
    open(
      ReaderList(
        title: "Web link",
        items: [
          .init(title: "o  Open \(address)", action: .open(address), key: "o"),
          .init(title: "Esc  Stay here", action: .close),
        ]), index: 0)
  }

  /// Opens the menu of available actions for the selection.
  @discardableResult
  package mutating func openMenu() -> [Effect] {
    if selection.isCaret, let range = currentHighlight?.range {
      selection = Selection(range, in: units)
    }
    let highlight = selectedHighlight
    let items = MenuItem.items(
      hasSelection: !selection.isCaret, isAll: selection.range.count == text.document.text.count,
      highlight: highlight?.color, canMark: text.canMark, canAdd: text.canAdd)
    guard !items.isEmpty else {
      message = "nothing is selected"
      return []
    }
    let name =
      highlight.map { "Highlight \($0.shortID), \($0.color)" }
      ?? (text.canAdd ? "Selection, not in the library" : "Selection")
    open(
      name,
      items.map {
        .init(
          title: "\($0.key)  \($0.title(isHighlight: highlight != nil))", action: .menu($0),
          key: $0.key)
      },
      index: items.firstIndex(of: .color(options.highlightColor)) ?? 0)
    if let refusal = text.refusal { message = refusal }
    return []
  }

  mutating func choose(
    _ key: InputEvent.Key, _ modifiers: InputEvent.Modifiers, _ list: ReaderList
  ) -> [Effect] {
    if let effects = switchPane(key, modifiers, list) { return effects }
    var list = list
    if list.isHelp, let rows = Self.scrolling(key, modifiers, rows(of: list)) {
      list.first = max(0, min(list.first + rows, list.items.count - self.rows(of: list)))
      list.index = list.first
      mode = .list(list)
      return []
    }
    if let field = list.filter, let effects = narrow(&list, field, key, modifiers) {
      return effects
    }
    if case .character(let character) = key, modifiers.isEmpty,
      let item = list.items.first(where: { $0.key == character })
    {
      return choose(item, in: list)
    }
    if let effects = act(key, modifiers, over: list) { return effects }
    if list.isHelp, !Self.isUsed(key, modifiers, list) {
      message = "Esc closes the help; then the key acts"
      return []
    }
    if list.isReview, modifiers.isEmpty, list.items.indices.contains(list.index),
      case .highlight(let highlight) = list.items[list.index].action
    {
      if key == .character("a") { return [.accept(id: highlight.id)] }
      if key == .character("r") { return [.detach(id: highlight.id)] }
    }
    switch (key, modifiers.contains(.control)) {
    case (.up, _), (.character("k"), false), (.character("p"), true): list.move(by: -1)
    case (.down, _), (.character("j"), false), (.character("n"), true): list.move(by: 1)
    case (.pageUp, _): list.move(byRows: -rows(of: list))
    case (.pageDown, _), (.character(" "), false): list.move(byRows: rows(of: list))
    case (.home, _), (.character("g"), false): list.index = 0
    case (.end, _), (.character("G"), false): list.move(by: list.items.count)
    case (.enter, _):
      return list.items.indices.contains(list.index) ? choose(list.items[list.index], in: list) : []
    case (.character("/"), false) where list.isFilterable: list.narrow(LineField())
    case (.character("z"), true): return [.suspend]
    case (.character(":"), false):
      openCommandLine()
      return []
    case (.character("c"), true), (.escape, _), (.character("q"), false):
      mode = .reading
      return []
    default: break
    }
    list.scroll(rows: rows(of: list))
    mode = .list(list)
    return []
  }

  /// Handles a key that the list doesn't use as it does without the list, which it closes. Returns
  /// nil for a key that the list uses, and in the help and the palette.
  private mutating func act(
    _ key: InputEvent.Key, _ modifiers: InputEvent.Modifiers, over list: ReaderList
  ) -> [Effect]? {
    guard !list.isHelp, list.pane == nil, list.filter == nil, !Self.isUsed(key, modifiers, list)
    else { return nil }
    if Self.changesHighlight(key, modifiers), list.items.indices.contains(list.index) {
      // The key is about the highlight in the chosen line, not about the one at the caret.
      let isPlaced =
        switch list.items[list.index].action {
        case .highlight(let highlight): select(highlight: highlight.id)
        case .visit(.highlight(let id)): select(highlight: id)
        case .none: true
        default: false
        }
      if !isPlaced {
        message = "Esc closes the list; then the key acts"
        return []
      }
    }
    mode = .reading
    return read(key, modifiers)
  }

  /// Whether a key changes, copies or shares the current highlight.
  private static func changesHighlight(
    _ key: InputEvent.Key, _ modifiers: InputEvent.Modifiers
  ) -> Bool {
    guard modifiers.subtracting(.shift).isEmpty else { return false }
    if key == .delete { return true }
    guard case .character(let character) = key else { return false }
    return "1234ntxycCs.".contains(character)
  }

  /// Whether a list uses a key itself.
  private static func isUsed(
    _ key: InputEvent.Key, _ modifiers: InputEvent.Modifiers, _ list: ReaderList
  ) -> Bool {
    if modifiers.contains(.control) {
      return ["p", "n", "c", "z"].contains { key == .character($0) }
    }
    switch key {
    case .up, .down, .pageUp, .pageDown, .home, .end, .enter, .escape: return true
    case .character("/"): return list.isFilterable
    case .character("a"), .character("r"): return list.isReview
    case .character(let character): return "jkgGq: ".contains(character)
    default: return false
    }
  }

  /// Handles a key that edits the filter of a list. Returns nil for a key that has its usual
  /// function in a filtered list too.
  private mutating func narrow(
    _ list: inout ReaderList, _ field: LineField, _ key: InputEvent.Key,
    _ modifiers: InputEvent.Modifiers
  ) -> [Effect]? {
    switch (key, modifiers.contains(.control)) {
    case (.up, _), (.down, _), (.pageUp, _), (.pageDown, _), (.enter, _), (.character("n"), true),
      (.character("p"), true), (.character("c"), true), (.character("z"), true):
      return nil
    case (.escape, _): list.narrow(nil)
    case (.backspace, _) where field.characters.isEmpty: list.narrow(nil)
    default:
      var field = field
      guard field.take(key, modifiers) else { return [] }
      list.narrow(field)
    }
    mode = .list(list)
    return []
  }

  /// Returns the number of rows by which a key scrolls the help, or nil for other keys.
  private static func scrolling(
    _ key: InputEvent.Key, _ modifiers: InputEvent.Modifiers, _ page: Int
  ) -> Int? {
    switch (key, modifiers.contains(.control)) {
    case (.up, _), (.character("k"), false), (.character("p"), true): -1
    case (.down, _), (.character("j"), false), (.character("n"), true): 1
    case (.pageUp, _): -page
    case (.pageDown, _), (.character(" "), false): page
    default: nil
    }
  }

  private mutating func choose(_ item: ReaderList.Item, in list: ReaderList) -> [Effect] {
    // The section titles in the palette can't be chosen.
    if case .none = item.action, list.pane != nil { return [] }
    if case .section = item.action { return [] }
    if case .none = item.action, !list.isHelp {
      message = "nothing to open in this line; Esc closes the list"
      return []
    }
    mode = .reading
    switch item.action {
    case .none, .close, .section: break
    case .go(let offset): go(to: offset)
    case .follow(let destination): return [.follow(destination)]
    case .visit(let destination): return [.visit(destination)]
    case .open(let address): return [.open(address)]
    case .highlight(let highlight):
      if highlight.needsReview { reviewed = highlight.id }
      guard select(highlight: highlight.id) else {
        if highlight.needsReview { return [.findPlace(id: highlight.id)] }
        message = "highlight \(highlight.shortID) is marked as gone; it has no place in the text"
        return []
      }
      if highlight.needsReview {
        message = "highlight \(highlight.shortID) may belong here"
        if text.canMark { message += "; i lists it: a accepts, r rejects" }
      }
    case .menu(let item): return perform(item)
    case .format(let entry): return perform(entry, in: list)
    }
    return []
  }

  private mutating func perform(_ item: MenuItem) -> [Effect] {
    switch item {
    case .color(let color): return mark(in: color)
    case .note: return note()
    case .tag: return tag()
    case .addAndMark: return [.mark(selection.range, options.highlightColor)]
    case .add: return [.add]
    case .copy: return copy(.usual)
    case .copyMarkdown: return copy(.markdown)
    case .copyCited: return copy(.cited)
    case .share: return share()
    case .selectAll:
      selection = Selection(.all, at: selection.head, in: units) ?? selection
      return []
    case .delete: return remove()
    }
  }

  /// Handles a click. Chooses the item at the position, or closes the list if there is no item.
  mutating func click(_ list: ReaderList, at position: Screen.Position) -> [Effect] {
    let index = list.first + position.row - 1
    guard position.column > panelStart(list), position.row >= 1, position.row < height,
      position.row <= rows(of: list), list.items.indices.contains(index)
    else {
      mode = .reading
      return []
    }
    return choose(list.items[index], in: list)
  }
}
