import Anchoring
import BuiltIn
import Editing
import Foundation
import Interchange
import MarkdownParse
import Model
import Search
import Synchronization
import Testing
import Workspace

@testable import ProcessPlugins

/// Tests every kind of plugin: its answers conform to the schema, and each failure of its program
/// is one error with the plugin's name.
@Suite final class ConformanceTests {
  private let folder = NSTemporaryDirectory() + "/diple-conformance-" + UUID().uuidString

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  private static let kinds = PluginManifest.Kind.allCases

  /// Adds a plugin that stores its request in its folder and then runs a shell command.
  private func program(_ kind: PluginManifest.Kind, _ script: String, seconds: Double = 5) throws
    -> PluginSet
  {
    let source = folder + ".source"
    try FileManager.default.createDirectory(atPath: source, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: source) }
    let manifest: [String: Any] = [
      "diple": 1, "id": "x", "kind": kind.rawValue, "summary": "a test",
      "run": ["sh", "-c", "cat > request; \(script)"], "seconds": seconds, "megabytes": 100,
      "output": 1,
    ]
    try JSONSerialization.data(withJSONObject: manifest)
      .write(to: URL(filePath: source + "/plugin.json"))
    let plugins = PluginFolder(path: folder)
    _ = try plugins.add(source)
    return PluginSet.builtIn.adding(plugins) { [failures] line in
      failures.lines.withLock { $0.append(line) }
    }
  }

  /// Collects the error messages of anchor strategies.
  private final class Failures: Sendable {
    let lines = Mutex<[String]>([])
  }
  private let failures = Failures()

  private let quote = AnnotationRecord(
    id: "1", quote: "brown fox", prefix: "the ", suffix: " ran",
    position: .utf16(TextRange(utf16: 4..<13)),
    source: "a.md", title: "T", color: .blue, note: "n", tags: ["t"], created: .now, updated: .now)

  /// Sends the plugin the request of its kind.
  ///
  /// - Returns: A description of the result, or the error message.
  private func ask(_ kind: PluginManifest.Kind, _ plugins: PluginSet) throws -> (
    result: String?, failure: String?
  ) {
    let text = "the brown fox ran 😀"
    switch kind {
    case .search:
      var sink = Sink()
      SearchRun.run(
        try plugins.search.strategy("x"), try SearchQuery("fox"),
        in: WholeText(utf8: Array(text.utf8)), into: &sink)
      #expect(sink.outcomes.count == 1, "the end is reported once")
      if case .failed(let line)? = sink.outcomes.first { return (nil, line) }
      return ("\(sink.ranges)", nil)
    case .highlight:
      let document = ParsedDocument(parsing: MarkdownSource(text))
      do {
        return (
          "\(try plugins.highlighting.strategy("x").ranges(from: TextRange(utf16: 0..<3), in: document))",
          nil
        )
      } catch let error as StrategyError { return (nil, error.description) }
    case .anchor:
      let subject = AnchorSubject(
        selector: Selector(
          exact: "brown fox", prefix: "", suffix: "", position: TextRange(utf16: 0..<9),
          textDigest: nil, renderVersion: 1))
      let strategy = try plugins.anchoring.strategy("x")
      let anchors = Anchorer(strategies: [strategy])
        .reanchor([subject], from: nil, to: AnchorText(utf16: Array(text.utf16)))
      let line = failures.lines.withLock { $0.isEmpty ? nil : $0.removeFirst() }
      return (line == nil ? "\(anchors.compactMap(\.range))" : nil, line)
    case .import:
      do {
        let records = try plugins.importers.strategy("x").records(from: Array(text.utf8))
        return ("\(records.map(\.quote))", nil)
      } catch let error as ImportError {
        #expect(error.isFailure)
        return (nil, error.description)
      }
    case .export:
      var output = ""
      do {
        try plugins.exporters.strategy("x").export([quote], to: &output)
        return (output, nil)
      } catch let error as StrategyError {
        #expect(output.isEmpty, "a failed export writes nothing")
        return (nil, error.description)
      }
    case .card:
      do {
        let card = try plugins.cards.strategy("x").card(of: quote)
        return ("\(card.mediaType) \(card.bytes)", nil)
      } catch let error as StrategyError { return (nil, error.description) }
    }
  }

  private struct Sink: SearchAggregator {
    var ranges: [TextRange] = []
    var outcomes: [SearchOutcome] = []
    mutating func found(_ match: Match) -> Bool {
      ranges.append(match.range)
      return true
    }
    mutating func finished(_ outcome: SearchOutcome) { outcomes.append(outcome) }
  }

  /// A valid answer of each kind, and the description of its result.
  private static let answers: [PluginManifest.Kind: (lines: [String], result: String)] = [
    .search: ([#"{"start":10,"end":13}"#], "[\(TextRange(utf16: 10..<13))]"),
    .highlight: ([#"{"start":4,"end":9}"#], "[\(TextRange(utf16: 4..<9))]"),
    .anchor: ([#"{"start":4,"end":13,"score":1}"#], "[\(TextRange(utf16: 4..<13))]"),
    .import: ([#"{"record":{"quote":"fox"}}"#], #"["fox"]"#),
    .export: ([#"{"text":"one "}"#, #"{"text":"two"}"#], "one two"),
    .card: (
      [#"{"media":"image/png"}"#, #"{"base64":"AQI="}"#, #"{"text":"A"}"#], "image/png [1, 2, 65]"
    ),
  ]

  private static func echo(_ lines: [String]) -> String {
    lines.map { "echo '\($0)'" }.joined(separator: "; ")
  }

  @Test(arguments: kinds)
  func `a valid answer is accepted, and the request is one line`(kind: PluginManifest.Kind)
    throws
  {
    let (lines, expected) = try #require(Self.answers[kind])
    let plugins = try program(kind, Self.echo(lines + [#"{"done":true}"#]))
    let (result, failure) = try ask(kind, plugins)
    #expect(result == expected && failure == nil, "\(failure ?? "")")
    let request = try Data(contentsOf: URL(filePath: folder + "/x/request"))
    let object = try JSONSerialization.jsonObject(with: request) as? [String: Any]
    #expect(object?["diple"] as? Int == 1 && object?["request"] as? String == kind.rawValue)
    // The request is one line, whatever its content.
    #expect(request.count { $0 == 10 } == 1 && request.last == 10)
  }

  @Test(
    .enabled(if: ProcessPluginTests.python != nil, "python3-jsonschema is not installed"),
    arguments: kinds)
  func `requests and answers conform to the schema`(kind: PluginManifest.Kind) throws {
    let (lines, _) = try #require(Self.answers[kind])
    let plugins = try program(kind, Self.echo(lines + [#"{"done":true}"#]))
    _ = try ask(kind, plugins)
    let python = try #require(ProcessPluginTests.python)
    let schema = #filePath.replacing(
      "Tests/ProcessPluginsTests/ConformanceTests.swift",
      with: "Documentation/plugin-protocol.schema.json")
    let script =
      "import json, sys, jsonschema; s = json.load(open(sys.argv[1])); "
      + "[jsonschema.Draft202012Validator({**s, 'anyOf': [{'$ref': '#/$defs/' + sys.argv[2]}]})"
      + ".validate(json.loads(l)) for l in open(sys.argv[3])]"
    let answerPath = folder + "-lines"
    defer { try? FileManager.default.removeItem(atPath: answerPath) }
    try Data((lines + [#"{"done":true}"#]).joined(separator: "\n").utf8).write(
      to: URL(filePath: answerPath))
    #expect(
      try ProcessPluginTests.run(python, script, schema, "request", folder + "/x/request") == 0)
    #expect(try ProcessPluginTests.run(python, script, schema, "answer", answerPath) == 0)
  }

  @Test(
    arguments: kinds,
    [
      ("kill -SEGV $$", "signal 11"), ("exit 3", "code 3"), ("echo no >&2; exit 1", "code 1: no"),
      ("true", "before \"done\""), ("echo nonsense", "line 1 of its answer"),
      ("echo '{}'; echo '{\"done\":true}'", "line 1 of its answer"),
      ("RIGHT", "before \"done\""), ("RIGHT; kill -9 $$", "signal 9"),
      ("echo '{\"error\":\"too tired\"}'", "too tired"), ("yes", "more than 1 MiB"),
      ("echo '{\"done\":true}'; echo '{\"done\":true}'", "output after"),
      ("sleep 60", "timed out after 0.3 s"), ("RIGHT; sleep 60 & wait", "after 0.3 s"),
      ("awk 'BEGIN { x = \"x\"; while (1) x = x x }'", "code 2"),
    ])
  func `each failure of a program is one error`(
    kind: PluginManifest.Kind, _ script: (run: String, reason: String)
  ) throws {
    let right = Self.echo(try #require(Self.answers[kind]).lines)
    // Only a program that hangs has a short time limit, because a busy machine may be slow.
    let plugins = try program(
      kind, script.run.replacing("RIGHT", with: right),
      seconds: script.run.contains("sleep") ? 0.3 : 5)
    let start = ContinuousClock.now
    let (result, failure) = try ask(kind, plugins)
    #expect(result == nil, "\(kind) returns a result of \(script.run)")
    #expect(failure?.hasPrefix("the plugin 'x' failed: ") == true)
    #expect(failure?.contains(script.reason) == true, "\(kind): \(failure ?? "no failure")")
    #expect(ContinuousClock.now - start < .seconds(40))
  }

  @Test(arguments: [
    (#"{"text":"A"}"#, "media type"), (#"{"media":"png"}"#, "media type"),
    (#"{"media":"a/b/c"}"#, "media type"), (#"{"media":"image/png"}"#, "empty"),
    ("{\"media\":\"a/b\"}\n{\"base64\":\"?\"}", "line 2"),
    ("{\"media\":\"a/b\"}\n{\"start\":1,\"end\":2}", "line 2"),
  ])
  func `a card without a media type or content is rejected`(_ lines: String, _ reason: String)
    throws
  {
    let all = lines.split(separator: "\n").map(String.init) + [#"{"done":true}"#]
    let failure = try ask(.card, try program(.card, Self.echo(all))).failure
    #expect(failure?.contains(reason) == true, "\(failure ?? "no failure")")
  }
}
