import Foundation
import Testing

/// Tests when `show` uses a pager on a terminal, and its colours.
@Suite(.enabled(if: Terminal.isThere, Terminal.need)) struct PagerTests {
  let bench: Workbench

  init() throws {
    bench = try Workbench()
    bench.environment["TERM"] = "screen-256color"
    let paragraphs = (1...60).map { "Paragraph \($0) of a long text.\n" }
    try bench.write("long.md", "# Long\n\n" + paragraphs.joined(separator: "\n"))
    try bench.write("short.md", "# Short\n\nThe quick fox jumps over the lazy dog.\n")
  }

  /// Adds a document and highlights passages, the first in yellow and the second in pink.
  private func mark(_ document: String, _ quotes: String...) throws {
    try bench.diple("add", document)
    for (quote, color) in zip(quotes, ["yellow", "pink"]) {
      try bench.diple("mark", document, "\"\(quote)\"", "--color", color)
    }
  }

  /// A pager that marks each line. `sed` is installed if tmux is.
  private static let marking = "sed 's/^/>/'"

  @Test func `a long page is shown by less, in which the user can scroll`() throws {
    try mark("long.md", "Paragraph 2 of")
    let terminal = try Terminal(
      bench, "diple", "show", "long.md", rows: 12, variables: ["DIPLE_PAGER=less -R"])
    let first = try terminal.wait("less waits on the first screen") { $0.hasSuffix("\n:") }
    #expect(first.contains("Paragraph 2 of") && !first.contains("Paragraph 9 of"))
    #expect(try terminal.colors().contains("\u{1B}[48;5;220mParagraph 2 of\u{1B}[39m\u{1B}[49m"))
    try terminal.press("G")
    try terminal.wait("it is at the end") { $0.hasSuffix("Paragraph 60 of a long text.\n(END)") }
    try terminal.press("g")
    try terminal.wait("it is at the start") { $0.contains("Paragraph 2 of") }
    // An interrupt goes to the pager, which keeps running.
    try terminal.press("C-c")
    try terminal.wait("it is at the end again") {
      // The terminal discards keys before an interrupt, and those just after it may be lost too.
      try terminal.press("G")
      return $0.hasSuffix("(END)")
    }
    try terminal.press("q")
    #expect(try terminal.exitCode() == 0)
  }

  @Test func `the default pager is less`() throws {
    let terminal = try Terminal(bench, "diple", "show", "long.md", rows: 12)
    try terminal.wait("less waits on the first screen") { $0.hasSuffix("\n:") }
    try terminal.press("q")
    #expect(try terminal.exitCode() == 0)
  }

  @Test func `quitting the pager before it has read everything is not an error`() throws {
    try bench.shell("yes 'A line that is one of very many.' | head -c 300000 > huge.md")
    let terminal = try Terminal(bench, "diple", "show", "huge.md", rows: 12)
    try terminal.wait("less waits on the first screen") { $0.hasSuffix("\n:") }
    try terminal.press("q")
    #expect(try terminal.exitCode() == 0)
  }

  @Test(arguments: [
    (words: ["long.md"], variables: ["DIPLE_PAGER=\(marking)", "PAGER=false"], isPaged: true),
    (words: ["long.md"], variables: ["PAGER=\(marking)"], isPaged: true),
    (words: ["long.md", "--no-pager"], variables: ["PAGER=\(marking)"], isPaged: false),
    (words: ["long.md"], variables: ["DIPLE_PAGER=", "PAGER=\(marking)"], isPaged: false),
    (words: ["long.md"], variables: ["DIPLE_PAGER=/nowhere/at/all"], isPaged: false),
    (words: ["long.md", "--json"], variables: ["PAGER=\(marking)"], isPaged: false),
    (words: ["short.md"], variables: ["PAGER=\(marking)"], isPaged: false),
    (words: ["short.md", "--page"], variables: ["PAGER=\(marking)"], isPaged: true),
    (words: ["short.md", "--page", "--no-pager"], variables: ["PAGER=\(marking)"], isPaged: false),
  ])
  func `the pager is used as the settings, the options and the environment require`(
    words: [String], variables: [String], isPaged: Bool
  ) throws {
    let terminal = try Terminal(
      bench, "diple", words: ["show"] + words, rows: 12, variables: variables)
    #expect(try terminal.exitCode() == 0)
    let lines = try terminal.screen().split(separator: "\n").dropLast()
    #expect(lines.last?.hasPrefix(">") == isPaged, "\(lines)")
    #expect(lines.last?.contains("lazy dog") == true || lines.joined().contains("text."))
  }

  /// The output of tmux for the two highlights of `short.md`, in yellow and pink.
  @Test(arguments: [
    (
      "screen-256color", ["COLORTERM=truecolor"],
      ["38;2;26;26;26m\u{1B}[48;2;255;243;109mquick fox", "48;2;247;191;230mlazy dog"]
    ),
    ("screen-256color", [], ["38;5;234m\u{1B}[48;5;220mquick fox", "48;5;182mlazy dog"]),
    ("xterm-256color", [], ["38;5;234m\u{1B}[48;5;220mquick fox", "48;5;182mlazy dog"]),
    ("xterm", [], ["\u{1B}[30m\u{1B}[43mquick fox", "\u{1B}[97m\u{1B}[45mlazy dog"]),
    ("linux", [], ["\u{1B}[30m\u{1B}[43mquick fox", "\u{1B}[97m\u{1B}[45mlazy dog"]),
  ])
  func `a highlight is drawn in colours that the terminal supports`(
    term: String, variables: [String], painted: [String]
  ) throws {
    try mark("short.md", "quick fox", "lazy dog")
    let terminal = try Terminal(
      bench, "diple", "show", "short.md", term: term, variables: variables)
    #expect(try terminal.exitCode() == 0)
    let colors = try terminal.colors()
    for text in painted { #expect(colors.contains(text), "\(colors.debugDescription)") }
    // Letters in the margin name the colours for users who can't distinguish them.
    #expect(try terminal.screen().contains("\nYP The quick fox jumps over the lazy dog.\n"))
  }

  @Test(arguments: [
    ("screen-256color", ["NO_COLOR=1", "COLORTERM=truecolor"], ["short.md"]),
    ("dumb", [], ["short.md"]), ("screen-256color", [], ["short.md", "--color", "never"]),
    ("screen-256color", ["COLORTERM=truecolor"], ["short.md", "--plain"]),
  ])
  func `without colours nothing is escaped, and highlights are in brackets`(
    term: String, variables: [String], words: [String]
  ) throws {
    try mark("short.md", "quick fox", "lazy dog")
    let terminal = try Terminal(
      bench, "diple", words: ["show"] + words, term: term, variables: variables)
    #expect(try terminal.exitCode() == 0)
    let screen = try terminal.colors()
    #expect(screen.contains("The [Y:quick fox] jumps over the [P:lazy dog]."), "\(screen)")
    #expect(!screen.contains("\u{1B}"), "\(screen.debugDescription)")
  }

  @Test func `a pipe has colours only if requested`() throws {
    bench.environment["COLORTERM"] = "truecolor"
    try mark("short.md", "quick fox")
    let page = try bench.diple("show", "short.md").output
    #expect(page.contains("The [Y:quick fox] jumps") && !page.contains("\u{1B}"))
    let painted = try bench.diple("show", "short.md", "--color", "always").output
    #expect(painted.contains("\u{1B}[0;38;2;26;26;26;48;2;255;243;109mquick fox\u{1B}[0m"))
  }
}
