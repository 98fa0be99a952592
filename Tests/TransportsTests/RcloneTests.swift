import Foundation
import Model
import Sync
import TestSupport
import Testing
import Transports

/// A remote of rclone that stores its files on this machine. The path of its work folder never
/// changes.
struct RcloneFixture: TransportFixture, @unchecked Sendable {
  let folder: WorkFolder
  let title: String
  let address: String
  var transport: any SyncTransport { Rclone(configuration: folder.path + "/rclone.conf") }
  var cacheFolder: String { folder.path + "/caches" }
  let knowsChanges = false
  // Each upload starts several programs.
  let writers = (count: 2, rounds: 3)

  /// - Parameter kind: `local`, `alias` or `crypt`.
  init(_ kind: String) throws {
    folder = try WorkFolder()
    title = "rclone's \(kind)"
    try FileManager.default.createDirectory(
      atPath: folder.path + "/files", withIntermediateDirectories: true)
    try folder.write(
      "rclone.conf",
      """
      [disk]
      type = local

      [short]
      type = alias
      remote = \(folder.path)/files

      [secret]
      type = crypt
      remote = \(folder.path)/files
      password = \(try folder.shell("rclone obscure long-word"))
      """)
    address =
      switch kind {
      case "alias": "short:"
      case "crypt": "secret:"
      default: "disk:\(folder.path)/files"
      }
  }
}

@Suite(.enabled(if: Engine.isThere("rclone"))) struct RcloneTests {
  @Test(arguments: ["local", "alias", "crypt"])
  func `an rclone remote passes the checks of every transport`(_ kind: String) async throws {
    try await Conformance(try RcloneFixture(kind)).check()
  }

  @Test(arguments: [
    "", "noremote", ":local:/tmp", "-x:y", "r,ssh=id:path", "r:a\nb", "a/b:c", "r'x:",
  ])
  func `an invalid address, or one with options, is rejected`(_ address: String) async {
    await fails(.usage, address) {
      _ = try await Rclone().connect(to: TransportPlace(address: address, cache: "/nowhere"))
    }
  }

  @Test func `a missing remote or folder is reported`() async throws {
    let fixture = try RcloneFixture("local")
    for address in ["unknown:x", "disk:\(fixture.folder.path)/none", "short:none"] {
      await fails(.absent, address) {
        _ = try await fixture.transport.connect(
          to: TransportPlace(address: address, cache: fixture.cacheFolder))
      }
    }
  }

  @Test func `files of other programs are neither listed nor changed, and links not followed`()
    async throws
  {
    let fixture = try RcloneFixture("local")
    let object = ObjectMaker()
    let own = "files/v1/\(object.vault)/\(object.replica)"
    let strangers = ["files/x.md", "files/v1/x", "\(own)/Upper", "\(own)/deep/er/1-1.seg"]
    for path in strangers { try fixture.folder.write(path, "x") }
    try fixture.folder.write("outside", "secret")
    try fixture.folder.shell("ln -s ../../../../outside \(own)/7-7.seg")
    try await fixture.withConnection { connection in
      #expect(try await connection.list(since: nil).entries.isEmpty)
      try await connection.put([object("1-1.seg", "mine")])
      try await connection.delete([object.name("1-1.seg")])
      #expect(try await connection.list(since: nil).entries.isEmpty)
    }
    for path in strangers { #expect(try fixture.folder.read(path) == "x", "\(path)") }
    #expect(try fixture.folder.read("outside") == "secret")
  }

  @Test func `leftovers of a killed upload are not listed, and deleted after a day`()
    async throws
  {
    let fixture = try RcloneFixture("local")
    let object = ObjectMaker()
    let left = "files/tmp/\(object.vault)/\(object.replica)"
    try fixture.folder.write("\(left)/1-1.seg", "ha")
    try fixture.folder.write("\(left)/9-9.seg", "ha")
    try await fixture.withConnection { connection in
      #expect(try await connection.list(since: nil).entries.isEmpty)
      try await connection.put([object("1-1.seg", "half and half")])
      #expect(try await connection.list(object.vault).map(\.size) == [13])
    }
    try fixture.folder.shell("find files/tmp -type f -exec touch -d '2 days ago' {} +")
    try await fixture.withConnection { connection in
      try await connection.put([object("2-2.seg", "more")])
    }
    #expect(try fixture.folder.shell("find files/tmp -type f") == "")
  }

  @Test func `an upload does not delete the files of a running upload`() async throws {
    let fixture = try RcloneFixture("local")
    let object = ObjectMaker()
    let begun = "files/tmp/\(object.vault)/\(object.replica)/5/8-8.seg"
    try fixture.folder.write(begun, "ha")
    try await fixture.withConnection { connection in
      try await connection.put([object("1-1.seg", "whole")])
    }
    #expect(try fixture.folder.read(begun) == "ha")
  }

  @Test func `a partial object is replaced by the complete one`() async throws {
    let fixture = try RcloneFixture("local")
    let object = ObjectMaker()
    try fixture.folder.write("files/\(object.name("1-1.seg"))", "ha")
    try await fixture.withConnection { connection in
      try await connection.put([object("1-1.seg", "half and half")])
      #expect(try await connection.get(object.name("1-1.seg")).map { $0.count } == 13)
    }
  }
}
