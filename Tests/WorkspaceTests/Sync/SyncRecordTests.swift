import Foundation
import Model
import Sync
import TestSupport
import Testing

@testable import Workspace

/// Records of devices and keys that the target has lost.
@Suite struct SyncRecordTests {
  private let folder: WorkFolder

  init() throws { folder = try WorkFolder() }

  /// Removes the objects of a device whose names begin so.
  private func lose(_ kind: String, of machine: Machine) async throws {
    let replica = try await machine.library.ownReplica()
    let found = try folder.shell(
      "find shared -path '*/\(replica)/*' -name '\(kind).*' -print -delete")
    #expect(!found.isEmpty)
  }

  private func upload(_ machine: Machine) async throws -> SyncReport {
    var allowance = SyncOptions()
    allowance.upload = true
    return try await machine.library.sync(allowance)
  }

  @Test func `the record of a device that is gone is told, and put back when it syncs`()
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

  @Test func `the keys of a later epoch that are gone are told, and put back when it syncs`()
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
    // Nobody else puts it back unasked.
    #expect(try await b.library.sync().notices.isEmpty)
    #expect(try await a.library.sync().notices.count == 1)
    #expect(try await b.library.verifySync().problems == [])
    let d = try Machine(folder, "dora")
    _ = try await d.library.joinSync(d.offer, passphrase: "better horse")
    try await Machine.expectSame(a, d)
  }

  @Test func `sending again puts back the records of all devices`() async throws {
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
}
