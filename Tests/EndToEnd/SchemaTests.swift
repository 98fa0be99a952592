import Foundation
import Testing

/// What `--json` prints keeps to the schemas of `Documentation/schemas`, which leave nothing open.
@Suite struct SchemaTests {
  let bench: Workbench

  init() throws { bench = try Workbench() }

  /// A Python that has the library for JSON Schema: Debian's first, as its package is what
  /// `Tooling/setup` installs.
  private static let python: String? = ["/usr/bin/python3", "python3"].first {
    (try? Workbench().run("env", [$0, "-c", "import jsonschema"]).code) == 0
  }

  private static let project = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  private struct Findings: Decodable {
    var used: [String]
    var all: [String]
    var problems: [String]
  }

  private func validate(_ lines: [String]) throws -> Findings {
    let result = try bench.run(
      try #require(Self.python),
      ["Tooling/validate-json.py", "Documentation/schemas"].map {
        Self.project.appendingPathComponent($0).path
      }, input: lines.joined(separator: "\n") + "\n")
    #expect(result.code == 0, "\(result.errors)")
    return try JSONDecoder().decode(Findings.self, from: Data(result.output.utf8))
  }

  /// The lines that one `--json` after the other printed, and by which commands.
  private final class Printed {
    var lines: [String] = []
    var commands: Set<String> = []

    /// Runs a command with `--json`. All that it prints must be JSON; on the error stream there may
    /// be notices for people beside it.
    func run(
      _ bench: Workbench, _ command: String, _ words: String..., code: Int32 = 0,
      input: String = "", sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
      let all = command.split(separator: " ").map(String.init) + ["--json"] + words
      let result = try bench.run("diple", all, input: input)
      #expect(result.code == code, "\(all): \(result)", sourceLocation: sourceLocation)
      let errors = result.errors.split(separator: "\n").map(String.init)
      #expect(
        !result.output.isEmpty || errors.contains { $0.hasPrefix("{") },
        "\(all) prints no JSON: \(result)", sourceLocation: sourceLocation)
      lines += result.lines + errors.filter { $0.hasPrefix("{") }
      commands.insert(command)
    }
  }

  private static let before = """
    # The bridge

    The first sentence stays exactly as it is.

    The second sentence will be altered a little later on.

    A third one goes away for good, all of it together.

    ## The committee

    A fourth sentence that wanders off to another place entirely, far from here.

    ## The end

    Something more, so that the document is not too short for anything at all.

    """

  /// Leaves one sentence as it was, and alters, deletes and moves the others.
  private static let after = """
    # The bridge

    The first sentence stays exactly as it is.

    The second sentence will be changed a little later on.

    ## The committee

    ## The end

    Something more, so that the document is not too short for anything at all.

    A fourth sentence that wanders off to another place entirely, far from here.

    """

  /// Documents in every state, with highlights in every state.
  private func prepare(_ printed: Printed) throws {
    try bench.write("bridge.md", Self.before)
    try bench.write(
      "vote.md",
      "Before.\n\nThe committee decided that the bridge should be painted green in summer.\n\nAfter.\n"
    )
    try bench.write("gone.md", "# Gone\n\nSoon away.\n")
    try bench.write("removed.md", "# Removed\n\nTaken out.\n")
    try Data([0x63, 0xE9, 0x0A]).write(to: bench.folder.appendingPathComponent("latin.md"))
    try printed.run(bench, "init")
    try printed.run(bench, "add", "--dry-run", ".")
    try printed.run(bench, "add", ".")
    try printed.run(bench, "add", "bridge.md", code: 1)
    for quote in [
      "exactly as it is", "will be altered a little", "goes away for good",
      "wanders off to another place",
    ] {
      try printed.run(
        bench, "mark", "bridge.md", "\"\(quote)\"", "--note", "A note\nof “two” lines", "--tag",
        "one", "--tag", "two words")
    }
    try printed.run(bench, "mark", "bridge.md", "\"sentence\"#2", "--strategy", "every")
    try printed.run(bench, "mark", "bridge.md", "para:1", "--dry-run")
    try printed.run(bench, "mark", "vote.md", "para:2", "--strategy", "sentence")
    try printed.run(bench, "mark", "removed.md", "all", "--color", "pink")
    try printed.run(bench, "mark", "gone.md", "all", "--color", "blue")
    try printed.run(bench, "doc remove", "removed.md", "--dry-run")
    try printed.run(bench, "doc remove", "removed.md", "--yes")
    try bench.write("bridge.md", Self.after)
    try bench.write(
      "vote.md",
      "Other.\n\nLater the committee agreed that a bridge should be painted red in winter.\n\nEnd.\n"
    )
    try bench.shell("rm gone.md && rm latin.md && mkdir latin.md")
    try printed.run(bench, "refresh", code: 4)
  }

  @Test(.enabled(if: python != nil, "python3-jsonschema is not installed"))
  func `every command's JSON is as its schema says, and every schema is used`() throws {
    let printed = Printed()
    try prepare(printed)
    try bench.shell("rmdir latin.md && printf 'Latin.\\n' > latin.md")
    try printed.run(bench, "refresh", "latin.md")
    try printed.run(bench, "refresh", code: 1)

    let found = try bench.highlights()
    #expect(
      Set(found.map(\.state)) == ["exact", "moved", "edited", "doubtful", "orphaned"],
      "the documents no longer show every state: \(found)")
    try printed.run(bench, "list")
    try printed.run(bench, "list", "--color", "pink", code: 1)
    try printed.run(bench, "list", "bridge.md", "--sort", "updated")
    try printed.run(bench, "doc list")
    for document in ["bridge.md", "gone.md", "removed.md"] {
      try printed.run(bench, "doc show", document)
    }
    for highlight in found {
      try printed.run(bench, "highlight show", highlight.id)
      try printed.run(bench, "highlight why", highlight.id)
    }
    let id = found[0].id
    try printed.run(bench, "at", "bridge.md", "u16:\(try #require(found[0].range).start)")
    try printed.run(bench, "at", "bridge.md", "u16:0", code: 1)
    try printed.run(bench, "highlight edit", id, "--color", "green", "--untag", "one")
    try printed.run(bench, "highlight edit", id, "--note", "never", "--dry-run")
    try printed.run(bench, "highlight color", id, "blue")
    try printed.run(bench, "highlight note", id, "Another")
    try printed.run(bench, "highlight tag", id, "three")
    try printed.run(bench, "highlight remove", id, "--dry-run")
    try printed.run(bench, "highlight remove", id, found[1].id)
    try printed.run(bench, "list", "--trashed")
    try printed.run(bench, "highlight restore", id, found[1].id)
    try printed.run(bench, "tags")
    try printed.run(bench, "show", "bridge.md")
    try printed.run(bench, "show", "-", input: "# Not in the library\n")
    try printed.run(bench, "select", "bridge.md", "heading:\"The end\"")
    try printed.run(bench, "outline", "bridge.md")
    try printed.run(bench, "outline", "latin.md", code: 1)
    try searches(printed)
    try settings(printed)
    try printed.run(bench, "export")
    try printed.run(bench, "export", "-o", "highlights.json", "--to", "w3c")
    try printed.run(bench, "export", "--everything", "-o", "library.jsonl")
    try printed.run(bench, "import", "--library", "whole/.diple", "library.jsonl")
    try printed.run(bench, "strategies")
    try printed.run(bench, "doctor")
    try printed.run(bench, "doctor", "--rebuild-index")
    try printed.run(bench, "doctor", "--repair")
    try printed.run(bench, "backup", "copy.zst")
    try printed.run(bench, "restore", "--yes", "copy.zst")
    try printed.run(bench, "repl", code: 2, input: "tags\nmark 'open\nhl show nothing\ndoc")
    try printed.run(bench, "doc rename", "bridge.md", "Another bridge")
    try printed.run(bench, "doc rename", "bridge.md", "Another bridge", code: 1)
    try bench.shell("mv bridge.md moved.md")
    try printed.run(bench, "doc link", "Another bridge", "moved.md")
    try printed.run(bench, "doc restore", "removed.md")
    try places(printed, found)
    try changes(printed)
    try daemon(printed)
    try selections(printed)
    #expect(printed.commands.symmetricDifference(try bench.commands()) == [])
    try refusals(printed)

    let findings = try validate(printed.lines)
    #expect(findings.problems.isEmpty, "\(findings.problems.joined(separator: "\n"))")
    #expect(findings.used == findings.all && !findings.all.isEmpty)
  }

  /// What is set by nobody, by a file and by the environment.
  private func settings(_ printed: Printed) throws {
    bench.environment["DIPLE_COPY_AS"] = "md"
    try printed.run(bench, "config set", "reader.width", "90", "--dry-run")
    try printed.run(bench, "config set", "reader.width", "90")
    try printed.run(bench, "config show")
    for key in ["reader.width", "reader.mouse", "copy.as"] {
      try printed.run(bench, "config get", key)
    }
    try printed.run(bench, "config get", "reader", code: 2)
    bench.environment["DIPLE_EDITOR"] = "true"
    try printed.run(bench, "config edit")
    bench.environment["DIPLE_COPY_AS"] = nil
  }

  /// Searches in all places, kept ones and those that stay.
  private func searches(_ printed: Printed) throws {
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

  /// What people do about places, what colours mean, and another program's highlights.
  private func places(_ printed: Printed, _ found: [Workbench.Listed]) throws {
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
  }

  /// Changes of files, and what takes them back.
  private func changes(_ printed: Printed) throws {
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

  private func plugins(_ printed: Printed) throws {
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
    try printed.run(bench, "share", "card.md", "para:2", "--theme", "dot")
    try printed.run(bench, "share", "card.md", "para:2", "--theme", "none", code: 2)
  }

  /// The daemon from its start to its end.
  private func daemon(_ printed: Printed) throws {
    try printed.run(bench, "daemon status", code: 1)
    try printed.run(bench, "daemon start")
    try printed.run(bench, "daemon status")
    try printed.run(bench, "daemon start", code: 1)
    try printed.run(bench, "daemon stop")
    try printed.run(bench, "daemon stop", code: 1)
    try printed.run(bench, "daemon logs")
    try printed.run(bench, "daemon install", "--dry-run")
  }

  /// What is selected, and where one goes.
  private func selections(_ printed: Printed) throws {
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
    try printed.run(bench, "clear", code: 1)
    try printed.run(bench, "read", "linked.md", code: 2)
    try printed.run(bench, "completion", "bash", code: 2)
  }

  /// An error of each code.
  private func refusals(_ printed: Printed) throws {
    try bench.write("other.md", "# Another one\n")
    try bench.diple("add", "other.md")
    try printed.run(bench, "show", "nothing", code: 4)
    try printed.run(bench, "doc show", "Another", code: 5)
    try printed.run(bench, "mark", "moved.md", "\"sentence\"", code: 5)
    try printed.run(bench, "mark", "moved.md", "word:9999", code: 2)
    try printed.run(bench, "mark", "moved.md", "\"not there\"", code: 1)
    try printed.run(bench, "mark", "moved.md", "all", "--color", "red", code: 2)
    try printed.run(bench, "lsit", code: 2)
    try printed.run(bench, "export", "--to", "nothing", code: 2)
    try printed.run(bench, "export", "-o", "no/such/folder", code: 6)
    try printed.run(bench, "add", "nowhere.md", code: 4)
    try bench.shell("mkdir broken && echo 'no database' > broken/library.sqlite")
    try printed.run(bench, "list", "--library", "broken", code: 8)
  }

  @Test(.enabled(if: python != nil, "python3-jsonschema is not installed"))
  func `a field too many or too few, and an unknown schema, are found`() throws {
    let good = #"{"schema":"diple.tags/1","data":[{"name":"a","highlights":1}]}"#
    #expect(try validate([good]).problems.isEmpty)
    for bad in [
      #"{"schema":"diple.tags/1","data":[{"name":"a"}]}"#,
      #"{"schema":"diple.tags/1","data":[{"name":"a","highlights":1,"more":2}]}"#,
      #"{"schema":"diple.tags/1"}"#, #"{"schema":"diple.tag/1","data":[]}"#, #"{"data":[]}"#, "no",
    ] {
      #expect(try validate([bad]).problems.count == 1, "\(bad)")
    }
  }

  @Test func `tags that look alike are both listed`() throws {
    try bench.write("a.md", "Some words.\n")
    try bench.diple("add", "a.md")
    try bench.diple("mark", "a.md", "word:1", "--tag", "caf\u{E9}")
    try bench.diple("mark", "a.md", "word:2", "--tag", "cafe\u{301}")
    let tags = try bench.diple("tags", "--json")
    #expect(
      tags.code == 0 && tags.output.components(separatedBy: #""highlights":1"#).count == 3,
      "\(tags)")
  }
}
