import Foundation
import Model
import Sync
import TestSupport
import Testing
import Transports

/// A folder for a test. The path of its work folder never changes.
struct FolderFixture: TransportFixture, @unchecked Sendable {
  let folder: WorkFolder
  let title = "folder"
  var transport: any SyncTransport { Folder() }
  var address: String { folder.path + "/root" }
  var cacheFolder: String { folder.path + "/caches" }
  let knowsChanges = true

  init() throws {
    folder = try WorkFolder()
    try FileManager.default.createDirectory(
      atPath: folder.path + "/root", withIntermediateDirectories: true)
  }
}

@Suite struct FolderTests {
  @Test func `a folder passes the checks of every transport`() async throws {
    try await Conformance(try FolderFixture()).check()
  }

  @Test func `a missing folder is reported and not created`() async throws {
    let fixture = try FolderFixture()
    let object = ObjectMaker()
    try await fixture.withConnection { connection in
      try fixture.folder.move("root", to: "elsewhere")
      await fails(.absent) { _ = try await connection.list(since: nil) }
      await fails(.absent) { _ = try await connection.get(object.name("1-1.seg")) }
      await fails(.absent) { try await connection.put([object("1-1.seg", "x")]) }
      await fails(.absent) { try await connection.delete([object.name("1-1.seg")]) }
      await fails(.absent) { _ = try await connection.waitForChange(upTo: .seconds(1)) }
      await fails(.absent) { _ = try await fixture.connect() }
      #expect(!FileManager.default.fileExists(atPath: fixture.address))
      try fixture.folder.move("elsewhere", to: "root")
      try await connection.put([object("1-1.seg", "x")])
      #expect(try await connection.list(object.vault).count == 1)
    }
  }

  @Test(arguments: ["", "relative/path", "/a\0b", "/a?syncthing=http://127.0.0.1:1"])
  func `an invalid folder address is rejected`(_ address: String) async {
    await fails(.usage, address) {
      _ = try await Folder().connect(to: TransportPlace(address: address, cache: "/nowhere"))
    }
  }

  @Test func `files of other programs are neither listed nor changed`() async throws {
    let fixture = try FolderFixture()
    let object = ObjectMaker()
    let own = "root/v1/\(object.vault)/\(object.replica)"
    let strangers = [
      "root/notes.md", "root/v1/readme", "root/v1/\(object.vault)/x", "root/v2/y",
      "root/v1/NOTHEX/\(object.replica)/1-1.seg", "\(own)/Upper.seg", "\(own)/.hidden",
      "\(own)/1-1.sync-conflict-20261122-101010-ABCDEFG.seg", "\(own)/1-1.conflict1",
      "\(own)/.syncthing.1-1.seg.tmp", "\(own)/~syncthing~1-1.seg.tmp", "\(own)/folder.seg/inner",
      "root/v1/\(object.vault)/\(object.replica.description.uppercased())x/1-1.seg",
    ]
    for path in strangers { try fixture.folder.write(path, "x") }
    try await fixture.withConnection { connection in
      #expect(try await connection.list(since: nil).entries.isEmpty)
      try await connection.put([object("1-1.seg", "mine")])
      #expect(try await connection.list(since: nil).entries.map(\.name) == [object.name("1-1.seg")])
      #expect(try await connection.get(object.name("folder.seg")) == nil)
    }
    for path in strangers { #expect(try fixture.folder.read(path) == "x", "\(path)") }
  }

  @Test func `links are not followed at any level`() async throws {
    let fixture = try FolderFixture()
    let object = ObjectMaker()
    try fixture.folder.write("outside/v1/\(object.vault)/\(object.replica)/1-1.seg", "secret")
    func link(_ target: String, at path: String) throws {
      let place = URL(filePath: fixture.address + path)
      try FileManager.default.createDirectory(
        at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
      try FileManager.default.createSymbolicLink(
        atPath: place.path, withDestinationPath: fixture.folder.path + "/outside" + target)
    }
    let levels = [
      "/v1", "/v1/\(object.vault)", "/v1/\(object.vault)/\(object.replica)",
      "/v1/\(object.vault)/\(object.replica)/1-1.seg",
    ]
    for level in levels {
      try link(level, at: level)
      try await fixture.withConnection { connection in
        #expect(try await connection.list(since: nil).entries.isEmpty, "\(level)")
        #expect(try await connection.get(object.name("1-1.seg")) == nil, "\(level)")
        await fails(.unavailable, level) { try await connection.put([object("1-1.seg", "x")]) }
        try await connection.delete([object.name("1-1.seg")])
      }
      #expect(
        try fixture.folder.read("outside/v1/\(object.vault)/\(object.replica)/1-1.seg") == "secret")
      try fixture.folder.remove("root")
      try FileManager.default.createDirectory(
        atPath: fixture.address, withIntermediateDirectories: false)
    }
  }

  @Test func `special files are not listed, and not waited for`() async throws {
    let fixture = try FolderFixture()
    let object = ObjectMaker()
    try await fixture.withConnection { connection in
      try await connection.put([object("1-1.seg", "x")])
      try fixture.folder.shell(
        "mkfifo root/v1/\(object.vault)/\(object.replica)/2-2.seg; mkdir root/v1/\(object.vault)/\(object.replica)/3-3.seg"
      )
      #expect(try await connection.list(object.vault).count == 1)
      for file in ["2-2.seg", "3-3.seg"] {
        #expect(try await connection.get(object.name(file)) == nil)
        await fails(.unavailable) { try await connection.put([object(file, "y")]) }
      }
    }
  }

  @Test func `leftovers of a killed process are deleted, files being written are not`() async throws
  {
    let fixture = try FolderFixture()
    let object = ObjectMaker()
    let own = "root/v1/\(object.vault)/\(object.replica)"
    try fixture.folder.write("\(own)/.tmp-left", "half")
    try fixture.folder.write("\(own)/.tmp-held", "half")
    let held = open("\(fixture.folder.path)/\(own)/.tmp-held", O_RDONLY)
    defer { close(held) }
    #expect(flock(held, LOCK_EX | LOCK_NB) == 0)
    try await fixture.withConnection { try await $0.put([object("1-1.seg", "x")]) }
    let names = try FileManager.default.contentsOfDirectory(atPath: "\(fixture.folder.path)/\(own)")
    #expect(Set(names) == [".tmp-held", "1-1.seg"])
  }

  @Test func `a full disk is reported, and no file remains`() async throws {
    let fixture = try FolderFixture()
    guard geteuid() == 0 else { return }
    let mounted = (try? fixture.folder.shell("mount -t tmpfs -o size=256k none root")) != nil
    guard mounted else { return }
    defer { _ = try? fixture.folder.shell("umount -l root") }
    let object = ObjectMaker()
    try await fixture.withConnection { connection in
      await fails(.full) {
        try await connection.put([object("1-1.seg", [UInt8](repeating: 1, count: 1 << 20))])
      }
      #expect(try await connection.list(object.vault).isEmpty)
      try await connection.put([object("2-2.seg", "small")])
      #expect(try await connection.list(object.vault).count == 1)
      let names = try FileManager.default.contentsOfDirectory(
        atPath: "\(fixture.address)/v1/\(object.vault)/\(object.replica)")
      #expect(names == ["2-2.seg"])
    }
  }
}
