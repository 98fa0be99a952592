import Foundation
import Testing

/// Tests that the name of an existing file refers to this file and not to a similar document.
@Suite struct NamedFileTests {
  let bench: Workbench

  init() throws {
    bench = try Workbench()
    try bench.shell("mkdir book")
    try bench.write("book/ch01-02-hello-world.md", "# Hello\n\nHello, World! is a program.\n")
    try bench.diple("add", "book/ch01-02-hello-world.md")
  }

  private func own() throws -> String { try bench.read("book/ch01-02-hello-world.md") }

  @Test func `a file outside the library is never taken for a similar document`() throws {
    try bench.write("hello-world.md", "# Mine\n\nHello, World! of my own.\n")
    let before = try own()
    for words in [
      ["replace", "hello-world.md", "Hello, World!", "BYE", "--match", "1"],
      ["mark", "hello-world.md", "\"Hello, World!\""],
      ["format", "bold", "hello-world.md", "\"World\""],
      ["find", "hello-world.md", "World", "--mark", "green"],
      ["doc", "rename", "hello-world.md", "Other"],
      ["doc", "remove", "--yes", "hello-world.md"],
    ] {
      let result = try bench.run("diple", words)
      #expect(result.code == 4, "\(words): \(result)")
      let offer = words[0] == "mark" ? ", or pass --add" : ""
      #expect(
        result.errors
          == "diple: hello-world.md is not in the library; `diple add hello-world.md` adds it\(offer)\n",
        "\(words)")
    }
    #expect(try own() == before && bench.highlights().isEmpty)
    #expect(try bench.read("hello-world.md").contains("Hello, World! of my own."))
  }

  @Test func `commands that only read accept a file outside the library`() throws {
    for folder in ["a", "b", "c"] {
      try bench.shell("mkdir \(folder)")
      try bench.write("\(folder)/f.md", "In \(folder).\n")
    }
    try bench.diple("add", "a", "b", "c")
    try bench.write("f.md", "# Mine\n\nWords of my own.\n")
    #expect(try bench.diple("show", "f.md").output.contains("Words of my own."))
    #expect(try bench.diple("select", "f.md", "\"of my own\"").output == "of my own\n")
    #expect(try bench.diple("copy", "f.md", "\"Words\"", "--print").output == "Words\n")
    #expect(try bench.diple("find", "f.md", "own").output.contains("f.md:3:"))
    #expect(try bench.diple("outline", "f.md").output == "Mine  :1\n")
    let place = try bench.diple("at", "f.md", "3:2")
    #expect(place.code == 1 && place.errors == "no highlight is at this position\n", "\(place)")
    // A document is found by any path of its file.
    try bench.shell("ln -s a/f.md g.md")
    #expect(try bench.diple("mark", "g.md", "\"In a\"").code == 0)
  }

  @Test func `commands that write do not accept a part of a name`() throws {
    let before = try own()
    for words in [
      ["replace", "hello-wor", "Hello", "BYE", "--match", "1"], ["mark", "ch01", "\"World\""],
      ["format", "bold", "ch01", "\"World\""], ["find", "ch01", "World", "--mark", "green"],
      ["doc", "rename", "ch01", "Other"], ["doc", "remove", "--yes", "ch01"],
    ] {
      let result = try bench.run("diple", words)
      #expect(result.code == 4, "\(words): \(result)")
      #expect(
        result.errors.contains(
          "/ch01-02-hello-world.md; to change that document, name its whole path or title"),
        "\(result)")
    }
    #expect(try own() == before && bench.highlights().isEmpty)
    // A document's complete name, title or path is accepted. A command that only reads accepts a
    // part of it.
    #expect(try bench.diple("mark", "ch01-02-hello-world.md", "\"World\"").code == 0)
    #expect(try bench.diple("mark", "Hello", "\"program\"").code == 0)
    #expect(try bench.diple("show", "ch01").output.contains("# Hello\n"))
  }

  @Test(.enabled(if: Terminal.isThere, Terminal.need))
  func `on a terminal, a command asks whether a part of a name is the document`() throws {
    let terminal = try Terminal(bench, "diple", "mark", "ch01", "\"World\"")
    try terminal.wait("it asks") { $0.contains("'? [y/N]") }
    try terminal.press("y", "Enter")
    #expect(try terminal.exitCode() == 0)
    #expect(try bench.highlights().map(\.quote) == ["World"])
  }

  @Test(.enabled(if: Terminal.isThere, Terminal.need))
  func `on a terminal, a command offers to add a file outside the library`() throws {
    try bench.write("mine.md", "# Mine\n\nHello of my own.\n")
    let no = try Terminal(bench, "diple", "mark", "mine.md", "\"of my own\"")
    try no.wait("it asks") { $0.contains("Add mine.md to the library? [Y/n]") }
    try no.press("n", "Enter")
    try no.wait("it ends") { $0.contains("[ended") }
    #expect(try no.exitCode() == 1)
    #expect(try bench.highlights().isEmpty && !bench.diple("doc", "list").output.contains("mine"))
    let yes = try Terminal(bench, "diple", "mark", "mine.md", "\"of my own\"")
    try yes.wait("it asks") { $0.contains("[Y/n]") }
    try yes.press("Enter")
    try yes.wait("it ends") { $0.contains("[ended") }
    #expect(try yes.exitCode() == 0)
    #expect(try bench.highlights().map(\.quote) == ["of my own"])
  }

  @Test func `for an unknown name, the nearest names are suggested`() throws {
    try bench.write("own.md", "Mine.\n")
    try bench.diple("add", "own.md")
    let result = try bench.diple("mark", "onw.md", "\"Mine\"")
    #expect(result.code == 4)
    #expect(
      result.errors == "diple: no such file or document: 'onw.md'; did you mean 'own.md'?\n")
  }

  @Test(arguments: [
    (".", "sbu/b.md", "sub/b.md"), (".", "notes/b.md", "sub/b.md"),
    (".", "../x/sbu/b.md", "sub/b.md"), ("sub", "notes/b.md", "b.md"),
    ("other", "../sbu/b.md", "../sub/b.md"), ("other", "sbu/b.md", "../sub/b.md"),
  ])
  func `for a path with a wrong folder, the path from the current folder is suggested`(
    _ folder: String, _ name: String, _ suggestion: String
  ) throws {
    try bench.shell("mkdir sub other")
    try bench.write("sub/b.md", "# One\n\nMine.\n")
    try bench.write("other/c.md", "# Two\n\nMine.\n")
    let diple = Workbench.programs.appendingPathComponent("diple").path
    // The documents of a folder's library have relative paths, those of the user's own library
    // absolute ones.
    for setUp in ["unset DIPLE_LIBRARY; '\(diple)' init", "true"] {
      let script = """
        { \(setUp); '\(diple)' add sub/b.md other/c.md; } >/dev/null
        cd \(folder) && '\(diple)' list \(name)
        """
      let result = try bench.run("sh", ["-c", script])
      #expect(result.code == 4)
      #expect(
        result.errors
          == "diple: no such file or document: '\(name)'; did you mean '\(suggestion)'?\n")
    }
  }
}
