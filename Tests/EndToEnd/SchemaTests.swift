import Actions
import BuiltIn
import Foundation
import Model
import TestSupport
import Testing
import Workspace

/// Tests that the output of `--json` conforms to `Documentation/schemas`, which allow no unknown
/// members.
@Suite struct SchemaTests {
  let bench: Workbench

  init() throws { bench = try Workbench() }

  /// A Python interpreter with the `jsonschema` library. The interpreter of Debian is preferred,
  /// because `Tooling/setup` installs its package.
  private static let python: String? = ["/usr/bin/python3", "python3"].first {
    (try? Workbench().run("env", [$0, "-c", "import jsonschema"]).code) == 0
  }

  static let project = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
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

  /// The lines printed by commands with `--json`, and the names of these commands.
  final class Printed {
    var lines: [String] = []
    var commands: Set<String> = []

    /// Runs a command with `--json`. All of its output must be JSON. The error stream may also
    /// contain notices in plain text.
    func run(
      _ bench: Workbench, _ command: String, _ words: String..., code: Int32 = 0,
      input: String = "", sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
      try run(
        bench, command, words: words, code: code, input: input, sourceLocation: sourceLocation)
    }

    /// Runs a command with `--json` and an array of further words, which may contain spaces.
    func run(
      _ bench: Workbench, _ command: String, words: [String], code: Int32 = 0,
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

  @Test(.enabled(if: python != nil, "python3-jsonschema is not installed"))
  func `the JSON of every command conforms to its schema, and every schema is used`() async throws {
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
    try printed.run(bench, "doc statistics", "bridge.md")
    let actions = try bench.run("diple", ["help", "--actions", "--json"])
    #expect(actions.code == 0, "\(actions)")
    printed.lines += actions.lines
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
    try printed.run(bench, "note", id, "Another one")
    try printed.run(bench, "remove", id)
    try printed.run(bench, "undo")
    try printed.run(bench, "highlight tag", id, "three")
    try printed.run(bench, "highlight remove", id, "--dry-run")
    try printed.run(bench, "highlight remove", id, found[1].id)
    try printed.run(bench, "list", "--trashed")
    try printed.run(bench, "highlight restore", id, found[1].id)
    try printed.run(bench, "list", "--filter", "#three -color:pink")
    try printed.run(bench, "list", "--filter", "colr:pink", code: 2)
    try printed.run(bench, "highlight tag", "--filter", "#three", "+four", "--dry-run")
    try printed.run(bench, "highlight remove", "--filter", "#three", "--dry-run")
    try printed.run(bench, "tags rename", "three", "four")
    try printed.run(bench, "tags merge", "four", "three", "--dry-run")
    try printed.run(bench, "tags remove", "four", "--dry-run")
    try printed.run(bench, "tags list")
    try printed.run(bench, "show", "bridge.md")
    try printed.run(bench, "show", "-", input: "# Not in the library\n")
    try printed.run(bench, "show", "--source", "bridge.md")
    try printed.run(bench, "select", "bridge.md", "heading:\"The end\"")
    try printed.run(bench, "outline", "bridge.md")
    try printed.run(bench, "outline", "latin.md", code: 1)
    try printed.run(bench, "pick", "bridge.md")
    try bench.write("linked.md", "See [it](bridge.md), [none](none.md) and <https://a.example>.\n")
    try printed.run(bench, "add", "linked.md")
    try printed.run(bench, "links", "linked.md")
    try printed.run(bench, "links", "bridge.md")
    try printed.run(bench, "links", "--unresolved", code: 3)
    try searches(printed)
    try settings(printed)
    try printed.run(bench, "export")
    try printed.run(bench, "export", "-o", "highlights.json", "--to", "w3c")
    try printed.run(bench, "export", "--everything", "-o", "library.jsonl")
    // This format has one highlight on each line. Its JSON isn't the output of `--json`.
    for words in [["export", "--to", "json"], ["export", "--to", "json", "--links", "bridge.md"]] {
      let exported = try bench.run("diple", words)
      #expect(exported.code == 0)
      printed.lines.append(exported.output.replacing("\n", with: ""))
    }
    try printed.run(bench, "import", "--library", "whole/.diple", "library.jsonl")
    try printed.run(bench, "strategies")
    try printed.run(bench, "status")
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
    try printed.run(bench, "doc unlink", "Another bridge", code: 1)
    try printed.run(bench, "doc restore", "removed.md")
    try sources(printed)
    try formats(printed)
    try places(printed, found)
    try changes(printed)
    try daemon(printed)
    try sync(printed)
    try selections(printed)
    try preparation(printed)
    let all = try bench.commands()
    #expect(
      printed.commands.symmetricDifference(all) == (Self.postgres == nil ? ["sync prepare"] : []))
    try refusals(printed)
    // A page gets all matches in one answer.
    let library = try Library(
      at: LibraryLocation(folder: bench.folder.path + "/library"), plugins: .builtIn,
      opening: .readOnly)
    let matches = try await SearchLibrary(query: "the", in: .all).run(in: ActionSession(library))
    #expect(matches.count > 0)
    printed.lines.append(matches.json)
    let document = try #require(
      try await ListDocuments().run(in: ActionSession(library)).documents.first)
    let words = try await FindText(document: document.document.id, query: "the").run(
      in: ActionSession(library))
    printed.lines.append(words.json)
    let added = try await AddDocuments(paths: [bench.path("moved.md")], dryRun: true).run(
      in: ActionSession(library))
    printed.lines.append(added.json)
    printed.lines.append(try await ListFormatChoices().run(in: ActionSession(library)).json)
    printed.lines.append(
      try await ShowReadingPlace(document: document.document.id).run(in: ActionSession(library))
        .json)

    let findings = try validate(printed.lines)
    #expect(findings.problems.isEmpty, "\(findings.problems.joined(separator: "\n"))")
    let usable = findings.all.filter {
      (PagePicture.canBeMade || !$0.hasPrefix("diple.words"))
        && (Self.postgres != nil || !$0.hasPrefix("diple.sync-prepared"))
    }
    #expect(findings.used == usable && !findings.all.isEmpty)
  }

  @Test(.enabled(if: python != nil, "python3-jsonschema is not installed"))
  func `the validation finds extra and missing fields, and unknown schemas`() throws {
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

  private func formats(_ printed: Printed) throws {
    try bench.write("formats.md", "# Formats\n\nOne **two** three.\n\n```\ncode\n```\n")
    try printed.run(bench, "add", "formats.md")
    for words in [
      ["underline"], ["bold"], ["bold", "--keep-file"], ["font", "EB Garamond"],
      ["tabs", "72,144:right:dots"], ["align", "center"], ["heading", "2"], ["style", "heading-1"],
    ] {
      try printed.run(bench, "format", words: words + ["formats.md", "\"two\""])
    }
    try printed.run(bench, "format", "bold", "formats.md", "\"code\"")
    try printed.run(bench, "format", "size", "14", "formats.md", "\"two\"", "--dry-run")
    try printed.run(bench, "format", "show", "formats.md", "all")
    try printed.run(bench, "format", "show", "formats.md")
    try printed.run(bench, "format", "copy", "formats.md", "\"two\"", "--name", "x")
    try printed.run(bench, "format", "paste", "formats.md", "\"three\"", "--name", "x")
    try printed.run(bench, "format", "clear", "formats.md", "\"three\"")
    try printed.run(bench, "format", "default")
    try printed.run(bench, "format", "default", "set", "size", "12", "--doc", "formats.md")
    try printed.run(bench, "format", "margins", "wide", "formats.md")
    try printed.run(bench, "format", "show", "formats.md")
    try printed.run(bench, "format", "default", "set", "margins", "wide", "--left", "1cm")
    try printed.run(bench, "format", "margins", "none", "formats.md")
    try printed.run(bench, "style set", "Code", "key", "9")
    try printed.run(bench, "style save", "Big", "formats.md", "\"two\"")
    try printed.run(bench, "style set", "Big", "size", "20")
    try printed.run(bench, "style show", "Big")
    try printed.run(bench, "style list")
    try printed.run(bench, "style remove", "Big")
    try printed.run(bench, "doc note", "formats.md", code: 1)
    try printed.run(bench, "doc note", "formats.md", "Read **again**.\n\n# Head")
    try printed.run(bench, "doc note", "formats.md")
    try printed.run(bench, "font list")
    try bench.shell("printf '#!/bin/sh\\necho More. >> \"$1\"\\n' > editor && chmod +x editor")
    try bench.diple("config", "set", "editor", bench.folder.path + "/editor")
    try printed.run(bench, "edit", "formats.md")
  }
}
