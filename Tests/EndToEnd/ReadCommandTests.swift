import Foundation
import Testing

/// Tests all commands after `:` in the reader. None of them may write to the screen.
@Suite(.enabled(if: Terminal.isThere, Terminal.need)) struct ReadCommandTests {
  let bench: Workbench

  init() throws {
    bench = try Workbench()
    try bench.write("essay.md", "# Essay\n\nThe quick fox sees [another](other.md).\n")
    try bench.write("other.md", "# Other\n\nText.\n")
    try bench.diple("add", "essay.md", "other.md")
    try bench.diple("mark", "essay.md", "quick")
  }

  /// Arguments with which commands have an effect. Other commands are run without arguments.
  private static let words = [
    "add": "other.md", "adjust": "end +1 word", "at": "3:6", "config get": "copy.as",
    "config set": "copy.as plain", "copy": "\"fox\"", "doc link": "essay.md other.md",
    "doc show": "essay.md", "doc statistics": "essay.md", "extend": "+1 word", "find": "fox",
    "follow": "1",
    "format": "bold \"fox\"", "goto": "3:1", "highlight show": "1", "highlight note": "1 words",
    "import": "-", "links": "essay.md", "mark": "\"fox\"", "pick": "--json other",
    "query run": "none", "read": "--width 40 other.md",
    "replace": "fox cat", "search": "fox", "select": "\"quick fox\"", "show": "other.md",
  ]

  @Test(arguments: [false, true])
  func `every command works or prints an error in one line, and the screen is intact`(
    hasWords: Bool
  )
    throws
  {
    let terminal = try Terminal(
      bench, "diple", words: ["read", "essay.md"], columns: 100, rows: 12,
      variables: ["DIPLE_EDITOR=true", "PAGER=false"])
    defer { _ = try? bench.run("diple", ["daemon", "stop"]) }
    try terminal.wait("the text is shown") { $0.contains("The quick fox") }
    let commands = try bench.commands().sorted().filter { (Self.words[$0] != nil) == hasWords }
    let more =
      hasWords
      ? ["daemon start --foreground", "read essay.md --color never", "show -", "copy -", "unknown"]
      : ["", "\"", "--help", "show --help", "--version", "clear --json", "repl --json"]
    for line in commands.map({ "\($0) \(Self.words[$0] ?? "")".trimmingBlanks }) + more {
      try run(line, in: terminal)
    }
    // The reader is still usable.
    try terminal.press(":", "read essay.md")
    try terminal.wait(lastLine: ":read essay.md")
    try terminal.press("Enter")
    try terminal.wait("the text is shown") { $0.contains("sees") }
    try terminal.press("q")
    #expect(try terminal.exitCode() == 0)
  }

  @Test func `an address opens its document at the highlight`() throws {
    try bench.write("long.md", (1...200).map { "Line \($0) of it.\n" }.joined(separator: "\n"))
    try bench.diple("add", "long.md")
    try bench.diple("mark", "long.md", "\"Line 150\"")
    let table = try bench.diple("export", "long.md", "--to", "csv", "--links").output
    let address = String(try #require(table.firstMatch(of: #/diple:hl[^\s,]+/#)).0)
    // The address must suffice without the option or variable for the library.
    bench.environment["DIPLE_LIBRARY"] = nil
    let terminal = try Terminal(
      bench, "diple", words: ["read", "--", address], columns: 80, rows: 12)
    try terminal.wait("the highlight is shown") { $0.contains("Line 150 of it.") }
    try terminal.press("q")
    #expect(try terminal.exitCode() == 0)
    let wrong = try bench.diple("read", address.replacing("hl/", with: "hl/9"))
    #expect(wrong.code == 4 && wrong.errors.contains("no library"), "\(wrong)")
  }

  private static func lastLine(_ screen: String) -> Substring? {
    screen.split(separator: "\n").last
  }

  private func run(_ line: String, in terminal: Terminal) throws {
    // The previous screen is visible until the line is shown.
    try terminal.press(":", line)
    try terminal.wait("'\(line)' is typed") { Self.lastLine($0) == ":\(line)" }
    try terminal.press("Enter")
    // The line is visible until the command has ended.
    let answered = try terminal.wait("'\(line)' is answered") {
      Self.lastLine($0).map { !$0.hasPrefix(":") } ?? false
    }
    #expect(!answered.contains("[ended"), "'\(line)' ended the reader:\n\(answered)")
    #expect(answered.split(separator: "\n").count >= 3, "'\(line)':\n\(answered)")
    // Several lines are shown in a list. Don't press Escape, which is ambiguous with a key with
    // Alt.
    if answered.contains("│") { try terminal.press("q") }
    // Redrawing the screen must not change it. Otherwise the command has written to it.
    try terminal.press(":", "before")
    let before = try terminal.wait(lastLine: ":before")
    try terminal.press("C-g", "C-l", ":", "after")
    let after = try terminal.wait(lastLine: ":after")
    try terminal.press("C-g")
    #expect(
      after.replacing(":after", with: "") == before.replacing(":before", with: ""),
      "'\(line)' left something on the screen")
  }
}

extension String {
  fileprivate var trimmingBlanks: String { trimmingCharacters(in: .whitespaces) }
}
