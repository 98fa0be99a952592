import Foundation
import Testing

/// Tests which clipboard a passage is copied to, and when nothing is copied.
@Suite struct CopyTests {
  let bench: Workbench

  init() throws {
    bench = try Workbench()
    try bench.write("essay.md", "# Essay\n\nThe **quick** fox.\n")
    try bench.diple("add", "essay.md")
    try bench.shell("mkdir bin")
    // Scripts in place of the programs. They store their input and their arguments.
    for name in ["wl-copy", "xclip", "xsel"] {
      try bench.write(
        "bin/\(name)",
        "#!/bin/sh\ncat > '\(bench.path(name))'\necho \"$@\" >> '\(bench.path(name)).words'\n")
    }
    try bench.shell("chmod +x bin/*")
    bench.environment["PATH"] = bench.path("bin") + ":" + (bench.environment["PATH"] ?? "")
  }

  @Test(arguments: [
    (["WAYLAND_DISPLAY": "wayland-0", "DISPLAY": ":0"], "wl-copy", ""),
    (["DISPLAY": ":0"], "xclip", "-selection clipboard"),
  ])
  func `the clipboard of the window system is preferred`(
    variables: [String: String], program: String, words: String
  ) throws {
    bench.environment.merge(variables) { $1 }
    let result = try bench.diple("copy", "essay.md", "\"quick fox\"")
    #expect(result.output == "copied 9 characters to the clipboard\n" && result.code == 0)
    #expect(try bench.read(program) == "quick fox")
    #expect(try bench.read("\(program).words") == words + "\n")
  }

  @Test func `wl-copy receives exactly the passage, and no options that old versions reject`()
    throws
  {
    bench.environment["WAYLAND_DISPLAY"] = "wayland-0"
    try bench.write("lines.md", "```\na\n\n-b --c\n```\n")
    try bench.diple("copy", "lines.md", "all")
    #expect(try bench.read("wl-copy") == "a\n\n-b --c", "no line end is added")
    #expect(try bench.read("wl-copy.words") == "\n")
  }

  @Test(arguments: [nil, "HOME=/", "HOME=/nonexistent"] as [String?])
  func `copying a passage requires no library`(home: String?) throws {
    try bench.write("alone.md", "# Alone\n\nThe **quick** fox.\n")
    func diple(_ words: [String], input: String = "") throws -> Workbench.Result {
      let program = Workbench.programs.appendingPathComponent("diple").path
      return try bench.run(
        "env", ["-i"] + (home.map { [$0] } ?? []) + [program] + words, input: input)
    }
    for command in [["copy", "--print"], ["select"]] {
      let (name, rest) = (command[0], Array(command.dropFirst()))
      #expect(try diple([name, "alone.md", "\"quick fox\""] + rest).output == "quick fox\n")
      #expect(
        try diple([name, "-", "\"a b\""] + rest, input: "*a* b c\n").output == "a b\n")
      let missing = try diple([name, "nowhere.md", "all"] + rest)
      #expect(missing.code == 4 && missing.errors.split(separator: "\n").count == 1, "\(missing)")
      let unknown = try diple([name, "alone.md", "hl:1"] + rest)
      #expect(unknown.code == 4 && unknown.errors.split(separator: "\n").count == 1, "\(unknown)")
    }
    #expect(try diple(["show", "alone.md", "--plain"]).output.contains("The quick fox."))
    #expect(try diple(["extend", "alone.md", "\"quick\"", "+1", "word"]).output == "quick fox\n")
  }

  @Test func `a quotation contains the title of its document`() throws {
    let words = ["copy", "essay.md", "\"quick fox\"", "--cite", "--print"]
    #expect(try bench.run("diple", words).output == "“quick fox”\n— Essay\n")
    #expect(
      try bench.run("diple", words + ["--as", "md"]).output == "> **quick** fox\n>\n> — Essay\n")
    #expect(try bench.run("diple", words + ["--as", "json"]).code == 2)
    try bench.write("mine.md", "---\ntitle: A *star* & <b>\n---\n\nThe end.\n")
    let other = ["copy", "mine.md", "all", "--cite", "--print", "--as"]
    #expect(
      try bench.run("diple", other + ["html"]).output
        == "<blockquote>\n<p>The end.</p>\n<footer>— <cite>A *star* &amp; &lt;b&gt;</cite></footer>\n"
        + "</blockquote>\n\n")
    let markdown = try bench.run("diple", other + ["md"]).output
    try bench.write("again.md", markdown)
    #expect(
      try bench.diple("show", "again.md").output == "│ The end.\n│\n│ — A *star* & <b>\n")
  }

  @Test func `show, select and copy work without a library`() throws {
    let library = bench.environment["DIPLE_LIBRARY"]
    try bench.shell("rm -rf '\(library ?? "")'")
    bench.environment["DIPLE_LIBRARY"] = nil
    let text = "# Essay\n\nThe **quick** fox.\n"
    #expect(try bench.diple("show", "-", input: text).output == "# Essay\n\nThe quick fox.\n")
    #expect(try bench.diple("copy", "-", "word:3", "--print", input: text).output == "quick\n")
    #expect(try bench.diple("select", "-", "row:3", input: text).output == "The quick fox.\n")
    #expect(try bench.diple("copy", "essay.md", "word:3", "--print").output == "quick\n")
    let files = try FileManager.default.contentsOfDirectory(atPath: bench.folder.path)
    #expect(!files.contains { $0.hasPrefix(".") || $0 == "library" }, "nothing is left behind")
  }

  @Test func `the clipboard and the format can be chosen`() throws {
    bench.environment["DISPLAY"] = ":0"
    try bench.diple("copy", "essay.md", "\"quick fox\"", "--to", "xsel", "--as", "md")
    #expect(try bench.read("xsel") == "**quick** fox")
    try bench.diple("copy", "essay.md", "\"quick fox\"", "--to", "xsel", "--as", "html")
    #expect(try bench.read("xsel") == "<p><strong>quick</strong> fox</p>\n")
  }

  @Test(arguments: [
    (["WAYLAND_DISPLAY": "wayland-0"], "wl-copy", "--type text/html"),
    (["DISPLAY": ":0"], "xclip", "-selection clipboard -t text/html"),
  ])
  func `HTML is offered as HTML`(variables: [String: String], program: String, words: String)
    throws
  {
    bench.environment.merge(variables) { $1 }
    try bench.diple("copy", "essay.md", "\"quick fox\"", "--as", "html")
    #expect(try bench.read(program) == "<p><strong>quick</strong> fox</p>\n")
    #expect(try bench.read("\(program).words") == words + "\n")
  }

  @Test func `a quotation has the page of the imported highlight around it`() throws {
    try bench.write("book.md", "# Book\n\nSome words that were read, and others.\n")
    try bench.diple("add", "book.md")
    let clippings = """
      Book (An Author)
      - Your Highlight on page 12 | Added on Friday, 1 March 2024 10:00:00

      words that were read
      ==========

      """
    try bench.write("My Clippings.txt", clippings)
    #expect(try bench.diple("import", "My Clippings.txt", "--doc", "book.md").code == 0)
    for passage in ["\"words that were read\"", "\"were read\""] {
      let result = try bench.diple("copy", "book.md", passage, "--cite", "--print")
      #expect(result.output.hasSuffix(", p. 12\n"), "\(result)")
    }
    let outside = try bench.diple("copy", "book.md", "\"and others\"", "--cite", "--print")
    #expect(!outside.output.contains("p. 12"))
  }

  @Test func `an empty selection does not change the clipboard`() throws {
    bench.environment["DISPLAY"] = ":0"
    let result = try bench.repl(
      "select essay.md \"quick\"\nadjust end -1 word\ncopy\n")
    #expect(result.errors == "diple: nothing is selected; select something: select SPEC\n")
    #expect(!FileManager.default.fileExists(atPath: bench.path("xclip")))
    #expect(try bench.diple("copy", "essay.md", "\"nowhere\"").code == 1)
    #expect(try bench.diple("copy").code == 2)
    #expect(!FileManager.default.fileExists(atPath: bench.path("xclip")))
  }

  @Test func `a failing program and a missing clipboard are reported`() throws {
    try bench.write("bin/xclip", "#!/bin/sh\nexit 3\n")
    bench.environment["DISPLAY"] = ":0"
    let failed = try bench.diple("copy", "essay.md", "\"quick\"")
    #expect(failed.code == 9 && failed.errors.hasPrefix("diple: xclip could not copy"))
    bench.environment["DISPLAY"] = nil
    // A program in a new session has no terminal, and so no clipboard.
    let none = try bench.run(
      "setsid", ["-w", Workbench.programs.path + "/diple", "copy", "essay.md", "\"quick\""])
    #expect(none.code == 2 && none.errors.contains("there is no clipboard here"))
  }

  @Test func `the clipboard program has an input even if the command has none`() throws {
    bench.environment["DISPLAY"] = ":0"
    let copied = try bench.run(
      "sh",
      ["-c", "exec \"$0\" copy essay.md '\"quick\"' <&-", Workbench.programs.path + "/diple"])
    #expect(copied.errors == "" && copied.code == 0)
    #expect(try bench.read("xclip") == "quick")
  }

  @Test(.enabled(if: Terminal.isThere, Terminal.need))
  func `in a remote session the terminal's clipboard is used`() throws {
    let terminal = try Terminal(
      bench, "diple", words: ["copy", "essay.md", "\"quick fox\""],
      variables: ["SSH_TTY=/dev/pts/9", "DISPLAY=:0"])
    try terminal.wait("it is copied") {
      $0.contains("copied 9 characters to the terminal's clipboard")
    }
  }

  /// Writes a document that is too long for `copy` to convert, with a paragraph that is too long
  /// for `mark`. Returns its rendered text.
  private func writeLong() throws -> String {
    let words = String(repeating: "Words with 😀 in them. ", count: 200_000)
    try bench.write("long.md", words + "\n\n**End**.\n")
    return words.trimmingCharacters(in: .whitespaces) + "\nEnd."
  }

  @Test func `plain text of any length is copied`() throws {
    let text = try writeLong()
    let printed = try bench.diple("copy", "--print", "--as", "plain", "long.md", "all")
    #expect(printed.code == 0 && printed.output == text + "\n", "\(printed.errors)")
    bench.environment["WAYLAND_DISPLAY"] = "wayland-0"
    let copied = try bench.diple("copy", "--as", "plain", "long.md", "all")
    #expect(copied.code == 0, "\(copied.errors)")
    #expect(try bench.read("wl-copy") == text)
  }

  @Test(arguments: [["--as", "md"], ["--as", "html"], ["--as", "json"], ["--cite"], ["--json"]])
  func `a passage that is too long to convert is rejected with the options that work`(
    words: [String]
  ) throws {
    _ = try writeLong()
    bench.environment["WAYLAND_DISPLAY"] = "wayland-0"
    let refused = try bench.run(
      Workbench.programs.appendingPathComponent("diple").path,
      ["copy", "--as", "plain", "long.md", "all"] + words)
    #expect(refused.code == 2 && refused.output.isEmpty, "\(refused.output.prefix(100))")
    #expect(refused.errors.contains("at most 4194304"), "\(refused.errors)")
    #expect(refused.errors.contains("--as plain"), "\(refused.errors)")
    #expect(refused.errors.split(separator: "\n").count <= 2, "\(refused.errors)")
    #expect(!FileManager.default.fileExists(atPath: bench.path("wl-copy")))
  }

  @Test func `a passage that is too long to highlight is rejected, and nothing is stored`() throws {
    _ = try writeLong()
    try bench.diple("add", "long.md")
    let before = try bench.diple("history").output
    for words in [["para:1"], ["u16:0-1048577"]] {
      let refused = try bench.run(
        Workbench.programs.appendingPathComponent("diple").path, ["mark", "long.md"] + words)
      #expect(refused.code == 2 && refused.output.isEmpty, "\(refused)")
      #expect(refused.errors.contains("a highlight has at most 1048576"), "\(refused.errors)")
      #expect(refused.errors.contains("highlight a part of it"), "\(refused.errors)")
      #expect(refused.errors.split(separator: "\n").count <= 2, "\(refused.errors)")
    }
    #expect(try bench.diple("list").output == "")
    #expect(try bench.diple("history").output == before)
    #expect(try bench.diple("mark", "long.md", "u16:0-1048576").code == 0)
  }

  @Test func `near a highlight in a long line, only the surrounding rows are printed`() throws {
    let words = String(repeating: "some words of a line ", count: 3_000)
    try bench.write("one.md", words + "a needle " + words + "\n")
    try bench.diple("add", "one.md")
    let marked = try bench.diple("mark", "--width", "80", "one.md", "\"a needle\"")
    let lines = marked.output.split(separator: "\n")
    #expect(marked.code == 0 && lines.contains { $0.contains("needle") }, "\(marked)")
    #expect(lines.count < 40, "\(lines.count) lines")
    #expect(lines.count { $0 == "…" } == 2)
  }
}
