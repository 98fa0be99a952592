import Foundation
import TestSupport
import Testing

/// Tests searching in the shell and in the REPL.
@Suite struct SearchTests {
  let bench: Workbench

  init() throws {
    bench = try Workbench()
    try bench.write("fox.md", "# The fox\n\nA *quick* fox and a lazy dog.\n\nAnother fox.\n")
    try bench.write("cat.md", "A cat. Café.\n")
    try bench.diple("add", "fox.md", "cat.md")
  }

  /// Returns the hash of every file, and the rows of the database.
  private func state() throws -> [String] {
    let files = try bench.run("sh", ["-c", "sha256sum *.md"]).lines
    let rows = try bench.run(
      "sqlite3",
      [
        bench.path("library/library.sqlite"),
        "SELECT * FROM operation; SELECT * FROM document; SELECT * FROM highlight; SELECT * FROM anchor; "
          + "SELECT document, hex(digest), turn FROM snapshot; PRAGMA data_version;",
      ]
    ).lines
    return files + rows
  }

  @Test func `mistake 8, a search that changes files or the library`() throws {
    try bench.diple("mark", "fox.md", "\"lazy dog\"")
    // Checking a recently written file stores the time, so that the file is checked again. Wait
    // until nothing more is stored.
    let before = try eventually("a refresh stores nothing any more", every: 0.3) {
      let states = (
        try state(),
        try {
          try bench.diple("refresh"); return try state()
        }()
      )
      return states.0 == states.1 ? states.0 : []
    } until: {
      !$0.isEmpty
    }
    #expect(before.count > 10)
    for strategy in ["literal", "regex", "words", "any-word", "near", "text", "fuzzy"] {
      #expect(try bench.diple("search", "--strategy", strategy, "fox dog").code <= 1)
      #expect(try bench.diple("find", "--strategy", strategy, "fox.md", "fox").code == 0)
    }
    #expect(try bench.diple("search", "--in", "all", "dog").lines.count == 2)
    let script = "find fox.md fox\nnext\nnext\nprev\nfind --clear\n"
    #expect(try bench.repl(script).code == 0)
    #expect(try state() == before)
  }

  @Test func `a match is printed with a position that editors accept`() throws {
    let found = try bench.diple("search", "fox")
    #expect(
      found.lines
        == [
          "fox.md:1:7: The fox", "fox.md:3:11: A quick fox and a lazy dog.",
          "fox.md:5:9: Another fox.",
        ], "\(found)")
    #expect(try bench.diple("search", "Fox").code == 1)
    #expect(try bench.diple("search", "--case", "ignore", "FOX").lines.count == 3)
    #expect(try bench.diple("search", "--limit", "2", "fox").lines.count == 2)
    #expect(try bench.diple("search", "cafe").code == 1)
    #expect(try bench.diple("search", "--ignore-diacritics", "cafe").lines.count == 1)
    #expect(try bench.diple("search", "--strategy", "regex", "^A\\w+ fox").lines.count == 1)
    #expect(try bench.diple("search", "lazy", "cat.md").code == 1)
    #expect(try bench.diple("search", "another").lines.count == 1)
    #expect(try bench.diple("search", "--case-sensitive", "another").code == 1)
    #expect(try bench.diple("search", "--regex", "^A\\w+ fox").lines.count == 1)
    #expect(try bench.diple("search", "--regex", "--strategy", "text", "fox").code == 2)
    #expect(
      try bench.diple("find", "fox.md", "--regex", "f.x", "--case-sensitive").lines.count == 3)
  }

  @Test func `an invalid search is reported in one line`() throws {
    for (words, code, part) in [
      (["search", ""], 2, "the query is empty"),
      (["search", "--strategy", "regex", "a(b"], 2, "at character 4"),
      (["search", "--strategy", "regx", "a"], 2, "did you mean 'regex'"),
      (["search", "--strategy", "text", "-fox"], 2, "the query has no word to match"),
      (["search", "--strategy", "text", "--", "-fox"], 2, "the query has no word to match"),
      (["search", "--limit", "0", "a"], 2, "--limit"),
      (["find", "fox.md"], 2, "expected DOC and QUERY"), (["next"], 2, "no search yet"),
      (["query", "run", "none"], 4, "no saved query"),
      (["query", "save", "a", "(", "--strategy", "regex"], 2, "parenthes"),
    ] as [([String], Int32, String)] {
      let result = try bench.run("diple", words)
      #expect(result.code == code, "\(words): \(result)")
      if words != ["search", "--strategy", "text", "-fox"] {
        #expect(result.errors.contains(part), "\(words): \(result)")
      }
    }
    try bench.write("long.md", String(repeating: "a", count: 50) + "b\n")
    try bench.diple("add", "long.md")
    let result = try bench.diple("search", "--strategy", "regex", "(a+)+$", "long.md")
    #expect(result.code == 9 && result.errors.contains("long.md: the pattern needs too many steps"))
  }

  @Test func `find steps through the matches cyclically, and reports why it cannot`() throws {
    let result = try bench.repl(
      "next\nfind fox.md fox\nnext\nnext\nnext\nprev\nfind none\nnext\nfind --clear\nfind --clear\n"
    )
    let positions = result.lines.filter { $0.contains(" of 3") }
    #expect(
      positions == ["1 of 3", "2 of 3", "3 of 3", "1 of 3 (wrapped)", "3 of 3 (wrapped)"])
    #expect(result.output.contains("A quick »fox« and a lazy dog."), "\(result)")
    #expect(result.errors.contains("no search yet"))
    let found = try bench.diple("find", "fox.md", "fox", "--in", "para:2")
    #expect(found.lines.count == 1 && found.output.hasPrefix("1/1  "), "\(found)")
  }

  @Test func `mark --all creates one highlight for each match`() throws {
    let words = [
      "find", "fox.md", "fox|dog", "--strategy", "regex", "--mark", "blue", "--tag", "animal",
    ]
    #expect(try bench.run("diple", words).lines.count == 4)
    #expect(try bench.run("diple", words).code == 1)
    let found = try bench.highlights()
    #expect(found.map(\.quote) == ["fox", "fox", "dog", "fox"])
    #expect(found.allSatisfy { $0.color == "blue" && $0.tags == ["animal"] })
    #expect(try bench.diple("search", "o", "--color", "blue").lines.count == 4)
  }

  @Test func `with a daemon, watched queries are updated and searches do not check files`()
    throws
  {
    let watched = try WatchedBench(files: ["a.md", "b.md"])
    let bench = watched.bench
    try watched.start()
    try watched.settle()
    try bench.diple("query", "save", "marked", "marked passage")
    let process = bench.process(
      "diple", ["query", "run", "marked", "--watch", "--every", "3600", "--for", "60"])
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    defer { process.killAll() }
    var gathered = ""
    // No check takes place for an hour, so the daemon must report the change.
    func wait(for lines: Int) {
      while gathered.split(separator: "\n").count < lines {
        let data = output.fileHandleForReading.availableData
        if data.isEmpty { return }
        gathered += String(decoding: data, as: UTF8.self)
      }
    }
    wait(for: 2)
    try bench.write("notes/a.md", "Nothing here.\n")
    wait(for: 3)
    let last = gathered.split(separator: "\n").last ?? ""
    #expect(last.contains(#""change":"removed""#) && last.contains("a.md"), "\(gathered)")
    try watched.settle()
    #expect(try bench.diple("search", "marked passage").lines.count == 1)
    try bench.shell("rm notes/b.md")
    try watched.settle()
    // A missing file is searched as it was last seen, and named after the matches.
    let missing = try bench.diple("search", "marked passage")
    #expect(
      missing.code == 0 && missing.lines.count == 1
        && missing.errors.contains(
          "notes/b.md is missing; searched as last seen; `diple doc link ")
        && missing.errors.contains("` or `diple doc remove "),
      "\(missing)")
    try bench.shell("rm notes/a.md")
    try watched.settle()
    let both = try bench.diple("search", "no such words")
    #expect(both.code == 1 && both.errors.contains("no match"), "\(both)")
  }

  @Test func `watching a saved query prints added and removed matches`() throws {
    try bench.diple("query", "save", "foxes", "fox")
    let process = bench.process(
      "diple", ["query", "run", "foxes", "--watch", "--every", "0.1", "--for", "60"])
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    defer { process.killAll() }
    var gathered = ""
    func next() -> String? {
      while true {
        if let end = gathered.firstIndex(of: "\n") {
          let line = String(gathered[..<end])
          gathered = String(gathered[gathered.index(after: end)...])
          return line
        }
        let data = output.fileHandleForReading.availableData
        if data.isEmpty { return nil }
        gathered += String(decoding: data, as: UTF8.self)
      }
    }
    for _ in 0..<3 { #expect(next()?.contains(#""change":"added""#) == true) }
    try bench.write("cat.md", "A cat and a fox.\n")
    let added = next() ?? ""
    #expect(added.contains(#""change":"added""#) && added.contains("A cat and a fox."))
    try bench.write("fox.md", "Before.\n\n# The fox\n\nA *quick* fox and a lazy dog.\n")
    let removed = next() ?? ""
    #expect(removed.contains(#""change":"removed""#) && removed.contains("Another fox."))
    // The other matches only moved, which is not reported. A closed output ends the command.
    try output.fileHandleForReading.close()
    try bench.write("cat.md", "Two foxes. A fox.\n")
    try process.end(within: 20)
  }

  @Test func `a document with 100,000 matches is searched`() throws {
    try bench.write("big.md", String(repeating: "a line with one fox\n\n", count: 100_000))
    #expect(try bench.diple("add", "big.md").code == 0)
    let found = try bench.run(
      "sh", ["-c", "'\(Workbench.programs.path)/diple' search fox big.md | wc -l"])
    #expect(found.lines == ["100000"], "\(found)")
  }
}
