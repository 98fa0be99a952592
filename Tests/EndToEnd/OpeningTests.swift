import Foundation
import Testing

private let canTrace =
  (try? Workbench().run("strace", ["-o", "/dev/null", "true"]).code) == 0

/// Counts, with strace, what a command opens.
@Suite(.enabled(if: canTrace, "strace is not installed or not permitted"))
struct OpeningTests {
  let bench: Workbench
  let id: String

  init() throws {
    bench = try Workbench()
    try bench.write("essay.md", "# Essay\n\nThe quick fox jumps over the lazy dog.\n")
    try bench.diple("add", "essay.md")
    try bench.diple("mark", "essay.md", "\"lazy dog\"", "--tag", "animals")
    id = try #require(try bench.highlights().first).id
    try bench.diple("config", "set", "copy.as", "md")
    try bench.diple("config", "set", "--local", "highlight.default_color", "green")
    try FileManager.default.createDirectory(
      atPath: bench.path(".local/share/diple/plugins"), withIntermediateDirectories: true)
  }

  /// How often a run opened the library, each settings file and the plugin folder.
  private struct Opens: Equatable {
    var library: Int
    var ownSettings: Int
    var librarySettings: Int
    var plugins: Int
  }

  private func opens(_ program: String, _ words: [String], input: String = "") throws -> Opens {
    let log = bench.path("trace")
    let path = Workbench.programs.appendingPathComponent(program).path
    let result = try bench.run(
      "strace", ["-f", "-qq", "-o", log, "-e", "trace=openat", path] + words, input: input)
    #expect(result.code == 0, "\(words) \(result.errors)")
    let lines = try bench.read("trace").split(separator: "\n")
    func count(_ ending: String) -> Int { lines.count { $0.contains(ending + "\", O_R") } }
    return Opens(
      library: count("/library/library.sqlite"),
      ownSettings: count("/.config/diple/config.toml"),
      librarySettings: count("/library/config.toml"), plugins: count("/diple/plugins"))
  }

  @Test(arguments: [
    ["mark", "essay.md", "\"quick fox\"", "--note", "why"], ["show", "essay.md"], ["list"],
    ["select", "essay.md", "\"fox\""], ["search", "fox"], ["find", "essay.md", "fox"],
    ["note", "ID", "hello"], ["export", "--to", "json"], ["tags"], ["status"],
  ])
  func `a command opens the library, each settings file and the plugin folder once`(
    _ words: [String]
  ) throws {
    let once = Opens(library: 1, ownSettings: 1, librarySettings: 1, plugins: 1)
    #expect(try opens("diple", words.map { $0 == "ID" ? id : $0 }) == once)
  }

  @Test func `the REPL opens each of these files once while commands read and write`() throws {
    let found = try opens("diple-repl", [], input: "list\nnote \(id) a\nlist\nnote \(id) b\nlist\n")
    #expect(found == Opens(library: 1, ownSettings: 1, librarySettings: 1, plugins: 1))
  }

  @Test func `the REPL applies settings that another program wrote between two commands`()
    throws
  {
    let result = try bench.run(
      "diple-repl", [],
      input: """
        config get copy.as
        mark essay.md "quick"
        config set copy.as html
        config get copy.as
        """)
    #expect(result.output.contains("md") && result.output.hasSuffix("html\n"), "\(result.output)")
  }
}
