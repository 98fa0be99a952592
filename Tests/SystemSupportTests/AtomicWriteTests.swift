import Foundation
import SystemSupport
import Testing

@Suite struct AtomicWriteTests {
  @Test func `a device or a FIFO is written to, never replaced`() throws {
    let path = NSTemporaryDirectory() + "diple-fifo-" + UUID().uuidString
    try #require(mkfifo(path, 0o600) == 0)
    defer { unlink(path) }
    // Open the FIFO for reading and writing, so that neither end waits for the other.
    let end = open(path, O_RDWR)
    try AtomicReplacement.write("text".utf8, to: path)
    var bytes = [UInt8](repeating: 0, count: 8)
    #expect(read(end, &bytes, bytes.count) == 4)
    close(end)
    var status = stat()
    #expect(stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO)
  }

  @Test func `a link is followed, and the mode is kept`() throws {
    let folder = NSTemporaryDirectory() + "diple-atomic-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try Data("old".utf8).write(to: URL(filePath: folder + "/file"))
    #expect(chmod(folder + "/file", 0o640) == 0 && symlink("file", folder + "/link") == 0)
    try AtomicReplacement.write("new".utf8, to: folder + "/link", links: .followedInFolder)
    #expect(try String(contentsOfFile: folder + "/file", encoding: .utf8) == "new")
    var status = stat()
    #expect(lstat(folder + "/link", &status) == 0 && status.st_mode & S_IFMT == S_IFLNK)
    #expect(stat(folder + "/file", &status) == 0 && status.st_mode & 0o7777 == 0o640)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder).count == 2)
  }

  @Test
  func `temporary files of a killed process are deleted by the next write, other files are kept`()
    throws
  {
    let folder = NSTemporaryDirectory() + "diple-atomic-" + UUID().uuidString
    try FileManager.default.createDirectory(
      atPath: folder + "/.diple-abcdefgz", withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let otherNames = [
      ".diple-1", ".diple-ABCDEFGH", ".diple-abcdefg.md", ".diple-abcdefghi", "diple",
    ]
    for name in otherNames + [".diple-abcdefg0", ".diple-locked00"] {
      try Data("old".utf8).write(to: URL(filePath: folder + "/" + name))
    }
    #expect(symlink("diple", folder + "/.diple-abcdefgy") == 0)
    let writer = open(folder + "/.diple-locked00", O_RDONLY)
    defer { close(writer) }
    #expect(flock(writer, LOCK_EX) == 0)
    try AtomicReplacement.write("new".utf8, to: folder + "/file")
    let left = try FileManager.default.contentsOfDirectory(atPath: folder)
    #expect(
      left.sorted()
        == (otherNames + [".diple-abcdefgy", ".diple-abcdefgz", ".diple-locked00", "file"]).sorted()
    )
  }
}
