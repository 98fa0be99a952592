import Rendering
import TestSupport
import Testing

/// A terminal that implements the sequences of screen updates.
private struct VirtualTerminal {
  var screen: Screen
  private var row = 0
  private var column = 0
  private var paint = ""
  var cursorIsShown = true
  /// Whether the terminal joins the scalars of a grapheme. Some terminals do not, so graphemes have
  /// other widths on them.
  private let joins: Bool
  private var wraps = true

  init(columns: Int, rows: Int, joins: Bool = true) {
    screen = Screen(columns: columns, rows: rows)
    self.joins = joins
  }

  /// Draws a grapheme like a terminal that only supports single scalars.
  private mutating func draw(_ character: Character) {
    for scalar in character.unicodeScalars {
      let width = displayWidth(of: Character(scalar))
      if width > 0, column + width > screen.columns {
        #expect(!wraps, "a line wraps")
        continue
      }
      screen.put(Character(scalar), width: width, paint: paint, row: row, column: column)
      column += width
    }
  }

  var cursor: Screen.Position? {
    cursorIsShown ? Screen.Position(row: row, column: column) : nil
  }

  mutating func take(_ text: String) {
    var rest = text[...]
    while let character = rest.popFirst() {
      guard character == "\u{1B}" else {
        if !joins {
          draw(character)
          continue
        }
        let width = displayWidth(of: character)
        screen.put(character, width: width, paint: paint, row: row, column: column)
        column += width
        continue
      }
      let sequence = rest.dropFirst().prefix { !$0.isLetter }
      rest = rest.dropFirst(1 + sequence.count)
      let last = rest.popFirst()
      switch last {
      case "H":
        let numbers = sequence.split(separator: ";").compactMap { Int($0) }
        (row, column) = (numbers[0] - 1, numbers[1] - 1)
      case "J": screen = Screen(columns: screen.columns, rows: screen.rows)
      case "K": screen.fill(paint: "", row: row, from: column)
      case "m":
        paint =
          sequence == "0" ? "" : String(sequence.hasPrefix("0;") ? sequence.dropFirst(2) : sequence)
      case "h" where sequence == "?25": cursorIsShown = true
      case "l" where sequence == "?25": cursorIsShown = false
      case "h" where sequence == "?7": wraps = true
      case "l" where sequence == "?7": wraps = false
      default: break
      }
    }
  }
}

@Suite struct ScreenTests {
  private static let pieces: [Character] = [
    "a", "b", " ", " ", "ß", "日", "👨‍👩‍👧‍👦", "e\u{301}", "│", "한",
    "👋🏽", "❤️", Character(String("स्त्र")), "कि",
  ]

  private func random(_ random: inout SeededGenerator, columns: Int, rows: Int) -> Screen {
    var screen = Screen(columns: columns, rows: rows)
    for row in 0..<rows where Bool.random(using: &random) {
      var column = 0
      while column < columns, Int.random(in: 0..<12, using: &random) > 0 {
        let piece = Self.pieces.randomElement(using: &random)!
        column = screen.put(
          piece, width: displayWidth(of: piece),
          paint: ["", "", "1", "7", "38;5;1"].randomElement(using: &random)!, row: row,
          column: column)
      }
    }
    if Bool.random(using: &random) {
      screen.cursor = Screen.Position(
        row: Int.random(in: 0..<rows, using: &random),
        column: Int.random(in: 0..<columns, using: &random))
    }
    return screen
  }

  @Test func `a terminal that receives the differences shows the screen`() {
    let seed = SeededGenerator.runSeed
    var random = SeededGenerator(seed: seed)
    for _ in 0..<300 {
      let (columns, rows) = (
        Int.random(in: 1..<30, using: &random), Int.random(in: 1..<8, using: &random)
      )
      var terminal = VirtualTerminal(columns: columns, rows: rows)
      var shown: Screen?
      for _ in 0..<4 {
        let next = self.random(&random, columns: columns, rows: rows)
        terminal.take(next.update(from: shown))
        for row in 0..<rows {
          for column in 0..<columns {
            #expect(
              terminal.screen[row, column] == next[row, column],
              "seed \(seed): \(row), \(column)")
          }
        }
        #expect(terminal.cursor == next.cursor, "seed \(seed)")
        shown = next
      }
    }
  }

  @Test func `a terminal with other character widths shows all other characters in place`() {
    let seed = SeededGenerator.runSeed
    var random = SeededGenerator(seed: seed)
    for _ in 0..<300 {
      let (columns, rows) = (
        Int.random(in: 1..<30, using: &random), Int.random(in: 1..<8, using: &random)
      )
      var terminal = VirtualTerminal(columns: columns, rows: rows, joins: false)
      var shown: Screen?
      for _ in 0..<4 {
        let next = self.random(&random, columns: columns, rows: rows)
        terminal.take(next.update(from: shown))
        for row in 0..<rows {
          for column in 0..<columns {
            let wanted = next[row, column]
            let isSimple = wanted.text.unicodeScalars.count == 1 && wanted.width > 0
            guard isSimple else { continue }
            #expect(
              terminal.screen[row, column].text == wanted.text,
              "seed \(seed): \(row), \(column) of '\(next.text(ofRow: row))'")
          }
        }
        shown = next
      }
    }
  }

  @Test func `unchanged cells are not written`() {
    var screen = Screen(columns: 20, rows: 3)
    screen.put("some words", row: 1, column: 0)
    let nothing = screen.update(from: screen)
    var other = screen
    other.put("W", row: 1, column: 5)
    #expect(other.update(from: screen).count == nothing.count + "\u{1B}[2;6HW".count)
  }

  @Test func `half of a wide character never remains`() {
    var screen = Screen(columns: 6, rows: 1)
    screen.put("日本", row: 0, column: 0)
    screen.put("x", row: 0, column: 1)
    #expect(screen.text(ofRow: 0) == " x本")
    screen.put("日", row: 0, column: 1)
    #expect(screen.text(ofRow: 0) == " 日")
    screen.put("日", row: 0, column: 5)
    #expect(screen.text(ofRow: 0) == " 日")
  }

  @Test func `control characters of a text are not written to the terminal`() {
    var screen = Screen(columns: 20, rows: 1)
    screen.put("a\u{1B}[2Jb\u{9B}c\n", row: 0, column: 0)
    #expect(!screen.update(from: screen).contains("\u{1B}[2J"))
    #expect(screen.text(ofRow: 0) == "a␛[2Jb\u{FFFD}c␊")
  }
}
