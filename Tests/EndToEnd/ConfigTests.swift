import Foundation
import Testing

/// Tests changing settings, and the effect of each setting.
@Suite struct ConfigTests {
  let bench: Workbench

  init() throws {
    bench = try Workbench()
    try bench.write(
      "essay.md", "# Essay\n\nThe quick brown fox jumps over the lazy dog. It sleeps.\n")
    try bench.diple("add", "essay.md")
  }

  private var own: String { bench.path(".config/diple/config.toml") }

  private func write(own text: String) throws {
    try bench.shell("mkdir -p .config/diple")
    try bench.write(".config/diple/config.toml", text)
  }

  @Test
  func
    `config set writes one of two files, and config get prints the effective value`()
    throws
  {
    let set = try bench.diple("config", "set", "reader.width", "40")
    #expect(set.output == "reader.width = 40  # \(own):2\n")
    #expect(try bench.read(".config/diple/config.toml") == "[reader]\nwidth = 40\n")
    #expect(try bench.diple("config", "get", "reader.width").output == "40\n")
    try bench.diple("config", "set", "--local", "reader.width", "30")
    #expect(try bench.read("library/config.toml") == "[reader]\nwidth = 30\n")
    let shown = try bench.diple("config", "show", "--origin").lines
    #expect(shown.contains("reader.width = 30  # \(bench.path("library/config.toml")):2"))
    bench.environment["DIPLE_READER_WIDTH"] = "50"
    #expect(try bench.diple("config", "get", "reader.width").output == "50\n")
    #expect(try bench.diple("config", "set", "reader.width", "19").code == 2)
    let would = try bench.diple("config", "set", "-n", "reader.width", "90")
    #expect(would.output == "would set reader.width in \(own)\n")
    #expect(try bench.read(".config/diple/config.toml") == "[reader]\nwidth = 40\n")
    let local = try bench.diple("config", "set", "--local", "editor", "ed")
    #expect(local.code == 2 && local.errors.contains("cannot be set for a library"))
    let wrong = try bench.diple("config", "get", "reader.widht")
    #expect(
      wrong.errors == "diple: there is no setting 'reader.widht'; did you mean 'reader.width'?\n")
  }

  @Test func `an invalid setting is an error with its line, only in commands that need settings`()
    throws
  {
    try write(own: "# mine\n[reader]\nwidht = 40\n")
    let shown = try bench.diple("show", "essay.md")
    #expect(shown.code == 2 && shown.output.isEmpty)
    #expect(
      shown.errors
        == "diple: \(own):3: there is no setting 'reader.widht'; did you mean 'reader.width'?\n")
    #expect(try bench.diple("doc", "list").code == 0)
    #expect(try bench.diple("refresh").code < 2)
    #expect(try bench.diple("config", "set", "copy.clears", "true").code == 2)
  }

  @Test func `config edit rejects an invalid file and starts from a template`() throws {
    try write(own: "reader.width = 40x\n")
    try bench.write("editor.sh", "#!/bin/sh\ncp \"$1\" before; cp next \"$1\"\n")
    try bench.shell("chmod +x editor.sh")
    bench.environment["DIPLE_EDITOR"] = bench.path("editor.sh")
    try bench.write("next", "reader.width = 44\n\n[copy]\nas = 'rtf'\n")
    let refused = try bench.diple("config", "edit")
    #expect(refused.code == 2)
    #expect(
      refused.errors
        == "diple: \(own):4: copy.as takes plain, md, html or json, not \"rtf\"; the file is "
        + "unchanged; what you wrote is in \(own).rejected\n")
    #expect(try bench.read(".config/diple/config.toml") == "reader.width = 40x\n")
    #expect(try bench.read(".config/diple/config.toml.rejected").hasSuffix("as = 'rtf'\n"))
    #expect(try bench.read("before") == "reader.width = 40x\n")
    try bench.write("next", "reader.width = 44\n")
    #expect(try bench.diple("config", "edit").output == "\(own) is changed\n")
    #expect(try bench.diple("config", "get", "reader.width").output == "44\n")
    #expect(try bench.diple("config", "edit").output == "\(own) is unchanged\n")
    try bench.write("editor.sh", "#!/bin/sh\nexit 7\n")
    #expect(try bench.diple("config", "edit").code == 9)
    // A new file contains all settings as comments.
    try bench.shell("rm \(own)")
    try bench.write(
      "editor.sh", "#!/bin/sh\nsed -i 's/^# \\([a-z.]* =\\)/\\1/; s/= 100$/= 101/' $1\n")
    #expect(try bench.diple("config", "edit").output == "\(own) is changed\n")
    #expect(try bench.diple("config", "get", "reader.width").output == "101\n")
  }

  @Test func `show uses the configured width and title`() throws {
    bench.environment["COLUMNS"] = nil
    try write(own: "reader = { width = 30, hide_title = true }\n")
    let page = try bench.diple("show", "essay.md").output
    #expect(page == "The quick brown fox jumps over\nthe lazy dog. It sleeps.\n")
    let asked = try bench.diple("show", "essay.md", "--width", "70", "--no-hide-title").output
    #expect(asked.hasPrefix("# Essay\n\nThe quick brown fox jumps over the lazy dog. It sleeps."))
    // The hidden title is still part of the text, so that offsets don't change.
    try bench.diple("mark", "essay.md", "\"quick brown\"")
    #expect(try bench.highlights().first?.range == .init(start: 10, end: 21))
    #expect(try bench.diple("select", "essay.md", "word:1").output == "Essay\n")
    try bench.write("loose.md", "---\ntitle: Other\n---\n\n# Essay\n\nText.\n")
    #expect(try bench.diple("show", "loose.md").output == "# Essay\n\nText.\n")
    #expect(try bench.repl("show essay.md\n").output.hasPrefix("The [Y:quick brown] fox"))
  }

  @Test func `configured colours, units and copy formats apply in the shell and in the REPL`()
    throws
  {
    try bench.shell("mkdir bin && printf '#!/bin/sh\\ncat > \(bench.path("clip"))\\n' > bin/xsel")
    try bench.shell("chmod +x bin/xsel")
    bench.environment["PATH"] = bench.path("bin") + ":" + (bench.environment["PATH"] ?? "")
    bench.environment["DISPLAY"] = ":0"
    try write(
      own: """
        highlight.default_color = "green"
        select.default_unit = "sentence"
        [copy]
        as = "html"
        to = "xsel"
        clears = true
        """)
    try bench.diple("mark", "essay.md", "\"lazy dog\"")
    try bench.diple("mark", "essay.md", "\"sleeps\"", "--color", "pink")
    #expect(try bench.highlights().map(\.color) == ["green", "pink"])
    #expect(
      try bench.diple("adjust", "essay.md", "\"fox\"", "end", "+1").output
        == "fox jumps over the lazy dog.\n")
    #expect(try bench.diple("copy", "essay.md", "\"fox\"").output.contains("clipboard"))
    #expect(try bench.read("clip") == "<p>fox</p>\n")
    let session = try bench.repl("select essay.md \"fox\"\ncopy --as plain\ncopy\n")
    #expect(try bench.read("clip") == "fox")
    #expect(session.errors.contains("nothing is selected"), "the first copy has cleared it")
    try bench.diple("config", "set", "copy.clears", "false")
    let unchanged = try bench.repl("select essay.md \"fox\"\ncopy\nextend +1\n")
    #expect(
      unchanged.errors.isEmpty && unchanged.output.hasSuffix("fox jumps over the lazy dog.\n"))
    let changed = try bench.repl(
      "select essay.md \"fox\"\nconfig set reader.selectable false\nselect essay.md all\n")
    #expect(changed.errors.contains("selecting is off: reader.selectable is false"))
    for words in [["select", "essay.md", "all"], ["menu", "essay.md", "all"]] {
      #expect(try bench.run("diple", words).code == 2)
    }
    #expect(try bench.run("diple", ["copy", "essay.md", "\"fox\"", "--print"]).code == 2)
  }

  @Test func `a custom theme is read, and its errors are reported`() throws {
    try bench.write("code.md", "`a` [b](https://c.example/)\n")
    let show = ["show", "code.md", "--color", "always"]
    try write(own: "theme.name = \"my.toml\"\n")
    try bench.write(".config/diple/my.toml", "base = \"dark\"\nlink = \"bright-red\"\n")
    #expect(try bench.run("diple", show).output.contains("\u{1B}[0;4;91mb"))
    #expect(!(try bench.run("diple", show + ["--theme", "light"]).output.contains("91m")))
    for (text, message) in [
      ("linq = 1\n", "my.toml:1: there is no theme colour 'linq'; did you mean 'link'?"),
      ("\nlink = \"reddish\"\n", "my.toml:2: link takes a colour"),
      ("link = 256\n", "my.toml:1: link takes a colour"),
      ("match = \"reddish\"\n", "my.toml:1: match takes a colour"),
      ("base = \"blue\"\n", "my.toml:1: base must be light or dark"),
      ("link = \n", "my.toml:1: invalid TOML"),
    ] {
      try bench.write(".config/diple/my.toml", text)
      let run = try bench.run("diple", show)
      #expect(run.code == 2 && run.errors.contains(message), "\(run.errors)")
    }
    try write(own: "theme.name = \"/nosuch/x.toml\"\n")
    #expect(try bench.run("diple", show).errors.contains("the theme's file does not exist"))
    try write(own: "theme.name = \"pink\"\n")
    #expect(try bench.run("diple", show).errors.contains("theme.name takes auto, light"))
  }

  @Test(.enabled(if: Terminal.isThere, Terminal.need))
  func `the pager, the background and the history are configurable`() throws {
    let paragraphs = (1...60).map { "Paragraph \($0) of a long text.\n" }
    try bench.write("long.md", "# Long\n\n" + paragraphs.joined(separator: "\n"))
    try write(
      own: "pager = \"sed 's/^/>/'\"\n[theme]\nbackground = \"dark\"\n[history]\nlines = 2\n")
    try bench.diple("mark", "essay.md", "\"quick\"")
    let paged = try Terminal(
      bench, "diple", words: ["show", "long.md"], rows: 12, variables: ["PAGER=false"])
    #expect(try paged.exitCode() == 0)
    #expect(try paged.screen().contains(">Paragraph 60"))
    let dark = try Terminal(bench, "diple", words: ["show", "essay.md"])
    #expect(try dark.exitCode() == 0)
    #expect(try dark.colors().contains("48;5;94mquick"))
    try write(own: "")
    let asked = try Terminal(
      bench, "diple", words: ["show", "essay.md"], variables: ["COLORFGBG=15;0"])
    #expect(try asked.exitCode() == 0)
    #expect(
      try asked.colors().contains("48;5;94mquick"), "the terminal has reported a dark background")
    try write(own: "history.lines = 2\n")
    let terminal = try Terminal(bench, "diple-repl")
    try terminal.wait("the prompt") { $0.contains("›") }
    for line in ["tags", "doc list", "list"] { try terminal.press(line, "Enter") }
    try terminal.press("Up", "Up", "Up")
    try terminal.wait(lastLine: "› doc list")
  }

  @Test(.enabled(if: Terminal.isThere, Terminal.need))
  func `the reader uses configured colours and units, and applies a change immediately`() throws {
    try write(
      own: """
        highlight.default_color = "pink"
        [reader]
        width = 40
        margin = 5
        mouse = false
        hide_title = true
        [select]
        default_unit = "sentence"
        [theme]
        selection = "#ffff00"
        """)
    let terminal = try Terminal(
      bench, "diple", words: ["read", "essay.md"], columns: 60, rows: 14)
    let first = try terminal.wait("the text is shown") { $0.contains("The quick") }
    #expect(
      first.hasPrefix(
        "             The quick brown fox jumps over the\n             lazy dog."),
      "forty columns in the middle, three of them for letters; no title")
    try terminal.press("/", "fox", "Enter")
    try terminal.wait("the match is selected") { $0.contains("3 selected") }
    #expect(try terminal.colors().contains("48;5;226mfox"))
    try terminal.press("+")
    try terminal.wait("by a sentence") { $0.contains("28 selected") }
    try terminal.press("Enter", "Enter")
    try terminal.wait("the menu began with the colour that is set") {
      $0.contains("highlighted in pink")
    }
    try terminal.press(":", "config set reader.width 60", "Enter")
    try terminal.wait("the change is applied") { $0.hasPrefix("     P  The quick brown fox") }
    try terminal.press(":", "config set reader.selectable false", "Enter")
    try terminal.wait("the error is shown") { $0.contains("reader.selectable = false") }
    try terminal.press("v")
    try terminal.wait("nothing is selected") { $0.contains("selecting is off") }
    try bench.write("editor.sh", "#!/bin/sh\nprintf 'reader.margin = 7\\n' > $1\n")
    try bench.shell("chmod +x editor.sh")
    try terminal.press(":", "config set editor \(bench.path("editor.sh"))", "Enter")
    try terminal.wait("the error is shown") { $0.contains(" editor =") }
    try terminal.press(":", "config edit", "Enter")
    try terminal.wait("the editor used the terminal, and its text is stored") {
      $0.contains("\n       P  The quick")
    }
    try terminal.press("e")
    try terminal.wait("selecting is on again") { $0.contains("selected") }
    try terminal.press("q")
    #expect(try terminal.exitCode() == 0)
  }
}
