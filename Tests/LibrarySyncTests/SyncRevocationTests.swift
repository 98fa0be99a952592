import BuiltIn
import Foundation
import LibrarySupport
import Model
import Storage
import Sync
import SyncHistories
import SystemSupport
import TestSupport
import Testing

@testable import LibrarySync
@testable import Workspace

/// Tests admitting and revoking devices.
@Suite struct SyncRevocationTests {
  private let folder: WorkFolder

  init() throws { folder = try WorkFolder() }

  @Test
  func `a device admitted by its code reads everything, and a revoked one no new data`()
    async throws
  {
    let (a, b) = try await Machine.pair(folder)
    try await a.add("room.md", Machine.text)
    _ = try await a.mark("room.md", "a room of her own")
    _ = try await a.library.sync()
    let c = try Machine(folder, "carl")
    let code = try await c.library.askToJoin(c.offer)
    let early = try await failure { _ = try await c.library.sync() }
    #expect(early.code == .nothing && early.message.contains("not let in"))
    let asking = try await a.library.joiningDevices()
    #expect(asking.map(\.code) == [code] && asking.map(\.name) == ["carl"])
    try await a.library.letIn(asking[0])
    _ = try await c.library.sync()
    _ = try await a.library.sync()
    _ = try await b.library.sync()
    try await Machine.expectSame(a, b, c)
    // Neither the request nor the reply is needed any more.
    #expect(try folder.shell("find shared -name 'request*' -o -name 'grant*'").isEmpty)
    let nobody = try await failure { _ = try await a.library.joiningDevices() }
    #expect(nobody.code == .nothing)

    let devices = try await a.library.syncDevices()
    #expect(devices.map(\.name) == ["anna", "ben", "carl"])
    let ben = try #require(devices.first { $0.name == "ben" })
    let same = try await failure {
      try await a.library.revoke(ben.replica, passphrase: "correct horse", cost: .least)
    }
    #expect(same.message.contains("has this passphrase already"))
    try await a.library.revoke(ben.replica, passphrase: "new horse", cost: .least)
    _ = try await a.mark("room.md", "One cannot think well")
    _ = try await a.library.sync()
    _ = try await c.library.sync()
    #expect(try await c.all().count == 2)
    let out = try await failure { _ = try await b.library.sync() }
    #expect(out.message.contains("revoked"))
    #expect(try await b.all().count <= 1)
    let d = try Machine(folder, "dora")
    _ = try await failure { _ = try await d.library.joinSync(d.offer, passphrase: "correct horse") }
    _ = try await d.library.joinSync(d.offer, passphrase: "new horse")
    try await Machine.expectSame(a, c, d)
  }

  @Test func `a change of the key sends no texts if the options exclude them`() async throws {
    let (a, b) = try await Machine.pair(folder)
    try await a.add("room.md", Machine.text)
    _ = try await a.library.sync()
    _ = try await a.mark("room.md", "a room of her own")
    var options = SyncOptions()
    options.texts = false
    try await a.library.setPassphrase("new horse", cost: .least, options)
    _ = try await a.mark("room.md", "One cannot think well")
    try await a.library.revoke(
      try await replica(b), passphrase: "newer horse", cost: .least, options)
    #expect(try await a.library.syncStatus().unsent == 0)
    let c = try Machine(folder, "carl")
    _ = try await c.library.joinSync(c.offer, passphrase: "newer horse")
    #expect(try await c.all().count == 2)
    #expect(try await c.library.keptTexts().isEmpty)
  }

  private func replica(_ machine: Machine) async throws -> ReplicaID {
    try await machine.library.ownReplica()
  }

  @Test(arguments: [false, true])
  func `devices that revoke others at the same time continue to sync`(_ isSame: Bool) async throws {
    let all = try await Machine.vault(folder, "anna", "ben", "carl", "dora", "emil")
    let (a, b, c) = (all[0], all[1], all[2])
    let revoked = isSame ? [all[4]] : [all[3], all[4]]
    try folder.shell("cp -a shared late")
    try await a.library.revoke(try await replica(revoked[0]), passphrase: "of anna", cost: .least)
    _ = try await a.mark("room.md", "a room of her own")
    _ = try await a.library.sync()
    try folder.shell("mv shared first; mv late shared")
    try await b.library.revoke(try await replica(revoked.last!), passphrase: "of ben", cost: .least)
    try await b.add("room.md", Machine.text)
    _ = try await b.mark("room.md", "One cannot think well")
    _ = try await b.library.sync()
    // A third device receives ben's revocation before anna's.
    _ = try await c.library.sync()
    try folder.shell("cp -an first/. shared/")
    var passphrases: Set<VaultPassphrase> = []
    for _ in 0..<3 {
      for machine in [b, a, c] {
        if let passphrase = try await machine.library.sync().passphrase {
          passphrases.insert(passphrase)
        }
      }
    }
    try await Machine.expectSame(a, b, c)
    #expect(try await c.all().count == 2)
    for machine in [a, b, c] {
      let devices = try await machine.library.syncDevices()
      #expect(devices.filter(\.isRevoked).count == revoked.count)
      #expect(devices.allSatisfy { $0.held == nil })
    }
    for machine in revoked {
      let out = try await failure { _ = try await machine.library.sync() }
      #expect(out.message.contains("was revoked"))
    }
    // A new device reads all data that was sealed with either key.
    let f = try Machine(folder, "fred")
    #expect(passphrases.contains(.lost) == !isSame)
    if isSame {
      do {
        _ = try await f.library.joinSync(f.offer, passphrase: "of anna")
      } catch { _ = try await f.library.joinSync(f.offer, passphrase: "of ben") }
    } else {
      _ = try await f.library.askToJoin(f.offer)
      for machine in [a, b, c] {
        if let asking = try? await machine.library.joiningDevices().first {
          try await machine.library.letIn(asking)
        }
      }
      _ = try await f.library.sync()
    }
    try await Machine.expectSame(a, f)
    let held = try await f.library.syncDevices().compactMap { $0.held.map { "\($0)" } }
    #expect(held == [])
    _ = try await f.library.sync()
    _ = try await b.library.sync()
    try await Machine.expectSame(a, b, f)
  }

  @Test
  func `devices that revoke each other are notified, and the others accept the first revocation`()
    async throws
  {
    let all = try await Machine.vault(folder, "anna", "ben", "carl", "dora")
    let (a, b, c, d) = (all[0], all[1], all[2], all[3])
    try folder.shell("cp -a shared late")
    try await a.library.revoke(try await replica(b), passphrase: "of anna", cost: .least)
    _ = try await c.library.sync()
    try folder.shell("mv shared first; mv late shared")
    try await b.library.revoke(try await replica(a), passphrase: "of ben", cost: .least)
    try await b.add("room.md", Machine.text)
    _ = try await b.mark("room.md", "a room of her own")
    _ = try await b.library.sync()
    try folder.shell("cp -an first/. shared/")
    _ = try await a.library.sync()
    _ = try await c.library.sync()
    let undecided = try await failure { _ = try await d.library.sync() }
    #expect(undecided.message == "anna and ben revoked each other: nothing is sent or received")
    try await d.library.leaveSync()
    _ = try await d.library.joinSync(d.offer, passphrase: "of anna")
    for machine in [a, c, d] { _ = try await machine.library.sync() }
    try await Machine.expectSame(a, c, d)
    #expect(try await a.all().isEmpty)
    // Later changes of the other device are sent when it joins again.
    try await b.library.leaveSync()
    _ = try await b.library.joinSync(b.offer, passphrase: "of anna")
    for _ in 0..<3 { for machine in [a, b, c, d] { _ = try await machine.library.sync() } }
    try await Machine.expectSame(a, b, c, d)
    for machine in [a, b, c, d] { #expect(try await machine.all().count == 1) }
  }

  @Test func `all devices receive the changes that one device had received from a revoked device`()
    async throws
  {
    let all = try await Machine.vault(folder, "anna", "ben", "carl", "dora")
    let (a, b, c, d) = (all[0], all[1], all[2], all[3])
    try folder.shell("cp -a shared late")
    try await a.library.revoke(try await replica(b), passphrase: "of anna", cost: .least)
    _ = try await a.mark("room.md", "One cannot think well")
    _ = try await a.library.sync()
    try folder.shell("mv shared first; mv late shared")
    try await b.library.revoke(try await replica(c), passphrase: "of ben", cost: .least)
    try await b.add("room.md", Machine.text)
    _ = try await b.mark("room.md", "a room of her own")
    _ = try await b.library.sync()
    _ = try await d.library.sync()
    try folder.shell("cp -an first/. shared/")
    for _ in 0..<4 { for machine in [d, a, c] { _ = try await machine.library.sync() } }
    // The revocation by the revoked device is ignored. Changes that another device received from it
    // are kept.
    try await Machine.expectSame(a, c, d)
    for machine in [a, c, d] { #expect(try await machine.all().count == 2) }
  }

  @Test func `earlier changes of a revoked device are accepted if one member received them`()
    async throws
  {
    let all = try await Machine.vault(folder, "anna", "ben", "carl", "dora")
    let (a, b, c, d) = (all[0], all[1], all[2], all[3])
    try await c.add("room.md", Machine.text)
    _ = try await c.mark("room.md", "a room of her own")
    _ = try await c.library.sync()
    _ = try await b.library.sync()
    // Hide the changes from the device that revokes.
    try folder.shell("mkdir kept; mv shared/v1/*/\(try await replica(c))/*.seg kept/")
    try await a.library.revoke(try await replica(c), passphrase: "new horse", cost: .least)
    try folder.shell("cp -a kept/. shared/v1/*/\(try await replica(c))/")
    #expect(try await a.all().isEmpty)
    for _ in 0..<4 { for machine in [d, a, b] { _ = try await machine.library.sync() } }
    try await Machine.expectSame(a, b, d)
    #expect(try await a.all().map(\.selector.exact) == ["a room of her own"])
    // Changes that the device makes after its revocation are ignored.
    _ = try await c.mark("room.md", "One cannot think well")
    _ = try await failure { _ = try await c.library.sync() }
    for machine in [a, b, d] { #expect(try await machine.library.sync().held.isEmpty) }
  }

  /// Returns three members with 60 highlights. The second one claims to have received changes of a
  /// revoked device.
  ///
  /// - Parameters:
  ///   - seconds: how far the times of the changes are ahead.
  ///   - changes: returns the changes of the 60 highlights.
  private func reissuing(
    aheadBy seconds: TimeInterval = 0,
    _ changes: ([Highlight]) -> [(Highlight, Model.Operation.Field, Model.Operation.Value)]
  ) async throws -> (a: Machine, b: Machine, d: Machine) {
    let all = try await Machine.vault(folder, "anna", "ben", "carl", "dora")
    let (a, b, c, d) = (all[0], all[1], all[2], all[3])
    let words = (100..<160).map { "word\($0)" }
    try await a.add("words.md", words.joined(separator: " "))
    var marks: [Highlight] = []
    for word in words { marks.append(try await a.mark("words.md", word)) }
    for machine in all { _ = try await machine.library.sync() }
    let carl = try await replica(c)
    try await a.library.revoke(carl, passphrase: "new horse", cost: .least)
    for machine in [d, b] { _ = try await machine.library.sync() }
    let milliseconds = Date().milliseconds + Int64(seconds * 1_000)
    try Store(at: b.notes + "/.diple/library.sqlite").write { transaction in
      transaction.journal(JournalStep(nil))
      let last = try transaction.progress()[carl]?.sequence ?? 0
      for (index, change) in changes(marks).enumerated() {
        let operation = Model.Operation(
          dot: Dot(replica: carl, sequence: last + 1 + Int64(index)),
          time: Timestamp(milliseconds: milliseconds + Int64(index)), group: last + 1,
          record: .highlight(change.0.id), field: change.1, value: change.2)
        let line = String(decoding: try JSONEncoder.ordered().encode(operation), as: UTF8.self)
        _ = try transaction.setProperty(.reissued(operation.dot), line, of: .library)
      }
    }
    return (a, b, d)
  }

  private static let year: TimeInterval = 365 * 86_400

  @Test func `a reissued change with an impossible value is ignored`() async throws {
    let (a, b, d) = try await reissuing(aheadBy: Self.year) {
      [($0[0], .selector, .text("../x"))]
    }
    _ = try await b.library.annotate(try #require(try await b.all().last), "later")
    for _ in 0..<2 {
      for machine in [b, a, d] { #expect(try await machine.library.sync().held.isEmpty) }
    }
    for machine in [a, d] {
      #expect(try await machine.all().contains { $0.note == "later" })
    }
    try await Machine.expectSame(a, b, d)
  }

  @Test func `a reissued change with a clock ahead waits until it is accepted`() async throws {
    let (a, b, d) = try await reissuing(aheadBy: Self.year) {
      [($0[0], .note, .text("from the future"))]
    }
    for machine in [b, a] { _ = try await machine.library.sync() }
    for _ in 0..<2 {
      let held = try await a.library.sync().held
      #expect(held.map(\.device) == ["carl"] && held.map(\.reason.kind) == [.clock])
    }
    #expect(try await a.all().allSatisfy(\.note.isEmpty))
    var options = SyncOptions()
    options.clock = true
    for _ in 0..<2 { for machine in [a, b, d] { _ = try await machine.library.sync(options) } }
    #expect(try await d.all().contains { $0.note == "from the future" })
    try await Machine.expectSame(a, b, d)
  }

  @Test func `reissued removals of a large part of the library need consent`() async throws {
    let (a, b, d) = try await reissuing { $0.map { ($0, .trashed, .flag(true)) } }
    var options = SyncOptions()
    options.removals = true
    _ = try await b.library.sync(options)
    _ = try await a.library.sync()
    for _ in 0..<2 {
      let held = try await a.library.sync().held
      #expect(held.map(\.device) == ["carl"] && held.map(\.reason.kind) == [.removals])
      #expect(try await a.all().count == 60)
    }
    for _ in 0..<2 { for machine in [a, d, b] { _ = try await machine.library.sync(options) } }
    #expect(try await a.all().isEmpty)
    try await Machine.expectSame(a, b, d)
  }

  @Test func `a device that joined during a key change has to join again, and loses nothing`()
    async throws
  {
    let all = try await Machine.vault(folder, "anna", "ben", "carl")
    let (a, b, c) = (all[0], all[1], all[2])
    try folder.shell("cp -a shared late")
    try await a.library.revoke(try await replica(c), passphrase: "new horse", cost: .least)
    try folder.shell("mv shared first; mv late shared")
    let d = try Machine(folder, "dora")
    _ = try await d.library.joinSync(d.offer, passphrase: "correct horse")
    try await d.add("room.md", Machine.text)
    _ = try await d.mark("room.md", "a room of her own")
    _ = try await d.library.sync()
    // One device received the new device's changes before the change of the key.
    _ = try await b.library.sync()
    try folder.shell("cp -an first/. shared/")
    let out = try await failure { _ = try await d.library.sync() }
    #expect(out.message.contains("joined while another device was"))
    for _ in 0..<3 { for machine in [a, b] { _ = try await machine.library.sync() } }
    try await Machine.expectSame(a, b)
    #expect(try await a.all().count == 1)
    // Changes in the meantime are not lost either.
    _ = try await d.mark("room.md", "One cannot think well")
    try await d.library.leaveSync()
    _ = try await d.library.joinSync(d.offer, passphrase: "new horse")
    for _ in 0..<3 { for machine in [a, b, d] { _ = try await machine.library.sync() } }
    try await Machine.expectSame(a, b, d)
    for machine in [a, b, d] {
      #expect(try await machine.all().count == 2)
      #expect(try await machine.library.syncDevices().allSatisfy { $0.held == nil })
    }
  }

  @Test func `a holder of the old key with access to the target can neither add nor read changes`()
    async throws
  {
    let all = try await Machine.vault(folder, "anna", "ben", "carl")
    let (a, b, c) = (all[0], all[1], all[2])
    _ = try await a.mark("room.md", "a room of her own")
    _ = try await a.library.sync()
    try folder.shell("cp -a shared before")
    try await a.library.revoke(try await replica(c), passphrase: "new horse", cost: .least)
    _ = try await a.mark("room.md", "One cannot think well")
    _ = try await a.library.sync()
    // In a copy of the target, two unknown devices join with carl's keys and issue epochs.
    try folder.shell("mv shared real; mv before shared")
    let (x, y) = (try Machine(folder, "xaver"), try Machine(folder, "yves"))
    for machine in [x, y] {
      _ = try await machine.library.joinSync(machine.offer, passphrase: "correct horse")
    }
    try await x.add("room.md", Machine.text)
    _ = try await x.mark("room.md", "the great problem")
    _ = try await x.library.sync()
    try await x.library.revoke(try await replica(c), passphrase: "of xaver", cost: .least)
    try await x.library.revoke(try await replica(y), passphrase: "of xaver too", cost: .least)
    try folder.shell("mv shared theirs; mv real shared; cp -an theirs/. shared/")
    for _ in 0..<3 { for machine in [b, a] { _ = try await machine.library.sync() } }
    try await Machine.expectSame(a, b)
    #expect(
      try await b.all().map(\.selector.exact).sorted() == [
        "One cannot think well", "a room of her own",
      ])
    // The unknown devices don't get the next key either, and the passphrase is unchanged.
    let d = try Machine(folder, "dora")
    _ = try await d.library.joinSync(d.offer, passphrase: "new horse")
    for machine in [a, b] { _ = try await machine.library.sync() }
    try await a.library.revoke(try await replica(b), passphrase: "newer horse", cost: .least)
    _ = try await a.mark("room.md", "unsolved")
    for machine in [a, d] { _ = try await machine.library.sync() }
    try await Machine.expectSame(a, d)
    _ = try await failure { _ = try await x.library.sync() }
    #expect(try await x.all().count == 2)
  }
}

extension Library {
  /// Returns the hashes of the texts that are stored for all documents.
  fileprivate func keptTexts() throws -> [ContentDigest] {
    let documents = try documents()
    return try storage {
      try store.read { transaction in try documents.flatMap { try transaction.keptTexts(of: $0.id) }
      }
    }
  }
}
