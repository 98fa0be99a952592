import DaemonKit
import Foundation
import Testing
import Workspace

/// Tests what the daemon reports about replacements by another process, which anchors the
/// highlights.
@Suite struct DaemonReplaceTests {
  private static let files = ["a.md", "b.md", "c.md"]

  /// Returns the names of the files in the reported changes, one for each report.
  private func told(_ watched: WatchedBench) throws -> [String] {
    try watched.settle().flatMap(\.documents).filter { $0.change == .changed }
      .map { URL(fileURLWithPath: $0.path).lastPathComponent }.sorted()
  }

  /// Returns the state and the anchoring strategy of each highlight.
  private func methods(_ watched: WatchedBench) throws -> Set<String> {
    struct Page: Decodable {
      struct One: Decodable { var quote, state, method: String }
      var data: [One]
    }
    let result = try watched.bench.diple("list", "--json")
    return Set(
      try JSONDecoder().decode(Page.self, from: Data(result.output.utf8)).data.map {
        "\($0.quote): \($0.state) by \($0.method)"
      })
  }

  @Test
  func
    `each file changed by a replacement is reported once, with the anchors already stored`()
    throws
  {
    let watched = try WatchedBench(files: Self.files)
    try watched.start()
    try watched.settle()
    func replace(_ words: String...) throws {
      let result = try watched.bench.run("diple", ["replace"] + words + ["--all", "--yes"])
      #expect(result.code == 0, "\(result)")
    }
    func check(_ files: [String], sourceLocation: SourceLocation = #_sourceLocation) throws {
      #expect(try told(watched) == files, sourceLocation: sourceLocation)
      let here = try watched.state()
      try watched.keepTwin()
      #expect(try here == watched.coldState(), sourceLocation: sourceLocation)
    }
    try replace("notes/a.md", "words", "sentences")
    try check(["a.md"])
    #expect(try methods(watched).contains("marked passage a.md: exact by edit-map"))
    // Replace inside the marked passages of all files, in a single step.
    try replace("--everywhere", "passage", "place")
    try check(Self.files)
    // The highlighted words may have changed. Their position is known without a search.
    #expect(
      try methods(watched)
        == Set(Self.files.map { "marked passage \($0): edited by edit-map" }))
    try watched.bench.diple("undo")
    try check(Self.files)
    try watched.bench.diple("format", "bold", "notes/b.md", "\"last paragraph\"")
    try check(["b.md"])
    // A refresh by another process must not suppress events.
    try watched.bench.write("notes/c.md", "More.\n\n" + watched.bench.read("notes/c.md"))
    try watched.bench.diple("refresh")
    try check(["c.md"])
    // Writing the same text again isn't a change.
    try watched.bench.shell("touch notes/*.md && cp notes/a.md copy && mv copy notes/a.md")
    try check([])
    #expect(try watched.stop().code == 0)
  }
}
