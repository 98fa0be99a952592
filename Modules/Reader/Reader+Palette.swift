import Editing
import Model
import Rendering
import RichText

extension Reader {
  /// Offers what can be done with the look of the selection, beside the text. What it has already is
  /// asked for, and told as soon as `show(_:)` answers.
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
    return [.tellFormat]
  }

  /// Takes what the selection has of all that the palette offers; nil where that is not known.
  package mutating func show(_ state: PaletteState?) {
    paletteState = state?.range == selection.range ? state : nil
    guard case .list(let list) = mode, let pane = list.pane else { return }
    showPane(pane, index: list.index, first: list.first)
  }

  private mutating func showPane(_ pane: FormatPane, index: Int? = nil, first: Int = 0) {
    let state = paletteState
    var items: [ReaderList.Item] = []
    for section in pane.sections(styles: state?.styles ?? []) {
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
    let panes = FormatPane.allCases.map { $0 == pane ? "[\($0.rawValue)]" : $0.rawValue }
    var list = ReaderList(
      title: panes.joined(separator: " "), items: items,
      footer: "Enter do · Tab next pane · Esc close")
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

  /// Takes a key that switches panes, or one that means the same on all of them; nil for another one, and
  /// where no palette is open.
  mutating func switchPane(
    _ key: InputEvent.Key, _ modifiers: InputEvent.Modifiers, _ list: ReaderList
  ) -> [Effect]? {
    guard let pane = list.pane else { return nil }
    switch key {
    case .tab: showPane(pane.next(modifiers.contains(.shift) ? -1 : 1))
    case .right: showPane(pane.next(1))
    case .left: showPane(pane.next(-1))
    case .character(let character) where modifiers.isEmpty:
      let entries = FormatPane.style.sections(styles: []).flatMap(\.entries)
      guard let entry = entries.first(where: { $0.key == character }) else { return nil }
      return perform(entry, in: list)
    default: return nil
    }
    return []
  }

  /// Does what an entry says, as the command that a person could type. The palette stays open, unless
  /// the person has to complete the command.
  mutating func perform(_ entry: PaletteEntry, in list: ReaderList) -> [Effect] {
    let line = "format " + entry.command
    if entry.isCompleted {
      openCommandLine(line)
      return []
    }
    mode = .list(list)
    return [.run(line), .tellFormat]
  }
}

extension String {
  /// On one line, without what could steer a terminal: names of fonts and styles are a file's.
  fileprivate var sanitized: String {
    String(map { $0.isNewline || $0 == "\t" ? " " : $0.sanitizedForTerminal })
  }
}
