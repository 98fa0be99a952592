import Foundation
import TestSupport
import Testing

extension SchemaTests {
  /// Runs commands with settings of all origins: default, file and environment.
  func settings(_ printed: Printed) throws {
    bench.environment["DIPLE_COPY_AS"] = "md"
    try printed.run(bench, "config set", "reader.width", "90", "--dry-run")
    try printed.run(bench, "config set", "reader.width", "90")
    try printed.run(bench, "config show")
    for key in ["reader.width", "reader.mouse", "copy.as"] {
      try printed.run(bench, "config get", key)
    }
    try printed.run(bench, "config unset", "reader.width", "--dry-run")
    try printed.run(bench, "config unset", "reader.width")
    try printed.run(bench, "config get", "reader", code: 2)
    bench.environment["DIPLE_EDITOR"] = "true"
    try printed.run(bench, "config edit")
    bench.environment["DIPLE_COPY_AS"] = nil
  }

  /// Runs searches in all kinds of places, saved searches and continuous ones.
  func searches(_ printed: Printed) throws {
    try printed.run(bench, "search", "committee")
    try printed.run(bench, "search", "--strategy", "text", "--per-document", "1", "sentence")
    try printed.run(bench, "search", "--in", "all", "of")
    try printed.run(bench, "search", "--in", "highlights", "--state", "orphaned", "good")
    try printed.run(bench, "search", "--strategy", "regex", "(", code: 2)
    try printed.run(
      bench, "query save", "notes", "lines", "--in", "notes", "--color", "yellow", "--tag", "one",
      "--state", "exact", "--since", "2020-01-01", "--case", "ignore")
    try printed.run(bench, "query save", "other", "end", "bridge.md", "--word", "--dry-run")
    try printed.run(bench, "query save", "other", "end", "bridge.md", "--word")
    try printed.run(bench, "query list")
    try printed.run(bench, "query run", "notes")
    try printed.run(bench, "query run", "other", "--watch", "--for", "0")
    try printed.run(bench, "query run", "othr", code: 4)
    try printed.run(bench, "query remove", "other", "--dry-run")
    try printed.run(bench, "query remove", "other")
    try printed.run(bench, "find", "bridge.md", "sentence")
    try printed.run(bench, "find", "bridge.md", "nowhere", code: 1)
    try printed.run(bench, "find", "bridge.md", "document", "--mark", "green", "--tag", "found")
    try printed.run(bench, "next", code: 2)
    try printed.run(bench, "prev", code: 2)
    try printed.run(
      bench, "repl", input: "find bridge.md sentence\nnext\nprev\nprev\nfind --clear\n")
  }

  /// Runs commands on bibliographic sources.
  func sources(_ printed: Printed) throws {
    try printed.run(bench, "source show", code: 1)
    try bench.write(
      "refs.bib", "@book{br, title={Another bridge}, year=1999}\n@book{x, title={No such}}\n")
    try printed.run(bench, "source link", "refs.bib", "--dry-run")
    try printed.run(bench, "source link", "refs.bib")
    try printed.run(bench, "source link", "refs.bib", "--doc", "moved.md", "--entry", "x")
    try printed.run(
      bench, "source set", "moved.md", "--author", "Ann Lee; {W3C}", "--doi", "10.1/2")
    try printed.run(bench, "source set", "moved.md", "--isbn", "1", code: 2)
    try printed.run(bench, "source show", "moved.md")
    try printed.run(bench, "source show")
  }

  /// Runs commands on the positions of highlights, the labels of colours, and imports.
  func places(_ printed: Printed, _ found: [Workbench.Listed]) throws {
    try printed.run(bench, "color label", "green", "question", "--dry-run")
    try printed.run(bench, "color label", "green", "question")
    try printed.run(bench, "color list")
    try printed.run(bench, "anchor review")
    try printed.run(bench, "anchor check", code: 3)
    try bench.shell(
      """
      git init -q . && git config user.email a@b.c && git config user.name A &&
      git add moved.md && git commit -qm first
      """)
    try printed.run(bench, "anchor install-hook")
    let doubtful = try #require(found.first { $0.state == "doubtful" }).id
    let orphan = try #require(found.first { $0.state == "orphaned" }).id
    try printed.run(bench, "anchor accept", doubtful, "--dry-run")
    try printed.run(bench, "anchor accept", doubtful)
    try printed.run(bench, "anchor reject", orphan, "--dry-run")
    try printed.run(bench, "anchor reject", orphan)
    try printed.run(bench, "anchor reattach", orphan, "para:2", "--dry-run")
    try printed.run(bench, "anchor reattach", orphan, "para:2")
    try printed.run(bench, "highlight reattach", orphan, "para:3")
    for highlight in found where highlight.state != "orphaned" {
      try printed.run(bench, "highlight log", highlight.id)
    }
    try bench.write(
      "in.json",
      """
      {"type": "Annotation", "target": {"source": "moved.md",
        "selector": {"type": "TextQuoteSelector", "exact": "these words are nowhere"}}}
      """)
    try printed.run(bench, "import", "in.json", "--dry-run")
    try printed.run(bench, "import", "in.json")
    if PagePicture.canBeMade {
      try PagePicture.make(bench.path("page.png"))
      try printed.run(bench, "import", "page.png", "--list-words")
    }
  }

  /// Changes files and undoes the changes.
  func changes(_ printed: Printed) throws {
    try bench.write("change.md", "# Change\n\nOne word and **one** more.\n")
    try bench.diple("add", "change.md")
    try bench.diple("mark", "change.md", "\"word\"")
    try printed.run(bench, "format", "bold", "change.md", "\"word\"", "--dry-run")
    try printed.run(bench, "format", "bold", "change.md", "\"word\"")
    try printed.run(bench, "replace", "change.md", "word", "term")
    try printed.run(bench, "replace", "change.md", "one more", "two", "--all", "--yes", code: 1)
    try printed.run(bench, "replace", "change.md", "one", "1", code: 5)
    try printed.run(bench, "undo", "--dry-run")
    try printed.run(bench, "undo")
    try printed.run(bench, "redo")
    try printed.run(bench, "history")
    let id = try #require(try bench.highlights().first { $0.quote == "word" }).id
    try bench.diple("hl", "remove", id)
    try bench.diple("doc", "remove", "change.md", "--yes")
    try printed.run(bench, "trash list")
    try printed.run(bench, "trash restore", id, "change.md")
    try bench.diple("hl", "remove", id)
    try bench.diple("doc", "remove", "change.md", "--yes")
    try printed.run(bench, "trash empty", "--dry-run")
    try printed.run(bench, "trash empty", "--yes")
    try printed.run(bench, "trash list", code: 1)
    try plugins(printed)
  }

  func plugins(_ printed: Printed) throws {
    let example = Self.project.appendingPathComponent("Plugins/Examples/roman-numerals").path
    try printed.run(bench, "plugin add", example, "--dry-run")
    try printed.run(bench, "plugin add", example)
    try bench.shell("mkdir -p .local/share/diple/plugins/broken")
    try printed.run(bench, "plugin list")
    try printed.run(bench, "plugin show", "roman-numerals")
    try printed.run(bench, "plugin remove", "roman-numerals", "--yes")
    try bench.shell("mkdir dot")
    try bench.write(
      "dot/plugin.json",
      #"{"diple":1,"id":"dot","kind":"card","summary":"a dot","run":["sh","dot.sh"]}"#)
    try bench.write(
      "dot/dot.sh",
      #"printf '%s\n' '{"media":"image/png"}' '{"base64":"iVBORw=="}' '{"done":true}'"#)
    try printed.run(bench, "plugin add", "dot")
    try bench.write("card.md", "# Card\n\nWords on a card.\n")
    try printed.run(bench, "share", "card.md", "para:2")
    try printed.run(bench, "share", "card.md", "para:2", "-o", "card.svg")
    try printed.run(bench, "share", "card.md", "para:2", "--format", "text")
    try printed.run(bench, "share", "card.md", "para:2", "--theme", "dot")
    try printed.run(bench, "share", "card.md", "para:2", "--theme", "none", code: 2)
  }

  /// Starts, queries and stops the daemon.
  func daemon(_ printed: Printed) throws {
    try printed.run(bench, "daemon status", code: 1)
    try printed.run(bench, "daemon start")
    try printed.run(bench, "daemon status")
    try printed.run(bench, "daemon start", code: 1)
    try printed.run(bench, "daemon stop")
    try printed.run(bench, "daemon stop", code: 1)
    try printed.run(bench, "daemon logs")
    try printed.run(bench, "daemon install", "--dry-run")
  }

  /// Runs commands on selections and positions.
  func selections(_ printed: Printed) throws {
    try bench.write(
      "linked.md", "# Linked\n\n[one](moved.md#x) [two](#linked) [three](https://a.example)\n")
    try printed.run(bench, "extend", "linked.md", "word:1")
    try printed.run(bench, "extend", "linked.md", "all", code: 1)
    try printed.run(bench, "adjust", "linked.md", "word:1", "end", "+1", "word")
    try printed.run(bench, "copy", "linked.md", "word:1", "--print", "--as", "md")
    try printed.run(bench, "menu", "linked.md", "word:1")
    try printed.run(bench, "goto", "linked.md", "3:1")
    try printed.run(bench, "follow", "linked.md", "2")
    try printed.run(bench, "follow", "linked.md", "3")
    try printed.run(bench, "clear", code: 2)
    try printed.run(bench, "read", "linked.md", code: 2)
    try printed.run(bench, "serve start", "nowhere.md", code: 4)
    try serve(printed)
    try printed.run(bench, "serve devices")
    try printed.run(bench, "serve allow", "Phone")
    try printed.run(bench, "serve revoke", "Phone")
    try printed.run(bench, "serve devices", code: 1)
    try printed.run(bench, "completion", "bash", code: 2)
  }

  /// Starts the server until it is interrupted, and pairs a device.
  private func serve(_ printed: Printed) throws {
    for lan in [[], ["--lan", "127.0.0.2"]] {
      let output = bench.path("served\(lan.count)")
      let server = try ChildProgram(
        [Workbench.programs.appendingPathComponent("diple").path, "serve", "--json", "--port", "0"]
          + lan,
        in: bench.folder.path, environment: bench.environment, output: output)
      defer { server.killAll() }
      let line = try eventually(
        "the address", see: { (try? String(contentsOfFile: output, encoding: .utf8)) ?? "" },
        until: { $0.hasSuffix("\n") })
      printed.lines.append(line.replacing("\n", with: ""))
      if !lan.isEmpty { try pairPhone(output) }
      kill(server.id, SIGINT)
      #expect(try server.end() == 0)
    }
  }

  /// Pairs a device with a server whose output is in a file.
  private func pairPhone(_ output: String) throws {
    try bench.write(
      "pair.py",
      """
      import json, sys, urllib.request
      network = json.load(open(sys.argv[1]))["data"]["network"]
      urllib.request.urlopen(urllib.request.Request(
          network["address"] + "api/pair",
          json.dumps({"code": network["code"], "name": "Phone"}).encode(),
          {"Content-Type": "application/json", "X-Diple": "1", "Origin": network["address"][:-1]}))

      """)
    try bench.shell("python3 pair.py '\(output)' && rm pair.py")
  }

  /// Causes an error of each code.
  func refusals(_ printed: Printed) throws {
    try bench.write("other.md", "# Another one\n")
    try bench.diple("add", "other.md")
    try printed.run(bench, "show", "nothing", code: 4)
    try printed.run(bench, "doc show", "Another", code: 5)
    try printed.run(bench, "mark", "moved.md", "\"sentence\"", code: 5)
    try printed.run(bench, "mark", "moved.md", "word:9999", code: 1)
    try printed.run(bench, "mark", "moved.md", "\"not there\"", code: 1)
    try printed.run(bench, "mark", "moved.md", "all", "--color", "red", code: 2)
    try printed.run(bench, "lsit", code: 2)
    try printed.run(bench, "export", "--to", "nothing", code: 2)
    try printed.run(bench, "export", "-o", "no/such/folder", code: 6)
    try printed.run(bench, "add", "nowhere.md", code: 4)
    try bench.shell("mkdir broken && echo 'no database' > broken/library.sqlite")
    try printed.run(bench, "list", "--library", "broken", code: 8)
  }
}
