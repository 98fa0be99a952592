import Editing
import Model
import Rendering
import RichText

extension Reader {
  /// Opens the format palette for the selection. Requests the current format, which `show(_:)`
  /// displays when it arrives.
  mutating func openPalette() -> [Effect] {
    guard text.canMark else {
      message =
        text.canAdd
        ? "formats are kept in a library; `add` brings the text into one"
        : "formats cannot be changed here"
      return []
    }
    guard !selection.range.isEmpty else {
      message = "nothing is selected"
      return []
    }
    if paletteState?.range != selection.range { paletteState = nil }
    showPane(.style)
    return [.readFormat]
  }

  /// Displays the format of the selection in the palette, or removes it if nil. Ignores the state
  /// of another selection.
  package mutating func show(_ state: PaletteState?) {
    paletteState = state?.range == selection.range ? state : nil
    guard case .list(let list) = mode, let pane = list.pane else { return }
    showPane(pane, index: list.index, first: list.first)
  }

  private mutating func showPane(_ pane: FormatPane, index: Int? = nil, first: Int = 0) {
    let state = paletteState
    let choices = state?.choices ?? .none
    var items: [ReaderList.Item] = []
    for section in pane.sections(choices) {
      let value = section.kind.flatMap { state?.value(of: $0) }
      items.append(
        .init(title: section.title + (value.map { ": " + $0.sanitized } ?? ""), action: .none))
      for entry in section.entries {
        let mark = entry.attribute.flatMap { state?.state(of: $0) }.map(Self.mark)
        let key = entry.key.map { "\($0) " } ?? "  "
        items.append(
          .init(
            title: " \(mark ?? "   ") \(key) \(entry.title.sanitized)", action: .format(entry),
            key: entry.key))
      }
    }
    let panes = FormatPane.all(choices).map { $0 == pane ? "[\($0.rawValue)]" : $0.rawValue }
    var list = ReaderList(
      title: panes.joined(separator: " "), items: items,
      footer: "Enter apply · Tab next · Esc close")
    list.pane = pane
    list.move(by: index ?? 1)
    list.first = first
    list.scroll(rows: rows(of: list))
    mode = .list(list)
  }

  private static func mark(_ state: FormatState) -> String {
    switch state {
    case .on: "[x]"
    case .off: "[ ]"
    case .mixed: "[-]"
    }
  }

  /// Handles a key that switches panes or works on all of them. Returns nil for other keys, and if
  /// no palette is open.
  mutating func switchPane(
    _ key: InputEvent.Key, _ modifiers: InputEvent.Modifiers, _ list: ReaderList
  ) -> [Effect]? {
    guard let pane = list.pane else { return nil }
    let choices = paletteState?.choices ?? .none
    switch key {
    case .tab: showPane(pane.next(modifiers.contains(.shift) ? -1 : 1, choices))
    case .right: showPane(pane.next(1, choices))
    case .left: showPane(pane.next(-1, choices))
    case .character(let character) where modifiers.isEmpty:
      let entries = FormatPane.style.sections(choices).flatMap(\.entries)
      guard let entry = entries.first(where: { $0.key == character }) else { return nil }
      return perform(entry, in: list)
    default: return nil
    }
    return []
  }

  /// Runs the command of an entry. The palette stays open, unless the user has to complete the
  /// command.
  mutating func perform(_ entry: PaletteEntry, in list: ReaderList) -> [Effect] {
    let line = "format " + entry.command
    if entry.isCompleted {
      openCommandLine(line)
      return []
    }
    mode = .list(list)
    return [.run(line), .readFormat]
  }
}

extension String {
  /// The text on one line, without control characters: names of fonts and styles are read from
  /// files.
  fileprivate var sanitized: String {
    String(map { $0.isNewline || $0 == "\t" ? " " : $0.sanitizedForTerminal })
  }
}
