import Foundation
import Testing

/// Tests the output of `list`, `search`, `doc list` and `history` on a terminal.
@Suite(.enabled(if: Terminal.isThere, Terminal.need)) struct ListOutputTests {
  let bench: Workbench

  private static let long =
    "averyveryverylongwordthatfitsnowhereatallonanarrowscreenandgoesonandonuntiltheend"
  private static let name = "a document with a rather long name for a narrow terminal.md"

  init() throws {
    bench = try Workbench()
    bench.environment["DIPLE_LIBRARY"] = bench.path(".diple")
    bench.environment["TZ"] = "America/New_York"
    try bench.write(
      "essay.md",
      """
      # Essay on foxes

      The quick brown fox jumps over the lazy dog and then runs on through the forest.

      日本語の文章です。狐はとても速いので、犬は追いつけません。fox もいます。👩‍👩‍👧‍👦 家族 👋🏽。

      See \(Self.long) here.

      """)
    try bench.write(Self.name, "# Other\n\nA fox waits for the hounds.\n")
    try bench.diple("add", "essay.md", Self.name)
    try bench.diple(
      "mark", "essay.md", "\"quick brown fox jumps over the lazy dog\"", "--note",
      "look this up in the encyclopedia", "--tag", "animals")
    try bench.diple("mark", "essay.md", "\"狐はとても速いので、犬は追いつけません。\"", "--color", "green")
    try bench.diple("mark", "essay.md", "\"\(Self.long)\"", "--color", "blue")
    try bench.diple("mark", Self.name, "\"waits for the hounds\"", "--color", "pink")
    try bench.write(Self.name, "# Other\n\nA fox.\n")
    try bench.diple("list")
  }

  private func shown(_ words: [String], columns: Int, _ variables: [String] = []) throws -> (
    rows: [String], colors: String
  ) {
    let terminal = try Terminal(
      bench, "diple", words: words, columns: columns, rows: 60, variables: variables)
    #expect(try terminal.exitCode() == 0)
    let rows = try terminal.screen().split(separator: "\n").map(String.init).dropLast()
    return (Array(rows), try terminal.colors())
  }

  /// Returns the words of a text, without CJK and very long words, which may be divided.
  private func words(_ text: String) -> Set<Substring> {
    Set(text.split { $0 == " " || $0 == "\n" }.filter { $0.allSatisfy(\.isASCII) && $0.count < 30 })
  }

  @Test(arguments: [40, 80, 120])
  func `a list is fitted to the width without dividing words`(columns: Int) throws {
    for words in [["list"], ["doc", "list"], ["history"]] {
      let whole = try bench.run("diple", words).output
      let rows = try shown(words, columns: columns).rows
      let seen = self.words(rows.joined(separator: "\n"))
      #expect(self.words(whole).isSubset(of: seen), "\(words) at \(columns):\n\(rows)")
      // All rows of a line except the first are indented, so the terminal hasn't wrapped any line.
      let starts = rows.filter { !$0.hasPrefix(" ") && !$0.hasSuffix("of 4") }
      #expect(starts.count == whole.split(separator: "\n").count, "\(words):\n\(rows)")
    }
  }

  @Test(arguments: [40, 80, 120])
  func `a match is shown with as much context as fits`(columns: Int) throws {
    let (rows, colors) = try shown(["search", "fox"], columns: columns)
    let whole = try bench.diple("search", "fox").lines
    let starts = rows.filter { !$0.hasPrefix(" ") }
    #expect(starts.count == whole.count, "\(rows)")
    #expect(colors.components(separatedBy: "\u{1B}[1m\u{1B}[31mfox").count == whole.count + 1)
    let known = words(whole.joined(separator: " ") + " " + (try bench.read("essay.md")))
    let seen = words(rows.joined(separator: " ").replacing("…", with: " "))
    #expect(seen.isSubset(of: known), "\(rows)")
  }

  @Test func `documents, colours and states have different colours`() throws {
    let colors = try shown(["list"], columns: 120).colors
    #expect(colors.contains("\u{1B}[38;5;234m\u{1B}[48;5;220myellow"), "\(colors.debugDescription)")
    #expect(colors.contains("\u{1B}[48;5;182mpink"), "\(colors.debugDescription)")
    #expect(colors.contains("\u{1B}[35messay.md"), "\(colors.debugDescription)")
    #expect(colors.contains("\u{1B}[31morphaned"), "\(colors.debugDescription)")
    let dark = try shown(["list"], columns: 120, ["COLORFGBG=15;0"]).colors
    #expect(dark.contains("48;5;94myellow"), "\(dark.debugDescription)")
    try bench.shell("rm essay.md")
    #expect(try shown(["doc", "list"], columns: 120).colors.contains("\u{1B}[31mmissing"))
  }

  @Test func `without colours, lines still fit the width`() throws {
    for (words, variables) in [
      (["list"], ["NO_COLOR=1"]), (["list", "--no-color"], []), (["list"], ["TERM=dumb"]),
      (["search", "fox", "--no-color"], []), (["search", "fox"], ["NO_COLOR=1"]),
      (["doc", "list", "--no-color"], []), (["history", "--no-color"], []),
    ] {
      let (rows, colors) = try shown(words, columns: 40, variables)
      #expect(!colors.contains("\u{1B}"), "\(words)")
      #expect(rows.contains { $0.hasPrefix("    ") }, "\(words): \(rows)")
    }
  }

  @Test func `in a pipe, lines are not wrapped and have no colours`() throws {
    bench.environment["COLUMNS"] = "40"
    bench.environment["TERM"] = "screen-256color"
    for words in [["list"], ["search", "fox"], ["doc", "list"], ["history"]] {
      let output = try bench.run("diple", words).output
      #expect(!output.contains("\u{1B}") && !output.contains("\n "), "\(output)")
    }
  }

  @Test(arguments: [("America/New_York", "-0[45]:00"), ("Asia/Kolkata", "[+]05:30"), ("UTC", "Z")])
  func `times are local, but UTC in JSON`(zone: String, offset: String) throws {
    try bench.shell("test -e /usr/share/zoneinfo/\(zone)")
    bench.environment["TZ"] = zone
    let time = try Regex("[0-9-]{10}T[0-9:]{8}\(offset)[ \\n]")
    let id = try #require(try bench.highlights().first).id
    for words in [["history", "--limit", "1"], ["doc", "show", "essay.md"], ["hl", "log", id]] {
      let plain = try bench.run("diple", words).output
      #expect(plain.firstMatch(of: time) != nil, "\(words): \(plain)")
      guard words[0] != "doc" else { continue }
      let json = try bench.run("diple", words + ["--json"]).output
      #expect(json.contains(#/"date":"[0-9-]{10}T[0-9:]{8}Z"/#), "\(words): \(json)")
    }
  }

  @Test func `a day begins at midnight of the time zone`() throws {
    let parts = try bench.run("date", ["+%F"]).output.filter { !$0.isNewline }
    bench.environment["TZ"] = "Pacific/Kiritimati"
    let later = try bench.run("date", ["+%F"]).output.filter { !$0.isNewline }
    #expect(try bench.run("diple", ["list", "--since", later]).code <= 1)
    #expect(try bench.run("diple", ["list", "--since", parts]).code == 0)
    let invalid = try bench.run("diple", ["list", "--since", "2026-02-31"])
    #expect(invalid.code == 2 && invalid.errors.contains("write today, yesterday, monday, 7d"))
    for since in ["yesterday", "7d", "2 weeks", "2020-11", "2020"] {
      #expect(try bench.run("diple", ["list", "--since", since]).code == 0, "\(since)")
    }
  }
}
