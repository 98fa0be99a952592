import Foundation
import Model
import Storage
import SyncHistories
import TestSupport
import Testing

@testable import LibrarySync
@testable import Workspace

/// Tests devices whose clock is temporarily wrong by years.
@Suite struct SyncClockTests {
  private let folder: WorkFolder
  private static let years: TimeInterval = 10 * 365 * 86_400

  init() throws { folder = try WorkFolder() }

  /// Returns two devices and a third one with an adjustable clock.
  private func vault() async throws -> (a: Machine, b: Machine, c: Machine, clock: MachineClock) {
    let (a, b) = try await Machine.pair(folder)
    let clock = MachineClock()
    let c = try Machine(folder, "carl", clock: clock)
    _ = try await c.library.joinSync(c.offer, passphrase: "correct horse")
    try await a.add("room.md", Machine.text)
    _ = try await a.mark("room.md", "a room of her own")
    for machine in [a, b, c] { _ = try await machine.library.sync() }
    try c.write("room.md", Machine.text)
    _ = try await c.library.sync()
    return (a, b, c, clock)
  }

  private func time(_ machine: Machine, of highlight: Highlight) throws -> Int64 {
    try Store(at: machine.notes + "/.diple/library.sqlite").read {
      try $0.operations(on: .highlight(highlight.id)).map(\.time.milliseconds).max() ?? 0
    }
  }

  @Test func `a highlight with a clock ten years ahead does not defer later changes`()
    async throws
  {
    let (a, b, c, clock) = try await vault()
    clock.offset = Self.years
    let ahead = try await c.mark("room.md", "the great problem")
    _ = try await c.library.sync()
    clock.offset = 0
    let later = try await c.mark("room.md", "the true nature", note: "with the right clock")
    #expect(try time(c, of: later) < Date().milliseconds + 60_000)
    _ = try await c.library.sync()
    let report = try await a.library.sync()
    #expect(report.held.map(\.device) == ["carl"])
    #expect(report.held.first?.reason.kind == .clock)
    #expect(report.held.first?.reason.detail.contains("3650 days ahead") == true)
    #expect(try await a.all().contains { $0.id == later.id && $0.note == "with the right clock" })
    #expect(try await !a.all().contains { $0.id == ahead.id })
    // The change from the future stays deferred. Other changes of the device are applied.
    _ = try await c.library.annotate(later, "and later")
    _ = try await c.library.sync()
    #expect(try await a.library.sync().held.map(\.reason.kind) == [.clock])
    #expect(try await a.all().contains { $0.note == "and later" })
    // The user accepts the change from the future.
    var options = SyncOptions()
    options.clock = true
    for machine in [a, b] { #expect(try await machine.library.sync(options).held.isEmpty) }
    #expect(try await a.all().contains { $0.id == ahead.id })
    for machine in [c, a, b] { #expect(try await machine.library.sync().held.isEmpty) }
    try await Machine.expectSame(a, b, c)
  }

  @Test func `a deferred change with an invalid value does not end later syncs`() async throws {
    let (a, _, c, _) = try await vault()
    let store = try Store(at: a.notes + "/.diple/library.sqlite")
    let highlight = try #require(try await a.all().first)
    let carl = try Store(at: c.notes + "/.diple/library.sqlite").read { try $0.replica() }
    let lie = Model.Operation(
      dot: Dot(replica: carl, sequence: 1_000), time: .init(milliseconds: 0),
      group: 1_000, record: .highlight(highlight.id), field: .selector, value: .text("../x"))
    #expect(throws: StoreError.self) {
      try store.write { try Library.storeDeferred([lie], in: $0) }
    }
    // Store the invalid operation, as an earlier version could.
    try store.write {
      try $0.setSyncState("ahead/\(lie.dot)", Array(try JSONEncoder.ordered().encode(lie)))
    }
    for _ in 0..<2 {
      let report = try await a.library.sync()
      #expect(report.held.map(\.device) == ["carl"])
      #expect(report.held.first?.reason.kind == .damaged)
    }
    _ = try await c.mark("room.md", "the true nature", note: "later")
    _ = try await c.library.sync()
    _ = try await a.library.sync()
    #expect(try await a.all().contains { $0.note == "later" })
  }

  @Test func `unsent changes made under a wrong clock are accepted by other devices`() async throws
  {
    let (a, b, c, clock) = try await vault()
    clock.offset = Self.years
    let mark = try await c.mark("room.md", "the great problem", note: "first")
    _ = try await c.library.annotate(mark, "second")
    let known = try #require(try await c.all().first)
    _ = try await c.library.paint(known, .blue)
    clock.offset = 0
    _ = try await c.library.sync()
    for machine in [a, b] {
      #expect(try await machine.library.sync().held.isEmpty)
      #expect(try await machine.all().contains { $0.id == mark.id && $0.note == "second" })
      #expect(try await machine.all().contains { $0.id == known.id && $0.color == .blue })
    }
    try await Machine.expectSame(a, b, c)
    // A later change of another device takes effect.
    _ = try await a.library.paint(known, .pink)
    for machine in [a, c, b] { _ = try await machine.library.sync() }
    #expect(try await c.all().contains { $0.id == known.id && $0.color == .pink })
    try await Machine.expectSame(a, b, c)
  }

  @Test func `a library with a timestamp in the future uses the current time for new changes`()
    async throws
  {
    let (a, _, c, _) = try await vault()
    // Store a clock that is ahead, as earlier versions did.
    let ahead = Timestamp(milliseconds: Date().milliseconds + Int64(Self.years) * 1000)
    try folder.shell(
      "sqlite3 carl/notes/.diple/library.sqlite 'UPDATE library SET clock = \(ahead.packed)'")
    let mark = try await c.mark("room.md", "the great problem")
    #expect(try time(c, of: mark) < Date().milliseconds + 60_000)
    _ = try await c.library.sync()
    #expect(try await a.library.sync().held.isEmpty)
    #expect(try await a.all().contains { $0.id == mark.id })
  }

  @Test func `changes of a device whose clock is ten years behind take effect on other devices`()
    async throws
  {
    let (a, b, c, clock) = try await vault()
    clock.offset = -Self.years
    let known = try #require(try await c.all().first)
    _ = try await c.library.paint(known, .blue)
    let mark = try await c.mark("room.md", "the great problem")
    _ = try await c.library.annotate(mark, "of carl")
    _ = try await c.library.sync()
    for machine in [a, b] {
      #expect(try await machine.library.sync().held.isEmpty)
      #expect(try await machine.all().contains { $0.id == known.id && $0.color == .blue })
      #expect(try await machine.all().contains { $0.id == mark.id && $0.note == "of carl" })
    }
    // For this device, whose clock is behind, the changes of the others are in the future. They are
    // applied when its clock is right.
    let other = try await a.mark("room.md", "the true nature")
    _ = try await a.library.sync()
    #expect(try await c.library.sync().held.map(\.reason.kind) == [.clock])
    clock.offset = 0
    #expect(try await c.library.sync().held.isEmpty)
    #expect(try await c.all().contains { $0.id == other.id })
    for machine in [a, b, c] { _ = try await machine.library.sync() }
    try await Machine.expectSame(a, b, c)
  }

  @Test func `a deferred highlight that is removed in the meantime is not restored`() async throws {
    let (a, b, c, clock) = try await vault()
    clock.offset = Self.years
    let mark = try await c.mark("room.md", "the great problem")
    _ = try await c.library.sync()
    clock.offset = 0
    #expect(try await a.library.sync().held.map(\.reason.kind) == [.clock])
    var options = SyncOptions()
    options.clock = true
    _ = try await b.library.sync(options)
    try await b.library.destroy(mark)
    _ = try await b.library.sync()
    _ = try await a.library.sync(options)
    for machine in [c, a, b] { _ = try await machine.library.sync(options) }
    #expect(try await a.all().count == 1)
    try await Machine.expectSame(a, b, c)
  }
}
