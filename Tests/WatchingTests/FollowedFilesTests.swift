import Foundation
import SystemSupport
import Testing

@testable import Watching

/// Tests that changes of followed files are found, however they are made.
@Suite final class FollowedFilesTests {
  private let folder = NSTemporaryDirectory() + "diple-follow-" + UUID().uuidString

  init() throws {
    try FileManager.default.createDirectory(
      atPath: folder + "/other", withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  private func path(_ name: String) -> String { "\(folder)/\(name)" }

  private func write(_ name: String, _ text: String) throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: path(name)))
  }

  /// Whether the kernel has reported something.
  private func isReadable(_ descriptor: Int32) -> Bool {
    var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&waiting, 1, 0) > 0
  }

  @Test func `a file that is written, replaced, deleted or restored has changed`() throws {
    try write("a.md", "one")
    let files = FollowedFiles()
    files.follow([path("a.md"), path("missing.md")])
    #expect(files.isReliable)
    #expect(files.take().isEmpty)
    let steps: [(String, () throws -> Void)] = [
      ("write", { try self.write("a.md", "two") }),
      (
        "replace",
        {
          try self.write("b.md", "three")
          rename(self.path("b.md"), self.path("a.md"))
        }
      ),
      ("delete", { unlink(self.path("a.md")) }),
      ("return", { try self.write("a.md", "four") }),
    ]
    for (name, step) in steps {
      try step()
      #expect(isReadable(files.descriptor), "\(name)")
      #expect(files.take() == [path("a.md")], "\(name)")
      #expect(files.take().isEmpty, "\(name)")
    }
    try write("missing.md", "here")
    #expect(files.take() == [path("missing.md")])
    try write("unrelated.md", "x")
    #expect(files.take().isEmpty)
  }

  @Test func `two writes within a tick of the clock are both reported`() throws {
    try write("a.md", "one")
    let files = FollowedFiles()
    files.follow([path("a.md")])
    for text in ["two", "six", "ten", "one"] {
      try Data(text.utf8).write(to: URL(fileURLWithPath: path("a.md")), options: [])
      #expect(files.take() == [path("a.md")], "\(text)")
    }
  }

  @Test func `a symbolic link and its target are followed`() throws {
    try write("other/real.md", "one")
    symlink(path("other/real.md"), path("link.md"))
    let files = FollowedFiles()
    files.follow([path("link.md")])
    try write("other/real.md", "two")
    #expect(isReadable(files.descriptor))
    #expect(files.take() == [path("link.md")])
    unlink(path("link.md"))
    #expect(isReadable(files.descriptor))
    #expect(files.take() == [path("link.md")])
  }

  @Test func `a folder that was replaced is watched again`() throws {
    try write("other/a.md", "one")
    let files = FollowedFiles()
    files.follow([path("other/a.md")])
    rename(path("other"), path("old"))
    #expect(files.take() == [path("other/a.md")])
    try FileManager.default.createDirectory(
      atPath: path("other"), withIntermediateDirectories: false)
    try write("other/a.md", "two")
    // The kernel reports nothing, but the state of the file differs.
    #expect(files.take() == [path("other/a.md")])
  }

  @Test func `a file is not reported after it is removed from the list`() throws {
    try write("a.md", "one")
    try write("other/b.md", "one")
    let files = FollowedFiles()
    files.follow([path("a.md"), path("other/b.md")])
    files.follow([path("a.md")])
    #expect(files.take().isEmpty)
    try write("other/b.md", "two")
    #expect(!isReadable(files.descriptor))
    #expect(files.take().isEmpty)
    files.follow([path("a.md"), path("other/b.md")])
    #expect(files.take().isEmpty)
    try write("other/b.md", "three")
    #expect(files.take() == [path("other/b.md")])
  }
}
