import Editing
import MarkdownParse
import Model
import Rendering

extension Reader {
  /// The maximum repeat count.
  private static let countLimit = 9_999

  mutating func read(_ key: InputEvent.Key, _ modifiers: InputEvent.Modifiers) -> [Effect] {
    if modifiers.isEmpty, case .character(let character) = key, character.isASCII,
      let digit = character.wholeNumberValue, digit > 0 || count != nil
    {
      if count == nil, subject != nil, let color = Self.color(numbered: digit) {
        return mark(in: color)
      }
      count = min(Self.countLimit, (count ?? 0) * 10 + digit)
      message = "\(count ?? 0)"
      return []
    }
    let wanted = count
    count = nil
    let times = wanted ?? 1
    if modifiers.contains(.control) { return readControl(key, times) }
    let isShift = modifiers.contains(.shift)
    if modifiers.contains(.alt) {
      if key == .left { return goBack() }
      return key == .right ? goForward() : []
    }
    switch key {
    case .up: moveRows(-1, times, extending: isShift)
    case .down: moveRows(1, times, extending: isShift)
    case .left: step(-times, .character, extending: isShift)
    case .right: step(times, .character, extending: isShift)
    case .home: moveInRow(toEnd: false, extending: isShift)
    case .end: moveInRow(toEnd: true, extending: isShift)
    case .pageDown: page(times)
    case .pageUp: page(-times)
    case .tab: goToHighlight(isShift ? -1 : 1)
    case .enter: return openMenu()
    case .delete: return remove()
    case .escape: escape()
    case .function(1): openHelp()
    case .character("G"): jumpToEnd(orLine: wanted)
    case .character(let character): return read(character, times)
    default: break
    }
    return []
  }

  private mutating func read(_ character: Character, _ times: Int) -> [Effect] {
    switch character {
    case "q": return [.quit(0)]
    case "k": moveRows(-1, times, extending: false)
    case "j": moveRows(1, times, extending: false)
    case "h": step(-times, .character, extending: false)
    case "l": step(times, .character, extending: false)
    case "b": step(-times, .word, extending: false)
    case "w": step(times, .word, extending: false, edge: isExtending ? .end : .start)
    case "(": step(-times, .sentence, extending: false)
    case ")": step(times, .sentence, extending: false, edge: isExtending ? .end : .start)
    case "P": step(-times, .paragraph, extending: false)
    case "p": step(times, .paragraph, extending: false, edge: isExtending ? .end : .start)
    case "0": moveInRow(toEnd: false, extending: false)
    case "$": moveInRow(toEnd: true, extending: false)
    case " ": page(times)
    case "g": jump(to: TextOffset(utf16: 0))
    case "{": for _ in 0..<min(times, jumpLimit) { goToHeading(-1) }
    case "}": for _ in 0..<min(times, jumpLimit) { goToHeading(1) }
    case "[": for _ in 0..<min(times, jumpLimit) { goToHighlight(-1) }
    case "]": for _ in 0..<min(times, jumpLimit) { goToHighlight(1) }
    case "<": return goBack()
    case ">": return goForward()
    case "v":
      if options.isSelectable { isExtending.toggle() } else { message = Self.unselectable }
    case "S": select(.sentence)
    case "a": select(.all)
    case "e" where selection.isCaret: select(.word)
    case "e":
      if let grown = selection.grown(in: units) { selection = grown }
    case "+": adjust(by: times)
    case "-": adjust(by: -times)
    case "=": resetMeasure()
    case ".": return openMenu()
    case "n" where isShowingMatches: findNext(times)
    case "n": return note()
    case "N": findNext(-times)
    case "t": return tag()
    case "x": return remove()
    case "y", "c": return copy(.usual)
    case "C": return copy(.cited)
    case "s": return share()
    case "u": return [.run("undo")]
    case "U": return [.run("redo")]
    case "/":
      searchHistory.begin()
      mode = .prompt(.find(from: topOffset), LineField())
    case ":": openCommandLine()
    case "f":
      mode = .prompt(
        .follow, LineField(linkNumberAtCaret ?? "", isSuggestion: true))
    case "o": openOutline()
    case "H": openHighlights()
    case "L": openLinks()
    case "B": return [.readLinks]
    case "O": return [.pick("")]
    case "i": openSideList()
    case "F": return openPalette()
    case "?": openHelp()
    case "M": toggleSource()
    case "r": return [.reload]
    case "m":
      hasMouse.toggle()
      message = hasMouse ? "mouse on" : "mouse off; m turns it on"
      return [.captureMouse(hasMouse)]
    default: message = "'\(character)' does nothing; ? lists the keys"
    }
    return []
  }

  /// Moves the caret by rows with text, at most to the last one.
  private mutating func moveRows(_ direction: Int, _ times: Int, extending: Bool) {
    for _ in 0..<times {
      let head = selection.head
      moveRows(direction, extending: extending)
      if selection.head == head { return }
    }
  }

  /// The maximum repeat count for moves by heading or highlight.
  private var jumpLimit: Int { 100 }

  /// Opens the command line in place of any open list.
  ///
  /// - Parameter line: the initial text.
  mutating func openCommandLine(_ line: String = "") {
    commandHistory.begin()
    mode = .prompt(.command, LineField(line))
  }

  /// Returns whether a key is the interrupt key, Ctrl-C.
  func isInterrupt(_ key: InputEvent.Key, _ modifiers: InputEvent.Modifiers) -> Bool {
    key == .character("c") && modifiers.contains(.control)
  }

  /// Cancels the current action, as in a prompt. A second interrupt quits the reader.
  private mutating func interrupt() -> [Effect] {
    if wasInterrupted { return [.quit(130)] }
    wasInterrupted = true
    if isExtending || !selection.isCaret || !found.query.isEmpty { escape() }
    message = "press ^C again to quit, or q"
    return []
  }

  private mutating func readControl(_ key: InputEvent.Key, _ times: Int) -> [Effect] {
    switch key {
    case .character("c"): return interrupt()
    case .character("z"): return [.suspend]
    case .character("l"): return [.redraw]
    case .character("r"): return [.run("redo")]
    case .character("d"): scroll(by: height / 2 * times)
    case .character("u"): scroll(by: -height / 2 * times)
    case .character("f"): page(times)
    case .character("b"): page(-times)
    case .character("e"): scroll(by: times)
    case .character("y"): scroll(by: -times)
    case .character("o"): return goBack()
    case .left: step(-times, .word, extending: false)
    case .right: step(times, .word, extending: false)
    default: break
    }
    return []
  }

  private mutating func page(_ direction: Int) {
    scroll(by: direction * max(1, height - 2))
    guard selection.isCaret else { return }
    put(caretAt: topOffset)
  }

  private mutating func jump(to offset: TextOffset) {
    if isExtending { return move(to: offset, extending: true) }
    remember()
    put(caretAt: offset)
    reveal(offset)
  }

  /// Moves to a line of the file, or to the end of the text if `line` is nil, with the last row at
  /// the bottom of the screen.
  private mutating func jumpToEnd(orLine line: Int?) {
    guard let line else {
      jump(to: TextOffset(utf16: text.document.text.count))
      if !isExtending { showEnd() }
      return
    }
    let place = LinePosition(line: line, column: 1)
    guard let byte = text.document.sourceLines.byte(at: place) else {
      message = "the file has no line \(line): the last is \(text.document.sourceLines.count)"
      return
    }
    jump(to: text.document.map.textOffset(ofSource: byte, bias: .trailing))
  }

  private mutating func select(_ unit: TextUnit) {
    guard let selected = Selection(unit, at: selection.range.lowerBound, in: units) else {
      message = "there is nothing to select"
      return
    }
    selection = selected
    isExtending = false
  }

  /// Ends the last thing that was begun: extending the selection, finding, or the selection.
  private mutating func escape() {
    if isExtending {
      isExtending = false
    } else if isShowingMatches {
      found = FindState()
    } else if !selection.isCaret {
      put(caretAt: selection.head)
    }
  }

  // MARK: - Prompts

  mutating func type(
    _ key: InputEvent.Key, _ modifiers: InputEvent.Modifiers, _ prompt: Prompt, _ field: LineField
  ) -> [Effect] {
    let isCancelled =
      key == .escape
      || modifiers.contains(.control) && [.character("c"), .character("g")].contains(key)
      || key == .backspace && field.characters.isEmpty
    if isCancelled {
      mode = .reading
      if case .find(let place) = prompt {
        found = FindState()
        scroll(to: place)
      }
      return []
    }
    if case .note(let subject, let old) = prompt, key == .character("e"),
      modifiers.contains(.control)
    {
      mode = .reading
      return field.text == old
        ? [.note(subject)] : [.note(subject, draft: field.text, seen: old)]
    }
    if key == .enter {
      mode = .reading
      return finish(prompt, field.text)
    }
    if case .find = prompt, key == .down || key == .up {
      let direction = key == .down ? 1 : -1
      // If nothing is typed, the arrows browse earlier searches; otherwise they move between
      // matches.
      if field.text.isEmpty || field.isRecalled {
        if let query = searchHistory.step(direction, from: field.text) {
          mode = .prompt(prompt, LineField(recalled: query))
          promptChanged()
        }
      } else {
        step(direction)
      }
      return []
    }
    if case .command = prompt, let direction = Self.direction(key, modifiers) {
      if let line = commandHistory.step(direction, from: field.text) {
        mode = .prompt(prompt, LineField(line))
      }
      return []
    }
    if let effects = completeLine(key, modifiers, prompt, field) { return effects }
    completing = nil
    var field = field
    if field.take(key, modifiers) {
      mode = .prompt(prompt, field)
      promptChanged()
    }
    return []
  }

  /// Returns the direction in the command history for a key, or nil.
  private static func direction(_ key: InputEvent.Key, _ modifiers: InputEvent.Modifiers) -> Int? {
    switch (key, modifiers.contains(.control)) {
    case (.up, _), (.character("p"), true): -1
    case (.down, _), (.character("n"), true): 1
    default: nil
    }
  }

  /// Updates the matches while the query is typed.
  mutating func promptChanged() {
    guard case .prompt(.find(let place), let field) = mode else { return }
    if field.text != found.query { findFirst(field.text, from: place) }
  }

  /// Shows another match while the query is typed.
  private mutating func step(_ direction: Int) {
    findRest()
    guard let current = found.current else { return }
    let count = found.matches.count
    found.current = (current + direction + count) % count
    land(on: found.matches[found.current!].lowerBound)
  }

  /// Selects the current match, or reports that the query has none.
  private mutating func selectFound(_ query: String) {
    guard let current = found.current else { return giveUp(on: query) }
    select(Selection(found.matches[current], in: units))
    found.current = current
  }

  private mutating func finish(_ prompt: Prompt, _ text: String) -> [Effect] {
    switch prompt {
    case .find:
      _ = searchHistory.add(text)
      if text.isEmpty { found = FindState() }
      if found.current == nil { findRest() }
      selectFound(text)
      return []
    case .follow: return follow(text)
    case .tag(let subject):
      let tags = text.split(separator: ",").map { String($0.drop { $0 == " " }) }
      return tags.allSatisfy(\.isEmpty) ? [] : [.tag(subject, tags)]
    case .note(let subject, let old): return finish(text, of: subject, old: old)
    case .command:
      remember(line: text)
      return run(text)
    }
  }

  /// Runs a command. The commands of the reader itself are handled here; all others are returned as
  /// an effect.
  private mutating func run(_ line: String) -> [Effect] {
    let words = line.split(separator: " ").map(String.init)
    guard let name = words.first else { return [] }
    if words.count == 1, let number = Int(name), number > 0 {
      jumpToEnd(orLine: number)
      return []
    }
    switch name {
    case "q", "quit", "exit", "wq", "x": return [.quit(0)]
    case "w", "write":
      message = "nothing needs saving: highlights and notes are stored at once"
    case "outline" where words.count == 1: openOutline()
    case "source" where words.count == 1: toggleSource()
    case "links" where words.count == 1: return [.readLinks]
    case "help" where words.count == 1 || words.dropFirst().elementsEqual(["keys"]): openHelp()
    case "commands" where words.count == 1: return [.listCommands]
    case "menu" where words.count == 1: return openMenu()
    case "note" where words.count == 1: return note()
    // With a number or an option it is the command, which changes any highlight.
    case "note" where Int(words[1]) == nil && !words[1].hasPrefix("-"):
      return note(String(line.drop { $0 == " " }.dropFirst(4).drop { $0 == " " }))
    case "find" where !words.dropFirst().contains(where: { $0.count > 1 && $0.hasPrefix("-") }):
      let query = line.dropFirst(4).drop { $0 == " " }
      findFirst(String(query), from: selection.head)
      findRest()
      selectFound(String(query))
    case "pick" where words.dropFirst().allSatisfy { !$0.hasPrefix("-") }:
      return [.pick(words.dropFirst().joined(separator: " "))]
    case "read" where words.count == 1, "open" where words.count == 1: return [.pick("")]
    case "next": findNext(1)
    case "prev": findNext(-1)
    case "follow" where words.count == 2: return follow(words[1])
    default: return [.run(line)]
    }
    return []
  }
}
