import Rendering

/// An editable line of text with a cursor.
struct LineField: Hashable {
  private(set) var characters: [Character]
  /// The number of characters before the cursor.
  private(set) var cursor: Int
  /// Whether the text is a suggestion, which typing replaces.
  private(set) var isSuggestion: Bool
  /// Whether the line is an unchanged entry of the history.
  private(set) var isRecalled = false

  init(_ text: String = "", isSuggestion: Bool = false) {
    characters = Array(text)
    cursor = characters.count
    self.isSuggestion = isSuggestion && !text.isEmpty
  }

  /// Creates a field with the cursor between two parts of the line.
  init(_ text: String, before rest: [Character]) {
    self.init(text)
    characters += rest
  }

  /// Creates a field with a line from the history.
  init(recalled text: String) {
    self.init(text)
    isRecalled = true
  }

  var text: String { String(characters) }

  /// Returns the end of the text before the cursor that fits in a number of columns.
  func beforeCursor(columns: Int) -> String {
    var (start, width) = (cursor, 0)
    while start > 0 {
      width += displayWidth(of: characters[start - 1])
      if width > columns { break }
      start -= 1
    }
    return String(characters[start..<cursor])
  }

  /// Returns the text after the cursor, at most as many characters as there are columns.
  func afterCursor(columns: Int) -> String { String(characters[cursor...].prefix(columns)) }

  mutating func insert(_ text: String) {
    if isSuggestion { clear() }
    isRecalled = false
    // Pasted text may contain line ends; replace them with spaces.
    for character in text.split(whereSeparator: \.isNewline).joined(separator: " ") {
      characters.insert(character, at: cursor)
      cursor += 1
    }
  }

  private mutating func clear() { self = LineField() }

  /// Handles a key. Returns false if the key has no function in the field.
  mutating func take(_ key: InputEvent.Key, _ modifiers: InputEvent.Modifiers) -> Bool {
    let isKnown = edit(key, modifiers)
    // Moving the cursor accepts the suggestion for editing.
    if isKnown { (isSuggestion, isRecalled) = (false, false) }
    return isKnown
  }

  private mutating func edit(_ key: InputEvent.Key, _ modifiers: InputEvent.Modifiers) -> Bool {
    switch (key, modifiers.contains(.control)) {
    case (.character(let character), false) where !modifiers.contains(.alt):
      insert(String(character))
    case (.backspace, _) where isSuggestion, (.delete, _) where isSuggestion: clear()
    case (.backspace, _), (.character("h"), true):
      guard cursor > 0 else { return true }
      cursor -= 1
      characters.remove(at: cursor)
    case (.delete, _), (.character("d"), true):
      if cursor < characters.count { characters.remove(at: cursor) }
    case (.left, _), (.character("b"), true): cursor = max(0, cursor - 1)
    case (.right, _), (.character("f"), true): cursor = min(characters.count, cursor + 1)
    case (.home, _), (.character("a"), true): cursor = 0
    case (.end, _), (.character("e"), true): cursor = characters.count
    case (.character("u"), true):
      characters.removeFirst(cursor)
      cursor = 0
    case (.character("k"), true): characters.removeLast(characters.count - cursor)
    case (.character("w"), true):
      var start = cursor
      while start > 0, characters[start - 1] == " " { start -= 1 }
      while start > 0, characters[start - 1] != " " { start -= 1 }
      characters.removeSubrange(start..<cursor)
      cursor = start
    default: return false
    }
    return true
  }
}
