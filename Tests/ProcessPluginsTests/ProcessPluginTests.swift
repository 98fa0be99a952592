import BuiltIn
import Foundation
import Interchange
import LibraryExchange
import Model
import Search
import TestSupport
import Testing
import Workspace

@testable import ProcessPlugins

/// Tests real programs in a temporary folder.
@Suite final class ProcessPluginTests {
  private let folder = NSTemporaryDirectory() + "/diple-plugins-" + UUID().uuidString
  private static let examples = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Plugins/Examples").path

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  private var plugins: PluginFolder { PluginFolder(path: folder) }

  /// Adds a plugin that runs a shell command, or Python.
  private func add(
    _ id: String, _ kind: String, _ script: String, _ program: [String] = ["sh", "-c"],
    offsets: String = "utf16", seconds: Double = 5, megabytes: Int = 512, persistent: Bool = false
  ) throws {
    let source = folder + ".source/" + id
    try FileManager.default.createDirectory(atPath: source, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder + ".source") }
    let manifest: [String: Any] = [
      "diple": 1, "id": id, "kind": kind, "summary": "a test", "run": program + [script],
      "offsets": offsets, "seconds": seconds, "megabytes": megabytes, "output": 1,
      "persistent": persistent,
    ]
    try JSONSerialization.data(withJSONObject: manifest)
      .write(to: URL(filePath: source + "/plugin.json"))
    _ = try plugins.add(source)
  }

  private func all(warn: @escaping @Sendable (String) -> Void = { _ in }) -> PluginSet {
    PluginSet.builtIn.adding(plugins, warn: warn)
  }

  private func search(_ id: String, _ query: String, in text: String) throws
    -> (found: [TextRange], outcome: SearchOutcome)
  {
    var found: [TextRange] = []
    let outcome = try all().search.strategy(id).search(
      try SearchQuery(query), in: Array(text.utf16)
    ) {
      found.append($0.range)
      return true
    }
    return (found, outcome)
  }

  // MARK: - Examples

  @Test func `the Python example finds Roman numerals, also after characters of two code units`()
    throws
  {
    _ = try plugins.add(Self.examples + "/roman-numerals")
    let text = MarkedText("😀 Henry «VIII», «MDXLVII» 😀; not VIIII, not MIXED, «IX»; 𝔘 «C».")
    let result = try search("roman-numerals", "*", in: text.text)
    #expect(result.outcome == .complete && result.found == text.ranges)
    let century = try search("roman-numerals", "1500-1599", in: text.text)
    #expect(century.found == [text.ranges[1]])
    let failed = try search("roman-numerals", "many", in: text.text)
    #expect(
      failed.outcome
        == .failed(
          "the plugin 'roman-numerals' failed: 'many' is neither a number nor a range such as "
            + "1400-1499"))
  }

  @Test func `the shell example writes an Org list`() throws {
    _ = try plugins.add(Self.examples + "/org-list")
    let date = Date(timeIntervalSince1970: 0)
    let records = [
      AnnotationRecord(
        id: "1", quote: "a \"quoted\" \\ word,\nand [{]} more", source: "a b.md", title: "T",
        color: .green, note: "first\nsecond", tags: ["x", "y\"]"], created: date, updated: date),
      AnnotationRecord(
        id: "2", quote: "größer 😀", position: .utf16(TextRange(utf16: 3..<9)), source: "ü.md",
        title: "", color: .yellow, created: date, updated: date),
    ]
    var output = ""
    try all().exporters.strategy("org-list").export(records, to: &output)
    #expect(
      output == """
        - a "quoted" \\ word, and [{]} more ([[file:a b.md]])
          first second
        - größer 😀 ([[file:ü.md]])

        """)
    output = ""
    try all().exporters.strategy("org-list").export([], to: &output)
    #expect(output == "")
  }

  // MARK: - Several requests

  /// A program that answers every request with a match as long as its process has answered before.
  private static let counting = """
    import json, os, sys
    count = 0
    for line in sys.stdin:
        r = json.loads(line)
        count += 1
        if r["query"] == "die" and count == 2: sys.exit(3)
        if r["query"] == "hang" and count == 2: import time; time.sleep(60)
        if r["query"] == "fail" and count == 2: print(json.dumps({"error": "no luck"}), flush=True)
        else:
            print(json.dumps({"start": 0, "end": count}))
            print(json.dumps({"done": True}), flush=True)
        if r["query"] == "once": sys.exit(0)
    """

  private func lengths(_ searcher: any TextSearcher, _ count: Int) -> (
    found: [Int], outcomes: [SearchOutcome]
  ) {
    var found: [Int] = []
    var outcomes: [SearchOutcome] = []
    for _ in 0..<count {
      outcomes.append(
        searcher.search(Array("some text".utf8)) {
          found.append($0.range.count)
          return true
        })
    }
    return (found, outcomes)
  }

  @Test func `a persistent program answers all requests of a search, and one that ends restarts`()
    throws
  {
    try add("x", "search", Self.counting, ["python3", "-c"], persistent: true)
    let strategy = try all().search.strategy("x")
    let one = try strategy.searcher(for: SearchQuery("a"))
    #expect(lengths(one, 4).found == [1, 2, 3, 4])
    let other = try strategy.searcher(for: SearchQuery("a"))
    #expect(lengths(other, 1).found == [1], "each search has its own process")
    let once = lengths(try strategy.searcher(for: SearchQuery("once")), 3)
    #expect(once.found == [1, 1, 1] && once.outcomes == [.complete, .complete, .complete])
    // A program that isn't declared persistent is started for each request.
    try add("y", "search", Self.counting, ["python3", "-c"])
    #expect(
      lengths(try all().search.strategy("y").searcher(for: SearchQuery("a")), 2).found == [1, 1])
  }

  @Test func `a persistent program that fails is reported, and started again for the next text`()
    throws
  {
    try add("x", "search", Self.counting, ["python3", "-c"], seconds: 5, persistent: true)
    let strategy = try all().search.strategy("x")
    // The second request of a process makes it end, and the first request of the next succeeds.
    let died = lengths(try strategy.searcher(for: SearchQuery("die")), 3)
    #expect(died.found == [1, 1, 1])
    let failed = lengths(try strategy.searcher(for: SearchQuery("fail")), 3)
    #expect(failed.found == [1, 3])
    #expect(failed.outcomes[1] == .failed("the plugin 'x' failed: no luck"))
    let late = lengths(try strategy.searcher(for: SearchQuery("hang")), 3)
    #expect(late.outcomes[1] == .failed("the plugin 'x' failed: timed out after 5 s"))
    #expect(late.found == [1, 1])
  }

  @Test func `many texts are searched by one process at the same time as by threads`() async throws
  {
    try add("x", "search", Self.counting, ["python3", "-c"], persistent: true)
    let searcher = try all().search.strategy("x").searcher(for: SearchQuery("a"))
    let found = await withTaskGroup(of: Int.self) { group in
      for _ in 0..<8 {
        group.addTask {
          var length = 0
          _ = searcher.search(Array("some text".utf8)) {
            length = $0.range.count
            return true
          }
          return length
        }
      }
      return await group.reduce(into: []) { $0.append($1) }.sorted()
    }
    #expect(found == Array(1...8))
  }

  @Test func `matches that divide a character are skipped`() throws {
    try add(
      "x", "search", python("[{'start': 0, 'end': 1}, {'start': 3, 'end': 4}]"), ["python3", "-c"])
    let result = try search("x", "a", in: "e\u{301} a")
    #expect(result.outcome == .complete && result.found == [TextRange(utf16: 3..<4)])
  }

  // MARK: - Kinds

  /// Returns a program that answers a request with the lines of a Python expression.
  private func python(_ lines: String) -> String {
    "import json, sys; r = json.loads(sys.stdin.readline()); "
      + "[print(json.dumps(l)) for l in \(lines) + [{'done': True}]]"
  }

  @Test(arguments: ["utf16", "codepoints", "bytes"])
  func `offsets are counted in the unit of the plugin`(unit: String) throws {
    let encode = ["utf16": "utf-16-le", "codepoints": "utf-32-le", "bytes": "utf-8"][unit]!
    let width = ["utf16": 2, "codepoints": 4, "bytes": 1][unit]!
    let script =
      "import json, re, sys; r = json.loads(sys.stdin.readline()); t = r['text']; "
      + "n = lambda i: len(t[:i].encode('\(encode)')) // \(width); "
      + "[print(json.dumps({'start': n(m.start()), 'end': n(m.end())})) "
      + "for m in re.finditer(r['query'], t)]; print('{\"done\": true}')"
    try add("x", "search", script, ["python3", "-c"], offsets: unit)
    let text = MarkedText("«é» 😀 «é»\u{FFFD}ß日«é»😀«é»")
    #expect(try search("x", "é", in: text.text).found == text.ranges)
  }

  @Test func `plugins create highlights, anchors and imported records`() async throws {
    try add(
      "first", "highlight", python("[{'start': r['start'], 'end': r['start'] + 1}]"),
      ["python3", "-c"])
    try add(
      "at-end", "anchor",
      python("[{'start': len(r['text']) - 3, 'end': len(r['text']), 'score': 1}]"),
      ["python3", "-c"])
    try add(
      "lines", "import",
      python("[{'record': {'quote': q, 'color': 'pink'}} for q in r['data'].split()]"),
      ["python3", "-c"])
    let home = folder + "-library"
    defer { try? FileManager.default.removeItem(atPath: home) }
    try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: true)
    let file = home + "/a.md"
    try Data("one two\n".utf8).write(to: URL(filePath: file))
    let library = try Library(
      at: LibraryLocation(folder: home + "/.diple"), plugins: all(), opening: .create)
    _ = try await library.add([file])
    let document = try await library.document("a.md")
    let report = try await library.importHighlights(
      Array("two".utf8), from: "lines", into: document)
    #expect(report.made.map(\.highlight.color) == [.pink])
    // The words were deleted, and no other strategy proposes an anchor.
    try Data("quite other words: end\n".utf8).write(to: URL(filePath: file))
    let outcome = try #require(try await library.refresh([document]).first?.outcomes.first)
    #expect(outcome.after.method == "at-end")
    #expect(outcome.after.range == TextRange(utf16: 19..<22))
  }

  // MARK: - Failures

  @Test(arguments: [
    ("kill -SEGV $$", "signal 11"), ("exit 3", "code 3"), ("echo no >&2; exit 1", "code 1: no"),
    ("echo '{\"done\":true}'; exit 1", "code 1"), ("true", "before \"done\""),
    ("echo nonsense", "line 1 of its answer"), ("echo '{\"start\":\"1\"}'", "line 1"),
    ("echo '{\"start\":0,\"end\":99}'; echo '{\"done\":true}'", "not a place in the text"),
    ("echo '{\"start\":2,\"end\":2}'; echo '{\"done\":true}'", "not a place in the text"),
    ("echo '{\"start\":-1,\"end\":2}'; echo '{\"done\":true}'", "not a place in the text"),
    ("echo '{\"done\":true}'; echo '{\"done\":true}'", "output after"),
    ("echo '{\"error\":\"too tired\"}'", "too tired"), ("yes", "more than 1 MiB"),
    (
      "for n in 2 1; do echo \"{\\\"start\\\":$n,\\\"end\\\":3}\"; done; echo '{\"done\":true}'",
      "overlap"
    ),
  ])
  func `each failure of a search program is an error`(_ script: String, _ reason: String) throws {
    try add("bad", "search", script)
    guard case .failed(let message) = try search("bad", "x", in: "some text").outcome else {
      Issue.record("\(script) causes no error")
      return
    }
    #expect(message.hasPrefix("the plugin 'bad' failed: ") && message.contains(reason))
  }

  @Test(arguments: ["sleep 60", "trap '' TERM; while :; do :; done", "sleep 60 & sleep 60 &"])
  func `a program that hangs is killed with its child processes`(_ script: String) throws {
    let mark = "\(UInt32.random(in: 1_000_000...9_999_999))"
    // A busy machine may take long to start a program that ends.
    let seconds = script.hasSuffix("&") ? 10 : 0.3
    try add("slow", "search", "export MARK=\(mark); \(script)", seconds: seconds)
    let start = ContinuousClock.now
    let outcome = try search("slow", "x", in: "text").outcome
    // A program that only leaves hanging child processes has not timed out, because it has ended.
    let reason =
      script.hasSuffix("&")
      ? "it ended before \"done\"" : "timed out after 0.3 s"
    #expect(outcome == .failed("the plugin 'slow' failed: \(reason)"))
    #expect(ContinuousClock.now - start < .seconds(40))
    // A killed process may take a moment to disappear.
    try eventually("no process that the program started runs", every: 0.02) {
      try FileManager.default.contentsOfDirectory(atPath: "/proc").filter { process in
        guard Int(process) != nil,
          let environment = FileManager.default.contents(atPath: "/proc/\(process)/environ")
        else { return false }
        return String(decoding: environment, as: UTF8.self).contains("MARK=\(mark)")
      }
    } until: {
      $0.isEmpty
    }
  }

  @Test func `the memory of a program is limited`() throws {
    try add(
      "hungry", "search", "x = bytearray(1 << 30); print('{\"done\": true}')", ["python3", "-c"],
      megabytes: 200)
    guard case .failed(let message) = try search("hungry", "x", in: "text").outcome else {
      Issue.record("the program could allocate 1 GiB")
      return
    }
    #expect(message.contains("MemoryError"))
  }

  @Test func `a large text and many matches are transferred`() throws {
    let script =
      "import json, re, sys; t = json.loads(sys.stdin.readline())['text']; "
      + "[print('{\"start\":%d,\"end\":%d}' % m.span()) for m in re.finditer('x', t)]; "
      + "print('{\"done\": true}')"
    try add("many", "search", script, ["python3", "-c"])
    let text = String(repeating: "a large word, xx; ", count: 10_000)
    let result = try search("many", "x", in: text)
    #expect(result.outcome == .complete && result.found.count == 20_000)
  }

  // MARK: - Manifests

  @Test(arguments: [
    (#"{"diple": 2}"#, "version 2"), ("[]", "plugin.json cannot be read"), ("{", "not JSON"),
    (#"{"id": "Upper"}"#, "invalid id"),
    (#"{"id": "../x"}"#, "invalid id"), (#"{"run": []}"#, "a program to run"),
    (#"{"run": ["./missing"]}"#, "cannot be run"), (#"{"kind": "cards"}"#, "'kind'"),
    (#"{"seconds": 0}"#, "limits"), (#"{"megabytes": 99999}"#, "limits"),
  ])
  func `an invalid manifest is rejected, and its plugin listed as unusable`(
    _ change: String, _ reason: String
  )
    throws
  {
    var json = change
    if change.hasPrefix("{\"") {
      var manifest: [String: Any] = [
        "diple": 1, "id": "x", "kind": "search", "summary": "s", "run": ["true"],
      ]
      let changes = try JSONSerialization.jsonObject(with: Data(change.utf8)) as? [String: Any]
      manifest.merge(try #require(changes)) { $1 }
      json = String(
        decoding: try JSONSerialization.data(withJSONObject: manifest), as: UTF8.self)
    }
    let source = folder + "/x"
    try FileManager.default.createDirectory(atPath: source, withIntermediateDirectories: true)
    try Data(json.utf8).write(to: URL(filePath: source + "/plugin.json"))
    do {
      _ = try PluginFolder.program(in: source)
      Issue.record("a manifest with \(change) is accepted")
    } catch { #expect(error.description.contains(reason), "\(error)") }
    guard case .failure? = plugins.entries.first?.program else {
      Issue.record("the plugin is not listed as unusable")
      return
    }
    #expect(all().search.entries.map(\.id) == PluginSet.builtIn.search.entries.map(\.id))
  }

  @Test func `a plugin cannot replace a built-in strategy`() throws {
    try add("literal", "search", "exit 9")
    #expect(try search("literal", "word", in: "a word").found == [TextRange(utf16: 2..<6)])
  }

  /// A Python interpreter with the `jsonschema` library.
  static let python: String? = ["/usr/bin/python3", "python3"].first {
    (try? run($0, "import jsonschema")) == 0
  }

  static func run(_ python: String, _ script: String, _ words: String...) throws -> Int32 {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [python, "-c", script] + words
    process.standardError = FileHandle.nullDevice
    try process.run()
    return try process.end()
  }

  @Test(.enabled(if: python != nil, "python3-jsonschema is not installed"))
  func `manifests and requests conform to the schemas`() throws {
    let python = try #require(Self.python)
    let schemas = Self.examples + "/../../Documentation"
    let script =
      "import json, sys, jsonschema; s = json.load(open(sys.argv[1])); "
      + "jsonschema.Draft202012Validator(s).validate(json.load(open(sys.argv[2])))"
    for name in ["roman-numerals", "org-list"] {
      #expect(
        try Self.run(
          python, script, schemas + "/plugin-manifest.schema.json",
          Self.examples + "/\(name)/plugin.json") == 0)
    }
    // The plugin stores its request, which is validated afterwards.
    for kind in ["search", "export"] {
      let requestPath = folder + "-\(kind).json"
      defer { try? FileManager.default.removeItem(atPath: requestPath) }
      try add("keep-\(kind)", kind, "cat > '\(requestPath)'; echo '{\"done\":true}'")
      if kind == "search" {
        _ = try search("keep-search", "x", in: "text")
      } else {
        var output = ""
        let record = AnnotationRecord(
          id: "1", quote: "q", source: "a.md", title: "T", color: .blue, created: .now,
          updated: .now)
        try all().exporters.strategy("keep-export").export([record], to: &output)
      }
      #expect(
        try Self.run(python, script, schemas + "/plugin-protocol.schema.json", requestPath) == 0)
    }
    #expect(
      try Self.run(python, script, schemas + "/plugin-protocol.schema.json", "/dev/null") != 0)
  }
}
