import Foundation
import Model
import Sync
import SyncHistories
import TestSupport
import Testing

@testable import LibrarySync
@testable import Workspace

/// Tests records of devices and keys that are missing at the target.
@Suite struct SyncRecordTests {
  private let folder: WorkFolder

  init() throws { folder = try WorkFolder() }

  /// Removes the objects of a device whose names have a prefix.
  private func lose(_ kind: String, of machine: Machine) async throws {
    let replica = try await machine.library.ownReplica()
    let found = try folder.shell(
      "find shared -path '*/\(replica)/*' -name '\(kind).*' -print -delete")
    #expect(!found.isEmpty)
  }

  private func upload(_ machine: Machine) async throws -> SyncReport {
    var options = SyncOptions()
    options.upload = true
    return try await machine.library.sync(options)
  }

  @Test func `a missing device record is reported, and restored when the device syncs`()
    async throws
  {
    let (a, b) = try await Machine.pair(folder)
    try await a.add("room.md", Machine.text)
    _ = try await a.mark("room.md", "a room of her own")
    for machine in [a, b, a] { _ = try await machine.library.sync() }
    try await lose("device", of: a)
    for machine in [a, b] {
      let problems = try await machine.library.verifySync().problems
      #expect(problems.count == 1 && problems.first?.contains("of anna is missing") == true)
    }
    let report = try await a.library.sync()
    #expect(
      report.notices == ["the record of this device was missing at the target: it was sent again"])
    #expect(try await a.library.sync().notices.isEmpty)
    #expect(try await a.library.verifySync().problems == [])
    let c = try Machine(folder, "carl")
    #expect(try await c.library.joinSync(c.offer, passphrase: "correct horse").held.isEmpty)
    #expect(try await c.library.syncDevices().map(\.name) == ["carl", "anna", "ben"])
    try await Machine.expectSame(a, c)
  }

  @Test func `missing keys of a later epoch are reported, and restored when the device syncs`()
    async throws
  {
    let (a, b) = try await Machine.pair(folder)
    let c = try Machine(folder, "carl")
    _ = try await c.library.joinSync(c.offer, passphrase: "correct horse")
    for machine in [a, b, a] { _ = try await machine.library.sync() }
    try await a.library.revoke(
      try await c.library.ownReplica(), passphrase: "better horse", cost: .least)
    try await a.add("room.md", Machine.text)
    _ = try await a.mark("room.md", "a room of her own")
    for machine in [a, b, a] { _ = try await machine.library.sync() }
    try await lose("epoch-2", of: a)
    for machine in [a, b] {
      let problems = try await machine.library.verifySync().problems
      #expect(problems.count == 1 && problems.first?.contains("of anna is missing") == true)
    }
    // No other device restores them without a request.
    #expect(try await b.library.sync().notices.isEmpty)
    #expect(try await a.library.sync().notices.count == 1)
    #expect(try await b.library.verifySync().problems == [])
    let d = try Machine(folder, "dora")
    _ = try await d.library.joinSync(d.offer, passphrase: "better horse")
    try await Machine.expectSame(a, d)
  }

  @Test func `sending again restores the records of all devices`() async throws {
    let (a, b) = try await Machine.pair(folder)
    try await a.add("room.md", Machine.text)
    _ = try await a.mark("room.md", "a room of her own")
    for machine in [a, b, a] { _ = try await machine.library.sync() }
    try await lose("device", of: a)
    try await lose("epoch-1", of: a)
    _ = try await upload(b)
    #expect(try await b.library.verifySync().problems == [])
    let c = try Machine(folder, "carl")
    #expect(try await c.library.joinSync(c.offer, passphrase: "correct horse").held.isEmpty)
    try await Machine.expectSame(a, c)
  }

  @Test func `a file of this device that became too long is replaced when it sends all again`()
    async throws
  {
    let (a, b) = try await Machine.pair(folder)
    try await a.add("room.md", Machine.text)
    _ = try await a.mark("room.md", "a room of her own")
    for machine in [a, b, a] { _ = try await machine.library.sync() }
    let replica = try await a.library.ownReplica()
    _ = try folder.shell(
      """
      find shared -path '*/\(replica)/*' -name 'device.*' | while read -r file; do
        chmod u+w "$file"; head -c 200000 /dev/zero >>"$file"
      done
      """)
    let problems = try await a.library.verifySync().problems
    #expect(problems.contains { $0.contains("--upload") }, "\(problems)")
    _ = try await upload(a)
    #expect(try await a.library.verifySync().problems == [])
    let c = try Machine(folder, "carl")
    #expect(try await c.library.joinSync(c.offer, passphrase: "correct horse").held.isEmpty)
    try await Machine.expectSame(a, c)
  }

  @Test func `a device that has left is listed as such, and can join again under its name`()
    async throws
  {
    let (a, b) = try await Machine.pair(folder)
    let c = try Machine(folder, "carl")
    _ = try await c.library.joinSync(c.offer, passphrase: "correct horse")
    for machine in [a, b] { _ = try await machine.library.sync() }
    #expect(try await a.library.syncDevices().allSatisfy { !$0.hasLeft })
    #expect(try await b.library.leaveSync().isStated)
    _ = try await a.library.sync()
    func left(_ machine: Machine) async throws -> [String] {
      try await machine.library.syncDevices().filter(\.hasLeft).map(\.name)
    }
    #expect(try await left(a) == ["ben"])
    #expect(try await left(c) == [])
    _ = try await b.library.joinSync(b.offer, passphrase: "correct horse")
    for machine in [a, b, c] { _ = try await machine.library.sync() }
    // Ben had no changes, so only the new device of this name is listed.
    for machine in [a, b, c] { #expect(try await left(machine) == []) }
    let names = try await a.library.syncDevices().map(\.name)
    #expect(names == ["anna", "ben", "carl"])
    #expect(try await a.library.verifySync().problems == [])
    // Leaving works without the target, but is not published.
    try folder.shell("mv shared away")
    #expect(try await !c.library.leaveSync().isStated)
    try folder.shell("mv away shared")
    _ = try await a.library.sync()
    #expect(try await left(a) == [])
  }

  @Test func `a second record of a device under another name is rejected`() async throws {
    let (a, b) = try await Machine.pair(folder)
    for machine in [a, b, a] { _ = try await machine.library.sync() }
    let replica = try await b.library.ownReplica()
    let secrets = try #require(try SyncSecrets.read(replica, at: b.library.location))
    let keys = try #require(secrets.vault)
    let record = DeviceRecord(
      replica: replica, name: "somebody else", publicKeys: secrets.device.publicKeys, created: 0)
    let sealed = try record.sealed(keys: keys, device: secrets.device)
    try Data(sealed.bytes).write(
      to: URL(fileURLWithPath: "\(a.offer.address)/\(sealed.object.description)"))
    for _ in 0..<2 { _ = try await a.library.sync() }
    #expect(try await a.library.syncDevices().map(\.name) == ["anna", "ben"])
    let problems = try await a.library.verifySync().problems
    #expect(
      problems == [
        "\(sealed.object.file) of ben is refused: it is a second record, under the name “somebody else”"
      ])
  }
}
