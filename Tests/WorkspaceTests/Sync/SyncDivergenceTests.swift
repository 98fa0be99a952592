import Foundation
import Model
import Storage
import Sync
import SyncHistories
import SystemSupport
import TestSupport
import Testing

@testable import Workspace

/// What one device removes for good is removed on all of them, also where the others hear of it by a
/// snapshot alone; and libraries that differ are found and made the same.
@Suite struct SyncDivergenceTests {
  private let folder: WorkFolder

  init() throws { folder = try WorkFolder() }

  private static func summing(every count: Int64) -> SyncOptions {
    var allowance = SyncOptions()
    allowance.summing = count
    return allowance
  }

  private func files(_ pattern: String) throws -> [String] {
    try folder.shell("find shared -name '\(pattern)'").split(separator: "\n").map(String.init)
  }

  /// Two devices with three highlights, of which the second is removed for good on the first device and
  /// was changed on the other one before.
  private func removed() async throws -> (a: Machine, b: Machine) {
    let (a, b) = try await Machine.pair(folder)
    try await a.add("room.md", Machine.text)
    try b.write("room.md", Machine.text)
    _ = try await a.mark("room.md", "a room of her own")
    let mark = try await a.mark("room.md", "the great problem")
    for machine in [a, b] { _ = try await machine.library.sync() }
    _ = try await b.mark("room.md", "the true nature")
    _ = try await b.library.annotate(mark, "of ben")
    for machine in [b, a] { _ = try await machine.library.sync() }
    try await a.library.setTrashed(true, [mark])
    try await a.library.destroy(mark)
    return (a, b)
  }

  @Test func `a snapshot that arrives before the segment that removes takes the highlight along`()
    async throws
  {
    let (a, b) = try await removed()
    let before = Set(try files("*.seg"))
    _ = try await a.library.sync()
    let late = Set(try files("*.seg")).subtracting(before)
    #expect(late.count == 1)
    let c = try Machine(folder, "carl")
    _ = try await c.library.joinSync(
      c.offer, passphrase: "correct horse", Self.summing(every: 1))
    #expect(try files("*.snap").count == 1)
    for name in late { try folder.shell("mv '\(name)' late.seg") }
    _ = try await b.library.sync()
    #expect(
      try await b.all().map(\.selector.exact).sorted() == ["a room of her own", "the true nature"])
    for name in late { try folder.shell("mv late.seg '\(name)'") }
    for _ in 0..<2 { for machine in [a, b, c] { _ = try await machine.library.sync() } }
    try await Machine.expectSame(a, b, c)
    // What is said of another highlight afterwards is everywhere.
    _ = try await b.library.annotate(try #require(try await b.all().first), "later")
    for machine in [b, a, c] { _ = try await machine.library.sync() }
    #expect(try await c.all().contains { $0.note == "later" })
    try await Machine.expectSame(a, b, c)
  }

  @Test func `a change of a highlight that a snapshot lacks is no error of the library`()
    async throws
  {
    let (a, b) = try await removed()
    let before = Set(try files("*.s*"))
    _ = try await a.library.sync(Self.summing(every: 1))
    let late = Set(try files("*.s*")).subtracting(before)
    #expect(try files("*.snap").count == 1)
    // Ben changes the highlight before he hears that it was removed.
    try folder.shell("mkdir late")
    for name in late { try folder.shell("mv '\(name)' late/") }
    let mark = try #require(
      try await b.all().first { $0.selector.exact == "the great problem" })
    _ = try await b.library.annotate(mark, "later")
    _ = try await b.library.sync()
    for name in late {
      try folder.shell("mv \"late/$(basename '\(name)')\" '\(name)'")
    }
    let c = try Machine(folder, "carl")
    _ = try await c.library.joinSync(c.offer, passphrase: "correct horse")
    for machine in [b, a, c] { _ = try await machine.library.sync() }
    try await Machine.expectSame(a, b, c)
  }

  /// Whether the removal reached the first target.
  @Test(arguments: [false, true])
  func `what was removed before all went to another target stays removed`(_ isSent: Bool)
    async throws
  {
    let (a, b) = try await removed()
    if isSent { _ = try await a.library.sync() }
    for machine in [a, b] { _ = try await machine.library.leaveSync() }
    try FileManager.default.removeItem(atPath: a.offer.address + "/v1")
    _ = try await a.library.beginSync(a.offer, passphrase: "correct horse", cost: .least)
    _ = try await b.library.joinSync(b.offer, passphrase: "correct horse")
    for _ in 0..<2 { for machine in [a, b] { _ = try await machine.library.sync() } }
    #expect(
      try await b.all().map(\.selector.exact).sorted() == ["a room of her own", "the true nature"])
    try await Machine.expectSame(a, b)
  }

  @Test func `what one device had sent and the one that begins anew had not heard comes along`()
    async throws
  {
    let (a, b) = try await removed()
    _ = try await a.mark("room.md", "One cannot think well")
    _ = try await a.library.sync()
    // Ben has heard neither of the removal nor of the last highlight, and begins the next vault.
    for machine in [a, b] { _ = try await machine.library.leaveSync() }
    try FileManager.default.removeItem(atPath: a.offer.address + "/v1")
    _ = try await b.library.beginSync(b.offer, passphrase: "correct horse", cost: .least)
    _ = try await a.library.joinSync(a.offer, passphrase: "correct horse")
    for _ in 0..<2 { for machine in [b, a] { _ = try await machine.library.sync() } }
    #expect(
      try await b.all().map(\.selector.exact).sorted() == [
        "One cannot think well", "a room of her own", "the true nature",
      ])
    try await Machine.expectSame(a, b)
  }

  @Test func `a target that was lost and is set up again has what was removed removed`()
    async throws
  {
    let (a, b) = try await removed()
    _ = try await a.library.sync()
    try FileManager.default.removeItem(atPath: a.offer.address + "/v1")
    // As the hint of `now --upload` says where something was removed for good.
    for machine in [a, b] { _ = try await machine.library.leaveSync() }
    _ = try await a.library.beginSync(a.offer, passphrase: "correct horse", cost: .least)
    _ = try await b.library.joinSync(b.offer, passphrase: "correct horse")
    let c = try Machine(folder, "carl")
    _ = try await c.library.joinSync(c.offer, passphrase: "correct horse")
    for _ in 0..<2 { for machine in [a, b, c] { _ = try await machine.library.sync() } }
    #expect(try await b.all().count == 2)
    try await Machine.expectSame(a, b, c)
  }

  @Test
  func `a target that was lost gets everything again, also after something was removed for good`()
    async throws
  {
    let (a, b) = try await removed()
    for machine in [a, b, a, b] { _ = try await machine.library.sync() }
    try FileManager.default.removeItem(atPath: a.offer.address + "/v1")
    var allowance = SyncOptions()
    allowance.upload = true
    for machine in [a, b, a, b] {
      let report = try await machine.library.sync(allowance)
      #expect(report.notices == [] && report.held.isEmpty)
    }
    // The rest goes on from there.
    _ = try await a.mark("room.md", "One cannot think well")
    for machine in [a, b] {
      #expect(try await machine.library.sync().notices == [])
      #expect(try await machine.library.verifySync().problems == [])
    }
    let c = try Machine(folder, "carl")
    let joined = try await c.library.joinSync(c.offer, passphrase: "correct horse")
    #expect(joined.held.isEmpty)
    for machine in [b, c] { _ = try await machine.library.sync() }
    #expect(try await c.all().count == 3)
    try await Machine.expectSame(a, b, c)
  }

  @Test func `a snapshot that removes much waits for a person`() async throws {
    let (a, b) = try await Machine.pair(folder)
    let words = (100..<220).map { "word\($0)" }
    try await a.add("room.md", words.joined(separator: " "))
    var marks: [Highlight] = []
    for word in words { marks.append(try await a.mark("room.md", word)) }
    for machine in [a, b] { _ = try await machine.library.sync() }
    for mark in marks[..<60] { try await a.library.destroy(mark) }
    _ = try await a.library.sync()
    for machine in [a, b] { _ = try await machine.library.leaveSync() }
    try FileManager.default.removeItem(atPath: a.offer.address + "/v1")
    _ = try await a.library.beginSync(a.offer, passphrase: "correct horse", cost: .least)
    let report = try await b.library.joinSync(b.offer, passphrase: "correct horse")
    #expect(report.held.map(\.reason.kind) == [.removals])
    #expect(report.held.first?.reason.detail == "a snapshot of anna removes 60 records")
    #expect(try await b.all().count == 120)
    var allowance = SyncOptions()
    allowance.removals = true
    #expect(try await b.library.sync(allowance).held.isEmpty)
    #expect(try await b.all().count == 60)
    for machine in [a, b] { _ = try await machine.library.sync() }
    try await Machine.expectSame(a, b)
  }

  @Test func `removals of a snapshot that was replaced before they could be applied are applied`()
    async throws
  {
    let (a, b) = try await Machine.pair(folder)
    let c = try Machine(folder, "carl")
    _ = try await c.library.joinSync(c.offer, passphrase: "correct horse")
    let words = (100..<220).map { "word\($0)" }
    try await a.add("room.md", words.joined(separator: " "))
    var marks: [Highlight] = []
    for word in words { marks.append(try await a.mark("room.md", word)) }
    for machine in [a, b, c] { _ = try await machine.library.sync() }
    // The snapshot of anna contains removals of carl that ben has not confirmed.
    for mark in marks[..<60] { try await c.library.destroy(mark) }
    _ = try await c.library.sync()
    var summing = Self.summing(every: 1)
    summing.removals = true
    _ = try await a.library.sync(Self.summing(every: 1_000_000))
    let before = Set(try files("*.seg"))
    try await a.library.destroy(marks[100])
    _ = try await a.library.sync(summing)
    let late = Set(try files("*.seg")).subtracting(before)
    #expect(late.count == 1)
    for name in late { try folder.shell("mv '\(name)' late.seg") }
    #expect(try await b.library.sync().held.map(\.reason.kind) == [.removals])
    for name in late { try folder.shell("mv late.seg '\(name)'") }
    let first = try files("*.snap")
    #expect(first.count == 1)
    for color in [HighlightColor.blue, .pink, .green, .yellow, .blue, .pink, .green, .yellow] {
      for mark in marks[60..<100] { _ = try await a.library.paint(mark, color) }
    }
    _ = try await a.library.sync(summing)
    #expect(Set(try files("*.snap")).isDisjoint(with: first))
    _ = try await b.library.sync()
    #expect(try await b.all().count == 120)
    var accepting = SyncOptions()
    accepting.removals = true
    #expect(try await b.library.sync(accepting).held.isEmpty)
    #expect(try await b.all().count == 59)
    for machine in [a, b, c] { _ = try await machine.library.sync() }
    try await Machine.expectSame(a, b, c)
  }

  @Test func `a highlight that was made meanwhile is not taken for one that was removed`()
    async throws
  {
    let (a, b) = try await removed()
    _ = try await a.library.sync()
    let c = try Machine(folder, "carl")
    _ = try await c.library.joinSync(
      c.offer, passphrase: "correct horse", Self.summing(every: 1))
    _ = try await b.mark("room.md", "One cannot think well")
    for _ in 0..<2 { for machine in [b, a, c] { _ = try await machine.library.sync() } }
    #expect(try await c.all().count == 3)
    try await Machine.expectSame(a, b, c)
  }

  // MARK: - Libraries that have diverged

  /// Has a library miss what another one removed, as libraries did that read a snapshot before.
  private func diverge() async throws -> (a: Machine, b: Machine) {
    let (a, b) = try await removed()
    _ = try await a.library.sync()
    let own = try await a.library.ownReplica()
    let sent = try #require(
      try Store(at: a.notes + "/.diple/library.sqlite").read { try $0.progress()[own] })
    try Store(at: b.notes + "/.diple/library.sqlite").write { try $0.setProgress(sent, of: own) }
    _ = try await b.library.sync()
    #expect(try await b.all().count == 3)
    return (a, b)
  }

  @Test func `libraries that have diverged are named, and verify makes them the same`() async throws
  {
    let (a, b) = try await diverge()
    // Each device publishes what it contains.
    for machine in [a, b] { _ = try await machine.library.sync() }
    let report = try await a.library.verifySync()
    #expect(report.devices.map(\.device) == ["ben"])
    #expect(report.devices.first?.result == .different)
    #expect(report.problems.contains { $0.hasPrefix("the library of ben is different") })
    let mended = try await b.library.verifySync()
    #expect(mended.removed == 1)
    #expect(mended.problems == [])
    for _ in 0..<2 { for machine in [b, a] { _ = try await machine.library.sync() } }
    try await Machine.expectSame(a, b)
    let after = try await a.library.verifySync()
    #expect(after.problems == [])
    #expect(after.devices.map(\.result) == [.same])
    #expect(try await b.library.verifySync().removed == 0)
  }

  @Test func `a large library publishes its state only now and then`() async throws {
    let clock = MachineClock(stoppedAt: Date())
    let a = try Machine(folder, "anna", clock: clock)
    try await a.add("room.md", Machine.text)
    let mark = try await a.mark("room.md", "a room of her own")
    try await a.library.copies(of: mark, 10_000)
    _ = try await a.library.beginSync(a.offer, passphrase: "correct horse", cost: .least)
    _ = try await a.library.sync()
    let first = try files("state.*")
    #expect(first.count == 1)
    func stateAfterChange(_ color: HighlightColor) async throws -> [String] {
      _ = try await a.library.paint(mark, color)
      for _ in 0..<2 { _ = try await a.library.sync() }
      return try files("state.*")
    }
    #expect(try await stateAfterChange(.blue) == first)
    clock.offset = 170
    #expect(try await stateAfterChange(.pink) == first)
    clock.offset = 400
    let second = try await stateAfterChange(.green)
    #expect(second.count == 1 && second != first)
    #expect(try await stateAfterChange(.yellow) == second)
    // A clock that was set back does not delay it.
    clock.offset = -10
    #expect(try await stateAfterChange(.blue) != second)
  }

  @Test func `records that differ are named`() async throws {
    let (a, b) = try await Machine.pair(folder)
    try await a.add("room.md", Machine.text)
    let mark = try await a.mark("room.md", "a room of her own")
    for _ in 0..<2 { for machine in [a, b] { _ = try await machine.library.sync() } }
    #expect(try await b.library.verifySync().devices.map(\.result) == [.same])
    // No operation says so: as after a fault of the disk.
    try folder.shell(
      "sqlite3 ben/notes/.diple/library.sqlite \"UPDATE highlight SET color = 'pink'\"")
    let found = try await b.library.verifySync()
    #expect(found.devices.map(\.result) == [.different])
    #expect(
      found.devices.first?.records == ["highlight \(mark.shortID) “a room of her own”"])
    // Of what is not known yet, nothing is said.
    _ = try await a.mark("room.md", "the great problem")
    for _ in 0..<2 { _ = try await a.library.sync() }
    #expect(try await b.library.verifySync().devices.map(\.result) == [.unknown])
  }

  @Test func `a library that has lost changes is not summed up`() async throws {
    let (a, b) = try await removed()
    _ = try await a.library.sync()
    try folder.shell(
      """
      sqlite3 ben/notes/.diple/library.sqlite "DELETE FROM operation WHERE field = 'created' \
      AND sequence = (SELECT max(sequence) FROM operation WHERE field = 'created')"
      """)
    let report = try await b.library.sync(Self.summing(every: 1))
    #expect(report.notices.contains { $0.contains("some of its changes are lost") })
    #expect(try files("*.snap").isEmpty)
  }
}

extension Library {
  /// Makes highlights like another one.
  fileprivate func copies(of highlight: Highlight, _ count: Int) throws {
    let anchor = Anchor(range: TextRange(utf16: 0..<3), state: .exact, score: 1, method: "marked")
    try storage {
      try store.write { transaction in
        for _ in 0..<count {
          _ = try transaction.createHighlight(
            in: highlight.document, selector: highlight.selector, color: .green, note: "", tags: [],
            anchor: anchor)
        }
      }
    }
  }
}
