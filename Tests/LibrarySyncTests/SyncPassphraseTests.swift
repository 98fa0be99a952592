import BuiltIn
import Foundation
import LibrarySupport
import Model
import Sync
import SyncHistories
import SystemSupport
import TestSupport
import Testing

@testable import LibrarySync
@testable import Workspace

/// Tests changing and losing the passphrase of a vault, and the reports about it.
@Suite struct SyncPassphraseTests {
  private let folder: WorkFolder

  init() throws { folder = try WorkFolder() }

  private func standing(_ machine: Machine) async throws -> VaultPassphrase? {
    try await machine.library.syncStatus().passphrase
  }

  @Test func `after a change, the new passphrase admits devices and the old one opens no new data`()
    async throws
  {
    let (a, b) = try await Machine.pair(folder)
    try await a.add("room.md", Machine.text)
    _ = try await a.mark("room.md", "a room of her own")
    for machine in [a, b, a] { _ = try await machine.library.sync() }
    let same = try await failure {
      try await b.library.setPassphrase("correct horse", cost: .least)
    }
    #expect(same.code == .usage && same.message == "the vault has this passphrase already")
    let before = try folder.shell("find shared -name 'epoch-*'")
    // Any device can set the passphrase, not only the founder of the vault.
    try await b.library.setPassphrase("another horse", cost: .least)
    #expect(
      try folder.shell("find shared -name 'epoch-*'").split(separator: "\n").count
        == before.split(separator: "\n").count + 1)
    _ = try await a.mark("room.md", "One cannot think well", note: "said later")
    for machine in [a, b] { _ = try await machine.library.sync() }
    try await Machine.expectSame(a, b)
    for machine in [a, b] {
      #expect(try await standing(machine) == .set)
      #expect(try await machine.library.syncDevices().allSatisfy { !$0.isRevoked })
    }
    let c = try Machine(folder, "carl")
    let old = try await failure {
      _ = try await c.library.joinSync(c.offer, passphrase: "correct horse")
    }
    #expect(old.message.contains("was changed since"))
    _ = try await c.library.joinSync(c.offer, passphrase: "another horse")
    for machine in [a, b] { _ = try await machine.library.sync() }
    try await Machine.expectSame(a, b, c)
    // The old passphrase opens only earlier data.
    let (opened, sealed) = try await a.library.segments(openedBy: "correct horse")
    #expect(opened > 0 && sealed > 0)
    #expect(try await a.library.segments(openedBy: "another horse").sealed == 0)
  }

  @Test(arguments: [false, true])
  func `a lost passphrase is reported until a new one is set`(_ isAtOnce: Bool)
    async throws
  {
    let all = try await Machine.vault(folder, "anna", "ben", "carl", "dora", "emil")
    let (a, b, c) = (all[0], all[1], all[2])
    #expect(try await standing(a) == .set)
    try folder.shell("cp -a shared late")
    try await a.library.revoke(
      try await all[3].library.ownReplica(), passphrase: "of anna", cost: .least)
    try folder.shell("mv shared first; mv late shared")
    try await b.library.revoke(
      try await all[4].library.ownReplica(), passphrase: "of ben", cost: .least)
    try folder.shell("cp -an first/. shared/")
    if !isAtOnce {
      for machine in [a, b, c] {
        let report = try await machine.library.sync()
        #expect(report.passphrase == .lost)
        #expect(
          report.passphrase?.hint?.remedy == .action("sync.passphrase", [:]))
        #expect(try await standing(machine) == .lost)
        // The lost passphrase is reported once, and remains in the status.
        #expect(try await machine.library.sync().passphrase == nil)
        #expect(try await standing(machine) == .lost)
      }
    }
    // If no device has settled the revocations yet, the device that sets the passphrase does so.
    let report = try await b.library.setPassphrase("of all", cost: .least)
    #expect(report.passphrase != .lost)
    for machine in [a, b, c] {
      #expect(try await machine.library.sync().notices == [])
      #expect(try await standing(machine) == .set)
      #expect(try await machine.library.syncDevices().count { $0.isRevoked } == 2)
    }
    let f = try Machine(folder, "fred")
    for old in ["correct horse", "of anna", "of ben"] {
      let error = try await failure { _ = try await f.library.joinSync(f.offer, passphrase: old) }
      #expect(error.message.contains("was changed since"))
    }
    _ = try await f.library.joinSync(f.offer, passphrase: "of all")
    for machine in [a, b, c] { _ = try await machine.library.sync() }
    try await Machine.expectSame(a, b, c, f)
    for machine in all[3...] {
      let out = try await failure { _ = try await machine.library.sync() }
      #expect(out.message.contains("was revoked"))
    }
  }

  @Test(arguments: [false, true])
  func `after revoking without a passphrase, it is reported as unset and not as lost`(
    _ isTwice: Bool
  ) async throws {
    let all = try await Machine.vault(folder, "anna", "ben", "carl", "dora", "emil")
    let (a, b, c) = (all[0], all[1], all[2])
    if isTwice { try folder.shell("cp -a shared late") }
    try await a.library.revoke(
      try await all[3].library.ownReplica(), passphrase: nil, cost: .least)
    if isTwice {
      try folder.shell("mv shared first; mv late shared")
      try await b.library.revoke(
        try await all[4].library.ownReplica(), passphrase: nil, cost: .least)
      try folder.shell("cp -an first/. shared/")
    }
    for _ in 0..<2 { for machine in [b, a, c] { _ = try await machine.library.sync() } }
    for machine in [a, b, c] { #expect(try await standing(machine) == .unset) }
    let f = try Machine(folder, "fred")
    let none = try await failure {
      _ = try await f.library.joinSync(f.offer, passphrase: "correct horse")
    }
    #expect(none.message == "no passphrase is set, so this target cannot be joined with one")
    try await c.library.setPassphrase("of carl", cost: .least)
    _ = try await f.library.joinSync(f.offer, passphrase: "of carl")
    for machine in [a, b] { _ = try await machine.library.sync() }
    try await Machine.expectSame(a, b, c, f)
    for machine in [a, b, c, f] { #expect(try await standing(machine) == .set) }
  }

  @Test(arguments: [false, true])
  func `if a passphrase and another key are set at the same time, all devices use one key`(
    _ isRevoking: Bool
  ) async throws {
    let all = try await Machine.vault(folder, "anna", "ben", "carl")
    let (a, b, c) = (all[0], all[1], all[2])
    try folder.shell("cp -a shared late")
    try await a.library.setPassphrase("of anna", cost: .least)
    _ = try await a.mark("room.md", "a room of her own")
    _ = try await a.library.sync()
    try folder.shell("mv shared first; mv late shared")
    if isRevoking {
      try await b.library.revoke(
        try await c.library.ownReplica(), passphrase: "of ben", cost: .least)
    } else {
      try await b.library.setPassphrase("of ben", cost: .least)
    }
    try folder.shell("cp -an first/. shared/")
    let rest = isRevoking ? [b, a] : [b, a, c]
    for _ in 0..<3 { for machine in rest { _ = try await machine.library.sync() } }
    try await Machine.expectSame(a, b)
    if isRevoking {
      let out = try await failure { _ = try await c.library.sync() }
      #expect(out.message.contains("was revoked"))
    } else {
      try await Machine.expectSame(a, c)
    }
    if try await standing(a) == .lost {
      #expect(isRevoking)
      try await b.library.setPassphrase("of all", cost: .least)
      _ = try await a.library.sync()
    }
    for machine in [a, b] { #expect(try await standing(machine) == .set) }
    let f = try Machine(folder, "fred")
    var opening: [String] = []
    for words in ["of anna", "of ben", "of all"] where opening.isEmpty {
      if (try? await f.library.joinSync(f.offer, passphrase: words)) != nil { opening = [words] }
    }
    #expect(opening.count == 1 && (!isRevoking || opening != ["of anna"]))
    for machine in [a, b] { _ = try await machine.library.sync() }
    try await Machine.expectSame(a, b, f)
  }
}

extension Library {
  /// Returns how many segments of known signers a passphrase opens, and how many it doesn't.
  fileprivate func segments(openedBy passphrase: String) async throws -> (opened: Int, sealed: Int)
  {
    var session = try await openSession(try requireSyncPlace())
    try await readMembers(&session)
    var keys: VaultKeys?
    for name in session.listing.keys {
      guard case .epoch? = name.syncFile?.kind, let bytes = try await session.get(name),
        let record = try? EpochRecord(bytes, named: name),
        let found = try? record.keys(passphrase: passphrase)
      else { continue }
      keys = found
    }
    var epochs = try #require(keys)
    // A key opens earlier segments, but not later ones.
    for record in session.epochs?.records.reversed() ?? [] { try? record.addPrevious(to: &epochs) }
    var count = (opened: 0, sealed: 0)
    for replica in session.replicas {
      let signer = try #require(session.devices[replica]).publicKeys
      for (name, _) in session.segments(of: replica) {
        let bytes = try #require(try await session.get(name))
        if (try? SegmentFile.open(bytes, named: name, keys: epochs, signer: signer)) != nil {
          count.opened += 1
        } else {
          count.sealed += 1
        }
      }
    }
    await session.connection.close()
    return count
  }
}
