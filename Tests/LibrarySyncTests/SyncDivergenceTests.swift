import Foundation
import Model
import Storage
import Sync
import SyncHistories
import SystemSupport
import TestSupport
import Testing

@testable import LibrarySync
@testable import Workspace

/// Tests that permanent removals reach all devices, also by snapshots alone, and that libraries
/// with different contents are detected and made equal.
@Suite struct SyncDivergenceTests {
  private let folder: WorkFolder

  init() throws { folder = try WorkFolder() }

  private static func summing(every count: Int64) -> SyncOptions {
    var options = SyncOptions()
    options.summing = SnapshotRule(operations: count, laterShare: 0)
    return options
  }

  private func files(_ pattern: String) throws -> [String] {
    try folder.shell("find shared -name '\(pattern)'").split(separator: "\n").map(String.init)
  }

  /// Returns two devices with three highlights. The second is removed permanently on the first
  /// device after it was changed on the other.
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

  @Test func `a snapshot that arrives before the segment with a removal removes the highlight`()
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
    // A later change of another highlight reaches all devices.
    _ = try await b.library.annotate(try #require(try await b.all().first), "later")
    for machine in [b, a, c] { _ = try await machine.library.sync() }
    #expect(try await c.all().contains { $0.note == "later" })
    try await Machine.expectSame(a, b, c)
  }

  @Test func `a change of a highlight that a snapshot lacks is not an integrity error`()
    async throws
  {
    let (a, b) = try await removed()
    let before = Set(try files("*.s*"))
    _ = try await a.library.sync(Self.summing(every: 1))
    let late = Set(try files("*.s*")).subtracting(before)
    #expect(try files("*.snap").count == 1)
    // Ben changes the highlight before he receives its removal.
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
  func `a highlight removed before all devices moved to another target stays removed`(
    _ isSent: Bool
  )
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

  @Test func `changes that the founder of a new vault had not received are included`()
    async throws
  {
    let (a, b) = try await removed()
    _ = try await a.mark("room.md", "One cannot think well")
    _ = try await a.library.sync()
    // Ben has received neither the removal nor the last highlight, and sets up the next vault.
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

  @Test func `a target that was lost and set up again contains the removals`()
    async throws
  {
    let (a, b) = try await removed()
    _ = try await a.library.sync()
    try FileManager.default.removeItem(atPath: a.offer.address + "/v1")
    // Follow the hint that `sync now --upload` prints after a permanent removal: set up a new
    // vault.
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
  func `sync with upload restores a lost target, also after a permanent removal`()
    async throws
  {
    let (a, b) = try await removed()
    for machine in [a, b, a, b] { _ = try await machine.library.sync() }
    try FileManager.default.removeItem(atPath: a.offer.address + "/v1")
    var options = SyncOptions()
    options.upload = true
    for machine in [a, b, a, b] {
      let report = try await machine.library.sync(options)
      #expect(report.notices == [] && report.held.isEmpty)
    }
    // Syncing continues normally.
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

  @Test func `a snapshot with many removals is deferred until the user accepts it`() async throws {
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
    var options = SyncOptions()
    options.removals = true
    #expect(try await b.library.sync(options).held.isEmpty)
    #expect(try await b.all().count == 60)
    for machine in [a, b] { _ = try await machine.library.sync() }
    try await Machine.expectSame(a, b)
  }

  @Test func `removals of a replaced snapshot are applied after confirmation`()
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

  @Test func `a new highlight that a snapshot lacks is not treated as removed`()
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

  /// Simulates the fault of earlier versions, in which a library misses a removal by another one.
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

  @Test func `diverged libraries are reported, and verify makes them equal`() async throws {
    let (a, b) = try await diverge()
    // Each device publishes a digest of its state.
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

  @Test func `a large library publishes its state at most once in an interval`() async throws {
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
    // If the clock is set back, the state is published immediately.
    clock.offset = -10
    #expect(try await stateAfterChange(.blue) != second)
  }

  @Test func `verify lists the records that differ`() async throws {
    let (a, b) = try await Machine.pair(folder)
    try await a.add("room.md", Machine.text)
    let mark = try await a.mark("room.md", "a room of her own")
    for _ in 0..<2 { for machine in [a, b] { _ = try await machine.library.sync() } }
    #expect(try await b.library.verifySync().devices.map(\.result) == [.same])
    // Change a record without an operation, as a fault of the disk would.
    try folder.shell(
      "sqlite3 ben/notes/.diple/library.sqlite \"UPDATE highlight SET color = 'pink'\"")
    let found = try await b.library.verifySync()
    #expect(found.devices.map(\.result) == [.different])
    // A record whose name has the same group of checksums is listed, too.
    let records = try #require(found.devices.first?.records)
    #expect(records.contains("highlight \(mark.shortID) “a room of her own”"))
    #expect(records.count <= 3, "\(records)")
    // A device whose last state is not known yet is not compared.
    _ = try await a.mark("room.md", "the great problem")
    for _ in 0..<2 { _ = try await a.library.sync() }
    #expect(try await b.library.verifySync().devices.map(\.result) == [.unknown])
  }

  @Test func `a library that has lost changes writes no snapshot`() async throws {
    let (a, b) = try await removed()
    _ = try await a.library.sync()
    try folder.shell(
      """
      sqlite3 ben/notes/.diple/library.sqlite "DELETE FROM operation WHERE field = 'created' \
      AND sequence = (SELECT max(sequence) FROM operation WHERE field = 'created')"
      """)
    let report = try await b.library.sync(Self.summing(every: 1))
    #expect(report.notices.contains { $0.contains("some changes of this library are lost") })
    #expect(try files("*.snap").isEmpty)
  }
}

extension Library {
  /// Copies a highlight a number of times.
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
