import Foundation
import Testing

/// Tests interactive `replace` in a shell, in the REPL and in the reader.
@Suite(.enabled(if: Terminal.isThere, "tmux is not installed")) struct ReplaceSessionTests {
  let bench: Workbench

  init() throws {
    bench = try Workbench()
    try bench.write("a.md", "One fox.\n\nTwo fox, red fox.\n\nFour fox and five fox.\n")
    try bench.diple("add", "a.md")
  }

  private func text() throws -> String { try bench.read("a.md") }

  @Test func `in a shell, each match is asked about, and undo reverts one answer`() throws {
    let terminal = try Terminal(bench, "diple", "replace", "a.md", "fox", "cat", columns: 90)
    try terminal.wait("the first is asked about") {
      $0.contains("“fox” by “cat” (1 of 5)?") && $0.hasSuffix("[y,n,a,q,?]")
    }
    try terminal.press("y", "Enter")
    try terminal.wait("the next is shown") { $0.contains("(1 of 4)?") }
    #expect(try text().hasPrefix("One cat.\n\nTwo fox"))
    try terminal.press("n", "Enter")
    try terminal.wait("the next is shown") { $0.contains("(2 of 4)?") }
    try terminal.press("x", "Enter")
    try terminal.wait("the answers are explained") { $0.contains("q quit") }
    try terminal.press("a", "Enter")
    #expect(try terminal.exitCode() == 0)
    #expect(try terminal.screen().contains("replaced 4 places"))
    #expect(try text() == "One cat.\n\nTwo fox, red cat.\n\nFour cat and five cat.\n")
    try bench.diple("undo")
    #expect(try text() == "One cat.\n\nTwo fox, red fox.\n\nFour fox and five fox.\n")
    try bench.diple("undo")
    #expect(try text() == "One fox.\n\nTwo fox, red fox.\n\nFour fox and five fox.\n")
  }

  @Test func `the replacement text is not searched again`() throws {
    let terminal = try Terminal(bench, "diple", "replace", "a.md", "fox", "foxfox", columns: 90)
    for number in 1...5 {
      try terminal.wait("match \(number)") { $0.contains("(\(number * 2 - 1) of \(4 + number))?") }
      try terminal.press("y", "Enter")
    }
    #expect(try terminal.exitCode() == 0)
    #expect(
      try text() == "One foxfox.\n\nTwo foxfox, red foxfox.\n\nFour foxfox and five foxfox.\n")
  }

  @Test func `without a terminal, replace does not ask`() throws {
    let result = try bench.run("diple", ["replace", "a.md", "fox", "cat"], input: "y\ny\n")
    #expect(result.code != 0 && result.errors.contains("matches 5 times"), "\(result)")
    #expect(try text().contains("One fox."))
  }

  @Test func `in the REPL, replace continues from the current match`() throws {
    let terminal = try Terminal(bench, "diple-repl", columns: 90)
    try terminal.wait("the prompt") { $0.contains("›") }
    try terminal.press("find a.md fox", "Enter")
    try terminal.wait("it is found") { $0.contains("1 of 5") }
    try terminal.press("next", "Enter")
    try terminal.wait("the second is at hand") { $0.contains("2 of 5") }
    try terminal.press("replace cat", "Enter")
    try terminal.wait("it is asked about") { $0.contains("(2 of 5)?") }
    try terminal.press("y", "Enter")
    try terminal.wait("the next is shown") { $0.contains("(2 of 4)?") }
    try terminal.press("q", "Enter")
    try terminal.wait("the result is shown") { $0.contains("replaced 1 place") }
    #expect(try text().hasPrefix("One fox.\n\nTwo cat, red fox."))
    try terminal.press("quit", "Enter")
  }

  @Test func `in the reader, replace asks by keys and shows the next match`() throws {
    let terminal = try Terminal(
      bench, "diple", words: ["read", "a.md"], columns: 90, rows: 12)
    try terminal.wait("the text is shown") { $0.contains("One fox") }
    try terminal.press("/", "fox", "Enter", "n", ":", "replace cat", "Enter")
    try terminal.wait("it is asked about") {
      $0.contains("“fox” by “cat” (2 of 5)?") && $0.contains("y yes")
    }
    try terminal.press("y")
    try terminal.wait("the next is shown") {
      $0.contains("Two cat, red fox") && $0.contains("(2 of 4)?")
    }
    try terminal.press("n")
    try terminal.wait("it is left") { $0.contains("(3 of 4)?") }
    try terminal.press("a")
    try terminal.wait("all are replaced") { $0.contains("replaced 3 places") }
    #expect(try text() == "One fox.\n\nTwo cat, red fox.\n\nFour cat and five cat.\n")
    try terminal.press(":", "replace fox dog", "Enter")
    try terminal.wait("from the first") { $0.contains("“fox” by “dog” (1 of 2)?") }
    try terminal.press("q")
    try terminal.wait("nothing is done") { $0.contains("nothing was replaced") }
    try terminal.press("q")
    #expect(try terminal.exitCode() == 0)
  }
}

/// Tests selecting with patterns, in documents and in files outside the library.
@Suite struct PatternSpecTests {
  let bench: Workbench

  init() throws {
    bench = try Workbench()
    try bench.write("a.md", "One *f*ox.\n\nTwo fix, a/b red fax.\n")
  }

  @Test func `a pattern selects in a document and in a file outside the library`() throws {
    for isAdded in [false, true] {
      if isAdded { try bench.diple("add", "a.md") }
      func select(_ spec: String) throws -> Workbench.Result {
        try bench.run("diple", ["select", "a.md", spec])
      }
      #expect(try select("match:/f.x/#2").output == "fix\n")
      #expect(try select("match:/f[o]x/").output == "fox\n")
      #expect(try select("match:/a\\/b/").output == "a/b\n")
      let several = try select("match:/f.x/")
      #expect(several.code != 0)
      #expect(
        several.errors.contains("match:/f.x/#1") && several.errors.contains("  #1"), "\(several)")
      let bad = try select("match:/f(x/")
      #expect(bad.code == 2 && bad.errors.contains("parenthesis"), "\(bad)")
      #expect(try select("match:/dog/").code == 1)
      #expect(try select("match:/f.x/#9").code == 1)
    }
    try bench.diple("mark", "a.md", "match:/f.x/#3")
    #expect(try bench.diple("list").output.contains("“fax”"))
  }

  @Test func `find reads a file outside the library and the standard input`() throws {
    let loose = try bench.run("diple", ["find", "a.md", "fox"])
    #expect(loose.output == "1/1  a.md:1:6: One fox.\n", "\(loose)")
    let input = try bench.run("diple", ["find", "-", "fox"], input: "a *fox*\n")
    #expect(input.output.hasPrefix("1/1  -:1:"), "\(input)")
    let json = try bench.run("diple", ["find", "a.md", "fox", "--json"])
    #expect(json.output.contains("\"document\":null"))
    try bench.write("b.md", "Another.\n")
    try bench.diple("add", "b.md")
    let marked = try bench.run("diple", ["find", "a.md", "fox", "--mark", "green"])
    #expect(marked.code == 4 && marked.errors.contains("diple add a.md"), "\(marked)")
    #expect(try bench.run("diple", ["find", "none.md", "fox"]).code == 4)
  }

  @Test func `if reader.selectable is false, every command that selects is rejected`() throws {
    try bench.diple("add", "a.md")
    try bench.diple("mark", "a.md", "One")
    let id = try #require(try bench.highlights().first).id
    try bench.diple("config", "set", "reader.selectable", "false")
    for words in [
      ["select", "a.md", "One"], ["copy", "--print", "a.md", "One"], ["mark", "a.md", "One"],
      ["extend", "a.md", "One", "+1"], ["adjust", "a.md", "One", "end", "+1"],
      ["menu", "a.md", "One"], ["copy", "--print", id], ["mark", "-n", "a.md", "One"],
    ] {
      let result = try bench.run("diple", words)
      #expect(
        result.code == 2 && result.errors.contains("reader.selectable"), "\(words): \(result)")
    }
  }
}
