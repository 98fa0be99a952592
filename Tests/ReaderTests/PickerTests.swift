import Reader
import Rendering
import TestSupport
import Testing

@Suite struct PickerTests {
  private static let entries = [
    Picker.Entry(title: "Walden", path: "books/walden.md", percent: 43, time: "2 h ago"),
    Picker.Entry(title: "A week on the river", path: "books/river.md"),
    Picker.Entry(title: "Essay", path: "essay.md", percent: 100, time: "1 day ago"),
    Picker.Entry(title: "Signs", path: "notes/signs.md"),
  ]

  private func picker(_ query: String = "", columns: Int = 80, rows: Int = 10) -> Picker {
    var picker = Picker("Read", Self.entries, query: query, columns: columns, rows: rows)
    picker.isComplete = true
    return picker
  }

  private func type(_ text: String, in picker: inout Picker) {
    for character in text { #expect(picker.handle(.key(.character(character))) == nil) }
  }

  private func lines(_ picker: inout Picker) -> [String] {
    let screen = picker.screen()
    return (0..<screen.rows).map(screen.text(ofRow:))
  }

  /// Returns the lit characters of a row of the screen.
  private func lit(_ picker: inout Picker, row: Int) -> String {
    let screen = picker.screen()
    return String(
      (0..<screen.columns).map { screen[row, $0] }.filter { $0.paint.hasSuffix("1;4") }.map(\.text))
  }

  @Test func `without a query all documents are listed in their order`() {
    var picker = picker()
    let lines = lines(&picker)
    #expect(lines[0] == "Read:" + String(repeating: " ", count: 74) + "4")
    #expect(lines[1].hasPrefix(" Walden               books/walden.md"))
    #expect(lines[1].hasSuffix(" 43%  2 h ago"))
    #expect(lines[2] == " A week on the river  books/river.md")
    #expect(lines[3].hasSuffix("100%  1 day ago"))
    #expect(lines[9].hasPrefix(" Enter opens  Esc leaves  Up Down choose"))
    #expect(picker.handle(.key(.enter)) == .chosen(entry: 0, heading: nil))
  }

  @Test func `without titles, the paths begin in the first column`() {
    let entries = ["books/walden.md", "essay.md"].map { Picker.Entry(title: "", path: $0) }
    for columns in [30, 80] {
      var picker = Picker("Read", entries, query: "", columns: columns, rows: 6)
      #expect(lines(&picker)[1].hasPrefix(" books/walden.md"), "\(columns) columns")
      #expect(lines(&picker)[2].hasPrefix(" essay.md"), "\(columns) columns")
    }
  }

  @Test func `typing filters by title and path, and lights the letters`() {
    var picker = picker()
    type("riv", in: &picker)
    #expect(picker.matches.map(\.entry) == [1])
    #expect(lines(&picker)[0].hasPrefix("Read: riv ") && lines(&picker)[0].hasSuffix("1 of 4"))
    #expect(lit(&picker, row: 1) == "riv")
    for _ in 0..<3 { _ = picker.handle(.key(.backspace)) }
    #expect(picker.matches.map(\.entry) == [0, 1, 2, 3])
    type("books wal", in: &picker)
    #expect(picker.matches.map(\.entry) == [0])
    #expect(lit(&picker, row: 1) == "Walbooks")
    _ = picker.handle(.key(.character("u"), .control))
    type("zzz", in: &picker)
    #expect(picker.matches.isEmpty && lines(&picker)[1] == " nothing matches")
    #expect(picker.handle(.key(.enter)) == nil)
  }

  @Test func `headings are found once they are known, and their document opens at them`() {
    var picker = picker("obelus")
    #expect(picker.matches.isEmpty)
    picker.add([(entry: 3, headings: ["The diple", "The obelus", "Others"])])
    #expect(picker.matches.map(\.entry) == [3] && picker.matches[0].heading == 1)
    #expect(lines(&picker)[1].hasPrefix(" Signs § The obelus  notes/signs.md"))
    #expect(lit(&picker, row: 1) == "obelus")
    #expect(picker.handle(.key(.enter)) == .chosen(entry: 3, heading: 1))
    // A title that matches as well is preferred to a heading.
    picker = self.picker("signs")
    picker.add([(entry: 3, headings: ["Signs"]), (entry: 0, headings: ["Signs"])])
    #expect(picker.matches.map(\.entry) == [3, 0] && picker.matches[0].heading == nil)
    // The words of a query may be divided between a heading and the document.
    picker = self.picker("essay obelus")
    picker.add([(entry: 2, headings: ["Obelus"]), (entry: 3, headings: ["Obelus"])])
    #expect(picker.matches.map(\.entry) == [2])
  }

  @Test func `new headings keep the choice`() {
    var picker = picker("s")
    _ = picker.handle(.key(.down))
    let chosen = picker.matches[1].entry
    picker.add([(entry: 0, headings: ["S", "S s s"]), (entry: 1, headings: ["s"])])
    guard case .chosen(let entry, _) = picker.handle(.key(.enter)) else {
      Issue.record("nothing was chosen")
      return
    }
    #expect(entry == chosen)
  }

  @Test func `keys and the mouse move the choice`() {
    var picker = picker(rows: 5)
    _ = picker.handle(.key(.down))
    _ = picker.handle(.key(.character("n"), .control))
    #expect(picker.handle(.key(.enter)) == .chosen(entry: 2, heading: nil))
    _ = picker.handle(.key(.character("p"), .control))
    _ = picker.handle(.key(.up))
    _ = picker.handle(.key(.up))
    #expect(picker.handle(.key(.enter)) == .chosen(entry: 0, heading: nil))
    _ = picker.handle(.key(.pageDown))
    #expect(picker.handle(.key(.enter)) == .chosen(entry: 3, heading: nil))
    #expect(lines(&picker)[3].contains("Signs"), "the chosen one is visible")
    let press = InputEvent.mouse(.init(.press, at: .init(row: 2, column: 3)))
    #expect(picker.handle(press) == .chosen(entry: 2, heading: nil))
    #expect(picker.handle(.mouse(.init(.press, at: .init(row: 0, column: 3)))) == nil)
    #expect(picker.handle(.key(.escape)) == .cancelled)
    #expect(picker.handle(.key(.character("c"), .control)) == .cancelled)
    #expect(picker.handle(.key(.character("z"), .control)) == .suspended)
    #expect(picker.handle(.key(.character("l"), .control)) == .redrawn)
    #expect(picker.handle(.paste("essay\n")) == nil && picker.matches.map(\.entry) == [2])
  }

  @Test func `nothing is drawn beyond a screen of any size, and titles remain longest`() {
    let hostile = Picker.Entry(
      title: "\u{1B}[31m red \u{202E} 日本語 👩‍👩‍👧 " + String(repeating: "long ", count: 50),
      path: "a/" + String(repeating: "deep/", count: 60) + "file\u{7}.md", percent: 7,
      time: "3 min ago")
    for columns in [1, 2, 10, 20, 39, 40, 56, 80, 200] {
      for rows in [1, 2, 3, 24] {
        var picker = Picker(
          "Read", Self.entries + [hostile], query: "", columns: columns, rows: rows)
        let screen = picker.screen()
        #expect(screen.columns == columns && screen.rows == rows)
        for row in 0..<rows {
          let text = screen.text(ofRow: row)
          #expect(displayWidth(of: text) <= columns)
          #expect(!text.unicodeScalars.contains { $0.value < 32 || $0.value == 0x202E }, "\(text)")
        }
        if columns >= 20, rows > 2 {
          #expect(screen.text(ofRow: 1).contains("Walden"), "\(columns)×\(rows)")
        }
        if columns == 80, rows == 24 {
          let last = screen.text(ofRow: 5)
          #expect(last.contains("…") && last.hasSuffix("  7%  3 min ago"), "\(last)")
          #expect(last.contains("file"), "the file's name is visible: \(last)")
        }
      }
    }
  }

  @Test func `a long list stays usable while it is filtered`() {
    let many = (0..<10_000).map {
      Picker.Entry(title: "Document \($0)", path: "folder-\($0 % 97)/sub/document-\($0).md")
    }
    var picker = Picker("Read", many, query: "", columns: 80, rows: 24)
    type("doc9999", in: &picker)
    #expect(picker.matches.first?.entry == 9_999)
    #expect(picker.matches.count < 100)
    // Filtering what was found gives the same result as filtering everything.
    let all = Picker("Read", many, query: "doc9999", columns: 80, rows: 24)
    #expect(picker.matches == all.matches)
  }
}
