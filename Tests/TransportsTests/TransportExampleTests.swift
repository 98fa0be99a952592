import Foundation
import Model
import Sync
import Testing
import Transports

@Suite struct TransportExampleTests {
  private func withFolder(_ body: (String) throws -> Void) throws {
    let path = NSTemporaryDirectory() + "/diple-sync-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: path) }
    try body(path)
  }

  @Test func `what is pushed is pulled as the examples show`() throws {
    #expect(!Folder.examples.isEmpty)
    for example in Folder.examples {
      try withFolder { path in
        for operations in example.pushed { try Folder(path: path).push(operations) }
        #expect(
          try Folder(path: path).pull(after: example.known) == example.pulled, "\(example.title)")
      }
    }
  }

  @Test func `a segment that is cut short is not here yet, and comes when it is whole`() throws {
    try withFolder { path in
      let operations = Folder.examples[0].pushed[0]
      try Folder(path: path).push(operations)
      let name = try #require(Segment.Name(of: operations))
      let file = URL(fileURLWithPath: "\(path)/\(name)")
      let whole = try Data(contentsOf: file)
      try whole.dropLast(5).write(to: file)
      #expect(try Folder(path: path).pull(after: VersionVector()).isEmpty)
      var flipped = whole
      flipped[flipped.count / 2] ^= 1
      try flipped.write(to: file)
      #expect(try Folder(path: path).pull(after: VersionVector()).isEmpty)
      try whole.write(to: file)
      #expect(try Folder(path: path).pull(after: VersionVector()) == operations)
    }
  }

  @Test func `files of others are not touched`() throws {
    try withFolder { path in
      let folder = "\(path)/0000000000000007"
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      for name in ["1-2.sync-conflict.seg", "x.seg", ".hidden", "2-1.seg", "readme.md"] {
        try Data("x".utf8).write(to: URL(fileURLWithPath: "\(folder)/\(name)"))
      }
      try Folder(path: path).push(Folder.examples[0].pushed[0])
      #expect(try Folder(path: path).pull(after: VersionVector()).count == 2)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder).count == 6)
    }
  }

  @Test func `a folder that is not there is an error, not an empty one`() {
    #expect(throws: TransportError.self) {
      try Folder(path: "/nowhere/at/all").pull(after: VersionVector())
    }
  }
}
