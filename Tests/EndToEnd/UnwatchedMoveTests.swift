import Foundation
import Testing
import Workspace

/// Tests a library without a folder. A move to another folder must be found by a daemon, and also
/// by a process that checks all files without having watched them.
@Suite struct UnwatchedMoveTests {
  /// Creates two folders with documents in a home folder. In the home folder itself, only files
  /// count.
  private func bench() throws -> WatchedBench {
    let watched = try WatchedBench(files: ["a.md", "sub/b.md"])
    try watched.bench.shell("mkdir -p other/deep")
    try watched.bench.write("other/c.md", WatchedBench.text("c.md"))
    try watched.bench.write("home.md", WatchedBench.text("home.md"))
    try watched.bench.diple("add", "other/c.md", "home.md")
    return watched
  }

  @Test(arguments: [
    ("cp notes/a.md other/deep/x.md && rm notes/a.md", "other/deep/x.md"),
    ("mv notes/a.md other/ && sed -i '1i A line before.\\n' other/a.md", "other/a.md"),
    ("mkdir other/new && mv notes/a.md other/new/ && echo more >> other/new/a.md", "new/a.md"),
    ("mv notes/sub other/deep/", "other/deep/sub/b.md"),
    ("mv notes/a.md .", "a.md"),
    ("mv other/c.md notes/sub/ && rm -r other", "notes/sub/c.md"),
    ("mv notes/a.md notes/sub/b.md other/", "other/b.md"),
  ])
  func `a document in another watched folder is found with and without a daemon`(
    script: String, path: String
  ) throws {
    let watched = try bench()
    try watched.start()
    try watched.settle()
    try watched.keepTwin()
    try watched.bench.shell(script)
    try watched.settle()
    let (state, cold) = (try watched.state(), try watched.coldState())
    #expect(state == cold)
    let found = cold.documents.filter { $0.contains("|\(watched.bench.path(""))") }
    #expect(found.count == 4 && found.contains { $0.contains("\(path)|1|") }, "\(found)")
    #expect(cold.exact == 2, "\(cold)")
  }

  @Test func `an older copy in another folder is not taken for the moved file`() throws {
    let watched = try bench()
    let bench = watched.bench
    try bench.shell("cp notes/a.md other/copy.md")
    // Pretend that the document was checked some time after the copy.
    try bench.shell(
      "sqlite3 library/library.sqlite 'UPDATE document SET checked = checked + 60000000000'")
    try watched.start()
    try watched.settle()
    try watched.keepTwin()
    try bench.shell("rm notes/a.md")
    try watched.settle()
    let cold = try watched.coldState()
    #expect(try watched.state() == cold)
    #expect(cold.documents.contains { $0.contains("notes/a.md|0|") }, "\(cold)")
  }
}
