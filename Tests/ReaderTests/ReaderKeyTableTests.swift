import Editing
import Foundation
import MarkdownParse
import Model
import Rendering
import Testing

@testable import Reader

/// Tests that the reader has the keys of `Documentation/keys.md`, with their effects.
@Suite struct ReaderKeyTableTests {
  private static let essay = """
    # Signs

    The quick brown fox jumps over the [lazy dog](other.md). A second one, with more words.

    ## Deeper

    See the end.


    """ + (1...40).map { "Paragraph \($0) of the end.\n\n" }.joined() + "# Last\n\nThe end.\n"

  private static var document: String {
    get throws {
      let root = URL(filePath: #filePath).appending(path: "../../../").standardized
      return try String(
        contentsOf: root.appending(path: "Documentation/keys.md"), encoding: .utf8)
    }
  }

  /// The keys of the terminal in the documentation, each with the meaning of its row.
  private static var documented: [(key: String, meaning: String)] {
    get throws {
      try document.split(separator: "\n").flatMap { line -> [(key: String, meaning: String)] in
        let cells = line.split(separator: " | ", omittingEmptySubsequences: false)
        guard line.hasPrefix("| "), cells.count == 3 else { return [] }
        let meaning = cells[2].replacing(" |", with: "")
        return cells[0].matches(of: #/`([^`]+)`/#).map { (String($0.1), String(meaning)) }
      }
    }
  }

  @Test func `the documentation has the table of the program`() throws {
    #expect(try Self.document.hasSuffix(ReaderKeys.markdown), "run Tooling/manual --keys")
  }

  @Test func `a key has the same function in both readers`() {
    for row in ReaderKeys.all {
      // While finding, `n` has another function in both readers.
      for key in row.terminal where key != "n" {
        for other in ReaderKeys.all where other.meaning != row.meaning {
          #expect(!other.browser.contains(key), "\(key): \(row.meaning), \(other.meaning)")
        }
      }
    }
  }

  private static func event(_ name: String) throws -> InputEvent {
    let named: [String: InputEvent] = [
      "Del": .key(.delete), "Enter": .key(.enter), "Esc": .key(.escape), "Tab": .key(.tab),
      "Shift+Tab": .key(.tab, .shift), "Shift+arrows": .key(.right, .shift),
      "Space": .key(.character(" ")), "PgUp": .key(.pageUp), "←": .key(.left), "→": .key(.right),
      "↓": .key(.down), "↑": .key(.up),
    ]
    if let event = named[name] { return event }
    if name.hasPrefix("Ctrl+"), let letter = name.last {
      return .key(.character(letter), .control)
    }
    try #require(name.count == 1, "\(name)")
    return .key(.character(name.first!))
  }

  /// The keys with the state before them and the effect to expect.
  private static func check(_ key: String, _ meaning: String) throws {
    let bench = ReaderBench(
      essay, highlights: [("brown", .green), ("second", .pink)], rows: 12)
    let isCount = key == "5"
    /// Presses the key after others, and returns the effects that it had.
    func press(after keys: String = "", _ more: String = "") throws -> [Reader.Effect] {
      for character in keys {
        bench.take(character == "\r" ? .key(.enter) : .key(.character(character)))
      }
      bench.effects = []
      bench.take(try event(key))
      bench.press(more)
      return bench.effects
    }
    func shows(_ text: String) -> Bool { bench.lines.contains { $0.contains(text) } }
    let brown = Highlight.ID.number(1)
    let colors = HighlightColor.allCases
    switch (meaning, key) {
    case (let meaning, _) where meaning.hasPrefix("Mark in a colour"):
      let color = colors[Int(key)! - 1]
      #expect(try press(after: "je") == [.mark(bench.reader.selection.range, color)])
      bench.press(InputEvent.Key.escape)
      #expect(try press(after: "0ww") == [.recolor(id: brown, color)])
    case ("Write a note", _):
      #expect(try press(after: "je", "a") == [] && bench.status.hasPrefix("note: a"))
      bench.take(.key(.enter))
      let passage = Reader.Subject.passage(bench.reader.selection.range)
      #expect(bench.effects == [.setNote(passage, "a", seen: "")])
      bench.press(InputEvent.Key.escape)
      #expect(try press(after: "0ww", "b") == [] && bench.status.hasPrefix("note: b"))
      bench.take(.key(.enter))
      #expect(bench.effects.last == .setNote(.highlight(brown), "b", seen: ""))
    case ("Add tags", _):
      #expect(try press(after: "jww", "a, b") == [] && bench.status.hasPrefix("tags"))
      bench.take(.key(.enter))
      #expect(bench.effects == [.tag(.highlight(brown), ["a", "b"])])
    case ("Remove the highlight", _):
      #expect(try press(after: "jww") == [.remove(id: brown)])
    case ("Copy the text", _):
      #expect(try press(after: "je") == [.copy(bench.reader.selection.range, .usual)])
    case ("Copy the text with its citation", _):
      #expect(try press(after: "je") == [.copy(bench.reader.selection.range, .cited)])
    case ("Share as a card", _):
      #expect(try press(after: "je") == [])
      #expect(bench.status.trimmed == ":share -o the.png", "\(bench.status)")
      bench.press(InputEvent.Key.escape, InputEvent.Key.escape)
      #expect(try press(after: "0ww") == [])
      #expect(bench.status.trimmed == ":share 1 -o brown.png", "\(bench.status)")
    case ("Format the selection", _):
      #expect(try press(after: "je") == [.readFormat])
    case ("Menu of what can be done", _):
      #expect(try press(after: "je") == [] && shows("│ Selection"))
    case ("Undo", _): #expect(try press() == [.run("undo")])
    case ("Redo", _): #expect(try press() == [.run("redo")])
    case ("Begin to select with the keys that move, or end it", _):
      _ = try press(after: "j", "w")
      #expect(bench.selected == "The")
    case ("Extend the selection", _):
      _ = try press(after: "j")
      #expect(bench.selected == "T")
    case ("Select the word, or the next larger unit", _):
      _ = try press(after: "j")
      #expect(bench.selected == "The")
      _ = try press()
      #expect(bench.selected.hasPrefix("The quick"))
    case ("Select the sentence", _):
      _ = try press(after: "j")
      #expect(bench.selected.hasPrefix("The quick") && bench.selected.hasSuffix("dog."))
    case ("Select all", _):
      _ = try press()
      #expect(bench.selected.hasSuffix("The end."))
    case (let meaning, _) where meaning.hasPrefix("Move the end by a word"):
      _ = try press(after: "jee-")
      let count = bench.selected.count
      _ = try press()
      #expect(key == "+" ? bench.selected.count > count : bench.selected.count < count)
      bench.press(InputEvent.Key.escape)
      let width = bench.reader.flow.page.options.width
      _ = try press(after: "--")
      #expect(bench.reader.flow.page.options.width == width + (key == "+" ? -4 : -12))
    case ("Default size", _):
      let width = bench.reader.flow.page.options.width
      bench.press("--")
      #expect(bench.reader.flow.page.options.width < width)
      _ = try press()
      #expect(bench.reader.flow.page.options.width == width)
    case ("A character back, on", "h"), ("A character back, on", "←"):
      _ = try press(after: "jl")
      #expect(bench.atCaret.hasPrefix("The"))
    case ("A character back, on", _):
      _ = try press(after: "j")
      #expect(bench.atCaret.hasPrefix("he"))
    case ("A row down, up", "j"), ("A row down, up", "↓"):
      _ = try press()
      #expect(bench.atCaret.hasPrefix("The quick"))
    case ("A row down, up", _):
      _ = try press(after: "j")
      #expect(bench.atCaret == "Signs")
    case ("Next word, previous word", _):
      _ = try press(after: "jw")
      #expect(bench.atCaret.hasPrefix(key == "w" ? "brown" : "The"))
    case ("Next sentence, previous sentence", _):
      _ = try press(after: "jw")
      #expect(bench.atCaret.hasPrefix(key == ")" ? "A second" : "The"))
    case ("Next paragraph, previous paragraph", _):
      _ = try press(after: "j")
      #expect(bench.atCaret.hasPrefix(key == "p" ? "Deeper" : "Signs"))
    case ("Next highlight, previous highlight", "["),
      ("Next highlight, previous highlight", "Shift+Tab"):
      _ = try press(after: "]]")
      #expect(bench.selected == "brown")
    case ("Next highlight, previous highlight", _):
      _ = try press()
      #expect(bench.selected == "brown")
    case ("Next heading, previous heading", _):
      _ = try press(after: "j")
      #expect(bench.atCaret == (key == "}" ? "Deeper" : "Signs"))
    case ("Start of the row, end of the row", _):
      _ = try press(after: "jw")
      #expect(key == "0" ? bench.atCaret.hasPrefix("The") : bench.atCaret.count < 40)
    case ("Start of the text, end of the text", _):
      _ = try press(after: "jj")
      #expect(shows(key == "g" ? "Signs" : "The end."))
    case ("A page down, up", _), ("Half a page down, up", _), ("Scroll by a row", _):
      let isDown = ["Space", "Ctrl+d", "Ctrl+e"].contains(key)
      let start = try #require(bench.lines.first)
      if !isDown {
        bench.press(" ")
        bench.control("d")
      }
      let before = bench.lines
      _ = try press()
      #expect(bench.lines != before && (isDown || bench.lines[0] != start))
    case _ where isCount:
      _ = try press("j")
      #expect(bench.atCaret.hasPrefix("Paragraph 1 "), "\(bench.atCaret)")
    case ("Back, forward", "<"):
      _ = try press(after: "}}")
      #expect(bench.atCaret == "Deeper")
    case ("Back, forward", _):
      _ = try press(after: "}}<")
      #expect(bench.atCaret == "Last")
    case ("Follow a link by its number", _):
      #expect(try press("1") == [] && bench.status.hasPrefix("follow link: 1"))
    case ("Find in the text", _):
      _ = try press("fox")
      #expect(bench.status.hasPrefix("/fox"))
    case ("While finding: next match, previous match", _):
      _ = try press(after: "/end\r")
      #expect(bench.status.contains(key == "n" ? "2 of" : "wrapped to the end"), "\(bench.status)")
    case ("Outline", _): #expect(try press() == [] && shows("│ Outline"))
    case ("Highlights", _):
      #expect(try press() == [] && shows("│ Highlights") && shows("G “brown”"))
    case ("Doubtful and orphaned highlights, to review", _):
      #expect(try press() == [] && bench.status.contains("no highlight is doubtful"))
    case ("Links", _): #expect(try press() == [] && shows("│ Links"))
    case ("Type a command; Tab completes it, :commands lists all", _):
      #expect(try press("x") == [] && bench.status.hasPrefix(":x"))
    case ("Links to and from the document, and broken ones", _):
      #expect(try press() == [.readLinks])
    case ("Open another document", _): #expect(try press() == [.pick("")])
    case ("Markdown source, and back to the text", _):
      _ = try press()
      #expect(bench.reader.showsSource && shows("# Signs"))
      _ = try press()
      #expect(!bench.reader.showsSource && !shows("# Signs"))
    case ("Mouse off, or on", _): #expect(try press() == [.captureMouse(false)])
    case ("Read the file again", _): #expect(try press() == [.reload])
    case ("Draw the screen again", _): #expect(try press() == [.redraw])
    case ("Show these keys", _): #expect(try press() == [] && shows("│ Keys"))
    case ("End finding, then clear the selection", _):
      _ = try press(after: "/fox\r")
      #expect(bench.selected == "fox" && !bench.status.contains("1 of 1"))
      _ = try press()
      #expect(bench.selected.isEmpty)
    case (let meaning, _) where meaning.hasPrefix("Quit"): #expect(try press() == [.quit(0)])
    default: Issue.record("no test of \(key): \(meaning)")
    }
  }

  @Test func `every documented key has its effect`() throws {
    let documented = try Self.documented
    #expect(documented.count > 60)
    for (key, meaning) in documented { try Self.check(key, meaning) }
  }

  @Test func `a key without a subject names the missing subject`() {
    let bench = ReaderBench(Self.essay)
    for (key, reason) in [
      ("n", "nothing is selected"), ("t", "nothing is selected"), ("x", "no highlight here"),
      ("y", "nothing is selected"), ("C", "nothing is selected"), ("s", "nothing is selected"),
      ("N", "no search yet"),
    ] {
      bench.press(key)
      #expect(bench.status.contains(reason) && bench.effects.isEmpty, "\(key): \(bench.status)")
    }
  }

  @Test func `digits are counts without a subject, and on a highlight the first four are colours`()
  {
    let bench = ReaderBench(Self.essay, highlights: [("quick", .green)])
    bench.press("3j")
    #expect(bench.effects.isEmpty && bench.atCaret.hasPrefix("Deeper"))
    bench.press("gjw", "5")
    #expect(bench.effects.isEmpty && bench.status.contains("5"))
    bench.press("1l")
    #expect(bench.effects.isEmpty, "after a digit, another one is part of the number")
  }

  @Test func `a text that cannot be changed has no keys for highlights`() {
    let bench = ReaderBench(Self.essay, canMark: false)
    bench.press("je")
    for key in ["1", "n", "t"] {
      bench.press(key)
      #expect(
        bench.effects.isEmpty && bench.status.contains("cannot be changed here"), "\(bench.status)")
    }
    #expect(!bench.lines.joined().contains("1-4"))
  }
}
