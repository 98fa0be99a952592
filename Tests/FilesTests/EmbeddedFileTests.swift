import Files
import Foundation
import TestSupport
import Testing

@Suite final class ShownFileTests {
  private let folder: String

  init() throws {
    folder = NSTemporaryDirectory() + "diple-shown-\(UUID().uuidString)"
    try FileManager.default.createDirectory(
      atPath: folder + "/notes/sub", withIntermediateDirectories: true)
    try Data("picture".utf8).write(to: URL(fileURLWithPath: folder + "/notes/sub/a.png"))
    try Data("secret".utf8).write(to: URL(fileURLWithPath: folder + "/secret.png"))
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  private func read(_ path: String, longest: Int = 100) -> [UInt8]? {
    EmbeddedFile.bytes(at: folder + path, below: folder + "/notes", longest: longest)
  }

  @Test func `a file within the folder is read up to a maximum length`() throws {
    #expect(read("/notes/sub/a.png") == Array("picture".utf8))
    #expect(read("/notes/sub/../sub/a.png") == Array("picture".utf8))
    #expect(read("/notes/sub/a.png", longest: 6) == nil)
    #expect(read("/notes/none.png") == nil)
    #expect(read("/notes/sub") == nil && read("/notes") == nil)
    try FileManager.default.createSymbolicLink(
      atPath: folder + "/notes/inside.png", withDestinationPath: "sub/a.png")
    #expect(read("/notes/inside.png") == Array("picture".utf8))
  }

  @Test func `a file outside the folder is not read, neither by its path nor through a link`()
    throws
  {
    #expect(read("/secret.png") == nil)
    #expect(read("/notes/../secret.png") == nil)
    try FileManager.default.createSymbolicLink(
      atPath: folder + "/notes/out.png", withDestinationPath: "../secret.png")
    try FileManager.default.createSymbolicLink(
      atPath: folder + "/notes/up", withDestinationPath: "..")
    #expect(read("/notes/out.png") == nil && read("/notes/up/secret.png") == nil)
    #expect(
      EmbeddedFile.bytes(at: "/etc/passwd", below: folder + "/notes", longest: 1 << 20) == nil)
    #expect(EmbeddedFile.bytes(at: "/dev/zero", below: "/", longest: 1 << 20) == nil)
    #expect(read("/notes/sub/a.png\0.md") == nil)
  }

  @Test func `a FIFO is not waited for`() {
    #expect(mkfifo(folder + "/notes/pipe.png", 0o600) == 0)
    #expect(read("/notes/pipe.png") == nil)
  }
}
