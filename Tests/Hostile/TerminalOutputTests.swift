import Foundation
import TestSupport
import Testing

/// Tests a library in which every text, name and message contains control characters. No command
/// prints them, as text or as JSON. The commands are read from the parser, so new ones are tested
/// too.
@Suite struct TerminalOutputTests {
  /// One character of each kind: C0, DEL, C1, bidirectional controls, separators, tags, and OSC 8
  /// links.
  private static let evil =
    "\u{1}\u{7}\u{8}\u{1B}[31m\u{1B}]8;;http://x\u{1B}\\y\u{7F}\u{85}\u{9B}2J\u{202A}\u{202E}"
    + "\u{2066}\u{2069}\u{2028}\u{2029}\u{E0041}"
  /// The same characters in a file's name.
  private static let name = "a" + evil.replacing("/", with: "") + ".md"
  private static let query = "q" + evil

  let victim: Victim

  init() throws {
    victim = try Victim()
    victim.environment["DIPLE_PLUGINS"] = victim.path("plugins")
    // An editor may write to the terminal itself.
    victim.environment["DIPLE_EDITOR"] = "true"
    let evil = Self.evil
    try victim.write(
      "clone/" + Self.name,
      """
      ---
      title: T\(evil)
      ---
      # Head \(evil)

      Some\(evil) words here, [link\(evil)](http://e.example/\(evil)) and `code\(evil)`.

      | cell\(evil) | other |
      |---|---|
      | one | two |

      """)
    try victim.write("clone/ok.md", "# Ok\n\nSome words\(evil) here.\n")
    #expect(try victim.diple("init").code == 0)
    try victim.shell(
      "git init -q . && git config user.email 'a\u{1B}b@c' && git config user.name n")
    #expect(try victim.diple("add", Self.name, "ok.md").code == 0)
    for words in [
      [Self.name, "\"words\"", "--note", "n" + evil, "--tag", "t"], ["ok.md", "\"words\""],
    ] {
      let result = try victim.run("diple", ["mark"] + words)
      #expect(result.code == 0, "\(result)")
    }
    #expect(try victim.diple("query", "save", Self.query, evil + "words").code == 0)
    // Values that another program could have written.
    try victim.sql(
      """
      UPDATE document SET title = title || '\(evil)';
      UPDATE highlight SET note = '\(evil)', exact = exact || '\(evil)' WHERE key = 1;
      UPDATE highlight SET exact = 'gone \(evil)', detached = 0 WHERE key = 2;
      INSERT INTO tag VALUES (1, 'tag\(evil)');
      INSERT OR REPLACE INTO color_label VALUES ('yellow', 'label\(evil)');
      UPDATE journal SET label = label || '\(evil)';
      """)
    let escaped = "\\u001b[31m\\u202e\\u009b"
    try victim.write(
      "plugins/evil/plugin.json",
      """
      {"diple": 1, "id": "evil", "kind": "export", "summary": "sum\(escaped)",
       "command": ["./run.sh"]}
      """)
    try victim.write("plugins/bad/plugin.json", "{\"diple\": 1, \"id\": \"\(escaped)\"}")
    try victim.write("plugins/x\(Self.name)/plugin.json", "{\"diple\": \"\(escaped)\"}")
    try victim.write(
      "plugins/evil/run.sh",
      "#!/bin/sh\nprintf 'said \\033[31m' >&2\nprintf '{\"error\":\"\\\\u001b[31m\\\\u202e\"}\\n'\n"
    )
    try victim.shell("chmod +x plugins/evil/run.sh", in: victim.home)
  }

  /// The arguments of commands. Each command is also run without arguments, with an invalid name,
  /// and with the id of a highlight.
  private static let words: [String: [[String]]] = [
    "add": [["ok.md"]], "mark": [["ok.md", "Some", "--note", evil], ["ok.md", "-n", "all"]],
    "search": [
      ["words"], ["w", "--in", "all"], ["--strategy", "regex", "(" + evil], ["-words", evil],
    ],
    "find": [["ok.md", "words"], ["ok.md", evil], [name, "words"]],
    "replace": [["Some", "Any", "ok.md", "--all"], [evil, evil, name, "-n", "--all"]],
    "show": [["ok.md"], [name], ["--plain", name], ["--renderer", evil, name]],
    "query run": [[query]], "query save": [["x" + evil, evil]], "query remove": [[query, "-n"]],
    "config set": [["editor", evil], ["select.hook", evil], [evil, "1"]],
    "config get": [["editor"]], "import": [["ok.md"], ["--from", evil, "ok.md"]],
    "share": [["ok.md", "Some", "-o", evil + "/x.svg"], ["ok.md", "Some", "--theme", evil]],
    "select": [["ok.md", "all"], [name, "\"words\""]], "copy": [["ok.md", evil], ["--to", evil]],
    "extend": [["ok.md", "\"Some\"", "+1", "word"], ["ok.md", "\"Some\"", "+1", evil]],
    "adjust": [["ok.md", "\"Some\"", "end", "+1", "word"]], "menu": [["ok.md", "\"Some\""]],
    "follow": [[name, "1"], [name, "9"]], "outline": [[name]], "goto": [["ok.md", "3:1"]],
    "links": [[name], ["ok.md"], ["--unresolved"]],
    "at": [[name, "6:3"], ["ok.md", evil]], "export": [["--to", "evil"], ["--to", evil]],
    "doc show": [[name], ["ok.md"]], "doc statistics": [[name], ["ok.md"]],
    "doc rename": [["ok.md", evil, "-n"], [name, "z" + evil]],
    "doc link": [["ok.md", name]], "doc remove": [[name, "-n"]], "doc restore": [["ok.md"]],
    "color set": [["green", "label" + evil]], "highlight note": [["1", evil]],
    "plugin show": [["evil"]], "plugin add": [["../plugins/evil"]], "plugin check": [["evil"]],
    "format": [["bold", "ok.md", evil], [evil, "ok.md", "Some"]],
    "list": [
      ["--color", evil], ["--tag", evil], ["--since", evil], ["--state", evil], ["--filter", evil],
    ],
    "tags rename": [["t", evil], [evil, "t", "--yes"], ["tag" + evil, "x", "-n"]],
    "highlight tag": [["--filter", "colr:" + evil, "+x"], ["1", "+" + evil]],
    "anchor reattach": [["2", "\"Some\"", "-n"]], "pick": [["ok"], ["a"]],
    "strategies": [["--kind", evil]],
    "daemon start": [["--foreground", evil]],
  ]

  /// The commands whose output must remain exact in a pipe.
  private static let exact: Set = ["export", "pick"]

  private static func isRaw(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x0A: false
    case 0..<0x20, 0x7F..<0xA0, 0x2028...0x202E, 0x2066...0x2069, 0xE0000...0xE007F: true
    default: false
    }
  }

  private func check(_ words: [String], _ result: Victim.Result, colored: Bool = false) {
    #expect(result.code < 128, "\(words): \(result)")
    for text in [result.output, result.errors] {
      // The colours that Diple prints.
      let rest = colored ? text.replacing(#/\u{1B}\[[0-9;]*m/#, with: "") : text
      let raw = rest.unicodeScalars.filter(Self.isRaw)
      #expect(raw.isEmpty, "\(words): \(text.debugDescription)")
    }
  }

  @Test func `no command prints control characters`() throws {
    let commands = try commandNames(inDump: victim.diple("--experimental-dump-help").output)
    #expect(commands.count > 40)
    defer { _ = try? victim.diple("daemon", "stop") }
    for command in commands {
      let path = command.split(separator: " ").map(String.init)
      var lists = [[], [Self.evil], ["--" + Self.evil]] + (Self.words[command] ?? [])
      if ["highlight", "anchor"].contains(path[0]) { lists += [["1"], ["2"]] }
      // Without arguments these run until they are stopped.
      if ["daemon start", "serve start"].contains(command) { lists.removeFirst() }
      for list in lists {
        for json in [[], ["--json"]] {
          let words = path + json + list
          var result = try victim.run("diple", words)
          if Self.exact.contains(command), json.isEmpty { result.output = "" }
          check(words, result)
        }
      }
    }
    for words in [["no\(Self.evil)"], ["help", Self.evil], ["--library", Self.evil, "list"]] {
      check(words, try victim.run("diple", words))
    }
    let colored = ["show", "--color", "always", Self.name]
    check(colored, try victim.run("diple", colored), colored: true)
  }

  /// Arguments in addition to those of `words` for output that is only on a terminal.
  private static let more: [String: [[String]]] = [
    "export": [["--everything"], ["--to", "org"], ["--to", "csv"], ["--to", "html"], [name]],
    "source set": [[name, "--title", evil], ["ok.md", "--author", evil, "--url", evil]],
    "source show": [[name], ["ok.md", "--format", "bibtex"], ["--format", "csl-json"]],
    "copy": [["ok.md", "all", "--print"], [name, "all", "--as", "html", "--print"]],
    "share": [["ok.md", "all", "--format", "markdown"], ["ok.md", "all", "--format", "text"]],
    "style save": [[evil, "ok.md", "Some"]], "doc note": [["ok.md", evil], ["ok.md"]],
    "sync init": [["folder", evil], [evil, evil]], "backup": [[evil + "/x"]],
    "restore": [[evil]], "completion": [["bash"], ["zsh"], ["fish"]],
  ]
  /// Commands that use the whole terminal, or read lines.
  private static let takesTerminal: Set = [
    "pick", "read", "repl", "serve start", "daemon start", "edit", "config edit", "highlight edit",
    "anchor review", "sync passphrase", "sync join", "sync pair",
  ]

  /// The sequences that Diple itself writes: colours, links to pages, and those of the clipboard.
  private nonisolated(unsafe) static let own =
    #/\u{1B}\[[0-9;:]*m|\u{1B}\]8;;(https?://[!-~]*)?\u{1B}\\|\u{1B}\]52;c;[A-Za-z0-9+\/=]*\u{7}/#

  @Test(.enabled(if: hasTerminal, "script cannot make a pseudo-terminal"))
  func `no command prints control characters to a terminal`() throws {
    let commands = try commandNames(inDump: victim.diple("--experimental-dump-help").output)
    #expect(commands.count > 40)
    #expect(try victim.diple("source", "set", Self.name, "--title", "s" + Self.evil).code == 0)
    var script = ""
    var count = 0
    for command in commands where !Self.takesTerminal.contains(command) {
      let path = command.split(separator: " ").map(String.init)
      var lists =
        [[], [Self.evil], ["--" + Self.evil]] + (Self.words[command] ?? [])
        + (Self.more[command] ?? [])
      if ["highlight", "anchor"].contains(path[0]) { lists += [["1"], ["2"]] }
      for list in lists {
        let words = (["timeout", "20", "diple"] + path + list).map { word in
          "'" + word.replacing("'", with: "'\\''") + "'"
        }
        script += "echo \"@@ \(count) \(command)\"; \(words.joined(separator: " ")) </dev/null\n"
        count += 1
      }
    }
    try victim.write("script.sh", script)
    victim.environment["PAGER"] = ""
    victim.environment["TERM"] = "xterm-256color"
    let result = try victim.run(
      "script", ["-qec", "sh \(victim.path("script.sh"))", "/dev/null"], seconds: 600)
    let parts = result.output.split(separator: "@@ ")
    #expect(parts.count == count, "\(parts.count) of \(count)")
    for part in parts {
      let rest = String(part).replacing(Self.own, with: "")
      let raw = rest.unicodeScalars.filter {
        Self.isRaw($0) && $0 != "\r" && $0 != "\t"
      }
      #expect(raw.isEmpty, "\(part.debugDescription.prefix(600))")
      // Text of the library does not contain Diple's colour sequences either.
      #expect(
        !part.contains("\u{1B}[31m") && !part.contains("\u{1B}]8;;http://x\u{1B}\\y"),
        "\(part.debugDescription)")
    }
  }

  private static let hasTerminal =
    (try? Victim().run("script", ["-qec", "test -t 1", "/dev/null"]).code) == 0

  @Test func `errors in settings are reported without control characters`() throws {
    for text in ["\(Self.evil) = 1\n", "editor = \"\(Self.evil)\n", "[x\(Self.evil)]\n"] {
      try victim.write("clone/.diple/config.toml", text)
      for words in [["list"], ["config", "show"], ["show", "ok.md"], ["doctor"]] {
        check(words, try victim.run("diple", words))
        check(words, try victim.run("diple", words + ["--json"]))
      }
    }
  }

  @Test func `JSON contains the exact characters in escaped form`() throws {
    let json = try victim.diple("outline", Self.name, "--json").output
    let decoded = try JSONSerialization.jsonObject(with: Data(json.utf8))
    #expect("\(decoded)".contains("\u{202E}") && "\(decoded)".contains("\u{E0041}"), "\(json)")
  }

  @Test func `a copy and an export are exact, and contain no code`() throws {
    try victim.write(
      "clone/bad.md",
      "A [word](javascript:alert(1)) <script>alert(2)</script> & \"more\".\n\nEnd.\n")
    #expect(try victim.diple("add", "bad.md").code == 0)
    #expect(
      try victim.diple("mark", "bad.md", "\"word\"", "--note", "<script>3</script>").code == 0)
    #expect(
      try victim.diple("copy", "ok.md", "line:2", "--print").output.contains(Self.evil)
        || victim.diple("copy", "ok.md", "all", "--print").output.contains(Self.evil))
    let html = try victim.diple("copy", "bad.md", "all", "--as", "html", "--print").output
    #expect(!html.contains("<script") && !html.contains("javascript:"), "\(html)")
    let card = try victim.diple("share", "bad.md", "all", "-o", "-")
    #expect(!card.output.contains("<script") && !card.output.contains("javascript:"), "\(card)")
    let markdown = try victim.diple("export", "bad.md", "--to", "markdown")
    #expect(markdown.code == 0 && !markdown.output.contains("](javascript:"), "\(markdown)")
    #expect(
      !markdown.output.contains("<script"), "\(markdown.output)")
    let note = "see [a](https://e.example) or [b](JavaScript:x) or [c]: data:x </text><b>"
    #expect(
      try victim.diple("mark", "bad.md", "\"End\"", "--note", note, "--tag", "t<b>").code == 0)
    let noted = try victim.diple("export", "bad.md").output
    #expect(
      noted.contains("\\[b](JavaScript\u{200B}:x)") && noted.contains("&lt;/text>&lt;b>"),
      "\(noted)")
    #expect(noted.contains("#t&lt;b\\>"), "\(noted)")
  }
}
