import Foundation
import Model
import SystemSupport
import Testing

@testable import Watching

/// Tests which changes of real files a watcher reports.
@Suite final class FileWatcherTests {
  let folder = NSTemporaryDirectory() + "diple-watch-" + UUID().uuidString
  let watcher: FileWatcher

  init() throws {
    try FileManager.default.createDirectory(
      atPath: folder + "/sub/deep", withIntermediateDirectories: true)
    watcher = try FileWatcher()
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  private func write(_ name: String, _ text: String = "text") throws {
    let url = URL(fileURLWithPath: folder + "/" + name)
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    #expect(FileManager.default.createFile(atPath: url.path, contents: Data(text.utf8)))
  }

  private func move(_ from: String, _ to: String) {
    #expect(rename(folder + "/" + from, folder + "/" + to) == 0)
  }

  private func begin(_ documents: [String] = [], library: String = "/.diple") {
    watcher.follow(
      WatchPlan(
        documents: documents.map { folder + "/" + $0 },
        ownFolder: folder + library, root: library.hasSuffix("/.diple") ? folder : nil, home: nil),
      reporting: false)
    walk()
    _ = watcher.take()
  }

  private func walk() { while watcher.isWalking { watcher.walk(limit: 2) } }

  /// Returns all changes, with paths relative to the folder.
  private func changes() -> FileChanges {
    repeat {
      watcher.readEvents()
      walk()
    } while watcher.readEvents()
    var changes = watcher.take()
    let short = { (path: String) in String(path.dropFirst(self.folder.count + 1)) }
    changes.files = Set(changes.files.map(short))
    changes.arrivals = Set(changes.arrivals.map(short))
    changes.folders = Set(changes.folders.map(short))
    changes.renames = changes.renames.map { .init(from: short($0.from), to: short($0.to)) }
    return changes
  }

  @Test func `written, new, renamed and removed files are reported`() throws {
    try write("a.md")
    try write("sub/b.md")
    begin()
    #expect(watcher.folderCount >= 3)
    try write("a.md", "other")
    #expect(changes().files == ["a.md"])
    try write("sub/deep/new.md")
    var seen = changes()
    #expect(seen.files == ["sub/deep/new.md"] && seen.arrivals == ["sub/deep/new.md"])
    move("a.md", "sub/c.md")
    seen = changes()
    #expect(seen.renames == [.init(from: "a.md", to: "sub/c.md")] && seen.arrivals == ["sub/c.md"])
    #expect(unlink(folder + "/sub/b.md") == 0)
    #expect(changes().files == ["sub/b.md"])
  }

  @Test func `files that cannot be documents are not reported`() throws {
    try write("notes.txt")
    begin(["notes.txt"])
    for name in ["a.txt", ".a.md.swp", "4913", ".git/a.md", ".hidden.md", "x.md~"] {
      try write(name)
    }
    // A process of another test may hold the file open for a moment, so the first write may be
    // reported only now.
    let seen = changes()
    #expect(seen.files.isSubset(of: ["notes.txt"]) && seen.arrivals.isEmpty && seen.rescan == nil)
    try write("notes.txt", "a document by a person's will")
    #expect(changes().files == ["notes.txt"])
  }

  @Test func `all files below a new folder are found, however soon it is filled`() throws {
    begin()
    for index in 0..<40 { try write("new/\(index)/x/y/\(index).md") }
    let seen = changes()
    #expect(seen.arrivals == Set((0..<40).map { "new/\($0)/x/y/\($0).md" }))
    try write("new/7/x/y/7.md", "again")
    #expect(changes().files == ["new/7/x/y/7.md"])
  }

  @Test func `a folder that gets a hidden name is reported`() throws {
    try write("sub/deep/a.md")
    begin(["sub/deep/a.md"])
    move("sub", ".sub")
    let seen = changes()
    #expect(seen.folders.contains("sub"))
    #expect(seen.renames == [.init(from: "sub", to: ".sub")])
  }

  @Test func `paths below a folder that is renamed twice are correct`() throws {
    try write("sub/deep/a.md")
    begin()
    move("sub", "other")
    move("other/deep", "other/shallow")
    let seen = changes()
    #expect(
      seen.renames.map(\.from) == ["sub", "other/deep"]
        && seen.renames.reduce("sub/deep/a.md") { $1.applied(to: $0) } == "other/shallow/a.md")
    try write("other/shallow/a.md", "new text")
    #expect(changes().files == ["other/shallow/a.md"])
  }

  @Test func `a folder that is moved away is not watched until it returns`()
    throws
  {
    try write("in/sub/a.md")
    try write("out/keep.txt")
    watcher.follow(
      WatchPlan(
        documents: [folder + "/in/sub/a.md"],
        ownFolder: folder + "/in/.diple", root: folder + "/in", home: nil), reporting: false)
    walk()
    _ = watcher.take()
    let before = watcher.folderCount
    move("in/sub", "out/sub")
    #expect(changes().folders.contains("in/sub"))
    _ = watcher.readEvents()
    #expect(watcher.folderCount == before - 1)
    move("out/sub", "in/sub")
    #expect(changes().arrivals == ["in/sub/a.md"])
    try write("in/sub/a.md", "new")
    #expect(changes().files == ["in/sub/a.md"])
  }

  @Test func `the whole watched folder can be moved away and back`() throws {
    try write("in/a.md")
    watcher.follow(
      WatchPlan(
        documents: [folder + "/in/a.md"], ownFolder: folder + "/lib", root: nil, home: nil),
      reporting: false)
    walk()
    _ = watcher.take()
    move("in", "elsewhere")
    #expect(changes().folders.contains("in"))
    move("elsewhere", "in")
    #expect(changes().folders.contains("in"))
    try write("in/a.md", "new")
    #expect(changes().files == ["in/a.md"])
  }

  @Test func `ignored folders are not watched until the ignore list changes`() throws {
    try write(".gitignore", "skipped/\n*.tmp.md\n")
    try write("skipped/a.md")
    begin()
    try write("skipped/a.md", "new")
    try write("x.tmp.md")
    var seen = changes()
    #expect(seen.files == ["x.tmp.md"] && seen.arrivals.isEmpty)
    try write(".gitignore", "")
    seen = changes()
    try write("skipped/b.md")
    seen = changes()
    #expect(seen.arrivals == ["skipped/b.md"])
  }

  @Test func `a document in an ignored or hidden folder is watched`() throws {
    try write(".gitignore", "skipped/\n")
    try write("skipped/a.md")
    try write(".hidden/b.md")
    begin(["skipped/a.md", ".hidden/b.md"])
    try write("skipped/a.md", "new")
    try write(".hidden/b.md", "new")
    #expect(changes().files == ["skipped/a.md", ".hidden/b.md"])
  }

  @Test func `circular links are not followed, and changes of a link's target are reported`() throws
  {
    try write("sub/target/real.md")
    symlink(folder, folder + "/sub/circle")
    symlink("circle2", folder + "/sub/circle2")
    symlink(folder + "/sub/target/real.md", folder + "/link.md")
    begin(["link.md"])
    #expect(watcher.folderCount < 10 && watcher.problems.isEmpty)
    try write("sub/target/real.md", "new")
    #expect(changes().files.isSuperset(of: ["link.md", "sub/target/real.md"]))
  }

  /// The maximum number of events that the kernel queues for a watcher.
  private static let queueLength =
    (try? String(contentsOfSmallFile: "/proc/sys/fs/inotify/max_queued_events")).flatMap { Int($0) }

  @Test(
    .enabled(
      if: (1...40_000).contains(queueLength ?? 0), "the queue of events is too long to fill here"))
  func `an overflow of the queue is reported, and all files are checked again`() throws {
    begin()
    let limit = try #require(Self.queueLength)
    try write("a.md")
    // The kernel joins equal consecutive events, so two files alternate.
    let files = ["x.md", "y.md"].map { open(folder + "/" + $0, O_CREAT | O_WRONLY, 0o600) }
    for file in files { close(file) }
    for index in 0..<(limit + 100) {
      close(open(folder + "/" + (index % 2 == 0 ? "x.md" : "y.md"), O_WRONLY))
    }
    try write("unseen/b.md")
    let seen = changes()
    #expect(seen.rescan == .overflow && watcher.overflows == 1)
    #expect(watcher.problems.contains { $0.description.contains("fs.inotify.max_queued_events") })
    try write("unseen/b.md", "new")
    #expect(changes().files == ["unseen/b.md"])
  }
}
