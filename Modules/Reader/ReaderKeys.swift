/// A row of the table of keys: what a key does in the terminal and in the browser. The help of both
/// readers, `Documentation/keys.md` and the tests of the keys follow ``all``.
package struct ReaderKeys: Sendable {
  /// The groups of the table, in their order.
  package enum Group: String, CaseIterable, Sendable {
    case mark = "Mark"
    case select = "Select"
    case move = "Move"
    case find = "Find"
    case more = "More"
  }

  package let group: Group
  /// The keys in the terminal; empty if only the browser has the function.
  package let terminal: [String]
  /// The keys in the browser; empty if only the terminal has the function.
  package let browser: [String]
  /// What the keys do. If there are several, in their order.
  package let meaning: String

  private init(_ group: Group, _ keys: String, _ meaning: String) {
    self.init(group, terminal: keys, browser: keys, meaning)
  }

  private init(_ group: Group, terminal: String = "", browser: String = "", _ meaning: String) {
    self.group = group
    self.meaning = meaning
    (self.terminal, self.browser) = (Self.keys(terminal), Self.keys(browser))
  }

  private static func keys(_ line: String) -> [String] {
    line.split(separator: " ").map(String.init)
  }

  /// All rows. A key that both readers have is in the same row for both.
  package static let all: [ReaderKeys] = [
    ReaderKeys(.mark, "1 2 3 4", "Mark in a colour, or change the highlight's colour"),
    ReaderKeys(.mark, "n", "Write a note"),
    ReaderKeys(.mark, "t", "Add tags"),
    ReaderKeys(.mark, "x Del", "Remove the highlight"),
    ReaderKeys(.mark, "y c", "Copy the text"),
    ReaderKeys(.mark, "C", "Copy the text with its citation"),
    ReaderKeys(.mark, "s", "Share as a card"),
    ReaderKeys(.mark, "F", "Format the selection"),
    ReaderKeys(.mark, "Enter .", "Menu of what can be done"),
    ReaderKeys(.mark, terminal: "u", browser: "u Ctrl+z", "Undo"),
    ReaderKeys(.mark, terminal: "U Ctrl+r", browser: "U Ctrl+Z", "Redo"),
    ReaderKeys(.mark, browser: "E", "Pen: mark every selection"),

    ReaderKeys(.select, terminal: "v", "Begin to select with the keys that move, or end it"),
    ReaderKeys(.select, terminal: "Shift+arrows", "Extend the selection"),
    ReaderKeys(.select, "e", "Select the word, or the next larger unit"),
    ReaderKeys(.select, terminal: "S", "Select the sentence"),
    ReaderKeys(.select, "a", "Select all"),
    ReaderKeys(.select, "+ -", "Move the end by a word; without a selection, resize"),
    ReaderKeys(.select, "=", "Default size"),

    ReaderKeys(.move, terminal: "h l ← →", "A character back, on"),
    ReaderKeys(.move, terminal: "j k ↓ ↑", browser: "j k", "A row down, up"),
    ReaderKeys(.move, "w b", "Next word, previous word"),
    ReaderKeys(.move, terminal: ") (", "Next sentence, previous sentence"),
    ReaderKeys(.move, "p P", "Next paragraph, previous paragraph"),
    ReaderKeys(.move, "] [", "Next highlight, previous highlight"),
    ReaderKeys(.move, terminal: "Tab Shift+Tab", "Next highlight, previous highlight"),
    ReaderKeys(.move, "} {", "Next heading, previous heading"),
    ReaderKeys(.move, terminal: "0 $", "Start of the row, end of the row"),
    ReaderKeys(.move, "g G", "Start of the text, end of the text"),
    ReaderKeys(.move, terminal: "Space PgUp", "A page down, up"),
    ReaderKeys(.move, terminal: "Ctrl+d Ctrl+u", "Half a page down, up"),
    ReaderKeys(.move, terminal: "Ctrl+e Ctrl+y", "Scroll by a row"),
    ReaderKeys(.move, terminal: "5", "Repeat the next key 5 times; 12G goes to line 12"),
    ReaderKeys(.move, "< >", "Back, forward"),
    ReaderKeys(.move, terminal: "f", "Follow a link by its number"),

    ReaderKeys(.find, terminal: "/", browser: "/ Ctrl+f", "Find in the text"),
    ReaderKeys(.find, "n N", "While finding: next match, previous match"),
    ReaderKeys(.find, "o", "Outline"),
    ReaderKeys(.find, "H", "Highlights"),
    ReaderKeys(.find, terminal: "i", "Doubtful and orphaned highlights, to review"),
    ReaderKeys(.find, terminal: "L", "Links"),
    ReaderKeys(.find, terminal: "B", "Links to and from the document, and broken ones"),
    ReaderKeys(.find, "O", "Open another document"),

    ReaderKeys(.more, terminal: ":", "Type a command; Tab completes it, :commands lists all"),
    ReaderKeys(.more, "M", "Markdown source, and back to the text"),
    ReaderKeys(.more, terminal: "m", "Mouse off, or on"),
    ReaderKeys(.more, terminal: "r", "Read the file again"),
    ReaderKeys(.more, terminal: "Ctrl+l", "Draw the screen again"),
    ReaderKeys(.more, browser: "T", "Next theme"),
    ReaderKeys(.more, "?", "Show these keys"),
    ReaderKeys(.more, "Esc", "End finding, then clear the selection"),
    ReaderKeys(.more, terminal: "q", "Quit; so does Ctrl+c twice"),
  ]

  /// The rows of a group.
  package static func rows(of group: Group) -> [ReaderKeys] { all.filter { $0.group == group } }

  /// The table in Markdown, as in `Documentation/keys.md`.
  package static var markdown: String {
    func cell(_ keys: [String]) -> String {
      keys.map { "`\($0)`" }.joined(separator: " ")
    }
    return Group.allCases.map { group in
      let rows = rows(of: group).map {
        "| \(cell($0.terminal)) | \(cell($0.browser)) | \($0.meaning) |\n"
      }
      return "## \(group.rawValue)\n\n| terminal | browser | |\n|---|---|---|\n" + rows.joined()
    }.joined(separator: "\n")
  }
}
