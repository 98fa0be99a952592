import Rendering

/// A line of text that is being typed, with a cursor.
struct LineField: Hashable {
  private(set) var characters: [Character]
  /// The characters before the cursor.
  private(set) var cursor: Int
  /// Whether all of it is a suggestion: what is typed stands in its place.
  private(set) var isSuggestion: Bool
  /// Whether it was typed before and is as it was.
  private(set) var isRecalled = false

  init(_ text: String = "", isSuggestion: Bool = false) {
    characters = Array(text)
    cursor = characters.count
    self.isSuggestion = isSuggestion && !text.isEmpty
  }

  /// A line that was typed before.
  init(recalled text: String) {
    self.init(text)
    isRecalled = true
  }

  var text: String { String(characters) }

  mutating func insert(_ text: String) {
    if isSuggestion { clear() }
    isRecalled = false
    // What is pasted may have line ends, which a line has not.
    for character in text.split(whereSeparator: \.isNewline).joined(separator: " ") {
      characters.insert(character, at: cursor)
      cursor += 1
    }
  }

  private mutating func clear() { self = LineField() }

  /// Takes a key; false for one that means nothing here.
  mutating func take(_ key: InputEvent.Key, _ modifiers: InputEvent.Modifiers) -> Bool {
    let isKnown = edit(key, modifiers)
    // Whoever moves in it wants to change it.
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
