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

/// Tests two copies of one device, each with its keys.
@Suite struct SyncForkTests {
  private let folder: WorkFolder

  init() throws { folder = try WorkFolder() }

  @Test func `a copy of a library that continues under the same name becomes a new device`()
    async throws
  {
    let (a, b) = try await Machine.pair(folder)
    try await a.add("room.md", Machine.text)
    _ = try await a.mark("room.md", "a room of her own")
    _ = try await a.library.sync()
    _ = try await b.library.sync()
    // The whole home folder is copied, including the keys.
    let clone = try Machine(folder, "clone", cloneOf: a, isImage: true)
    _ = try await a.mark("room.md", "One cannot think well")
    _ = try await clone.mark("room.md", "the great problem")
    _ = try await a.library.sync()
    let healed = try await clone.library.sync()
    #expect(healed.notices.contains { $0.contains("new device") })
    for _ in 0..<2 {
      _ = try await a.library.sync()
      _ = try await b.library.sync()
      _ = try await clone.library.sync()
    }
    try await Machine.expectSame(a, b, clone)
    #expect(try await b.all().count == 3)
    #expect(try await a.library.syncDevices().count == 3)
  }

  /// The arguments are whether one copy made more changes than the other, and whether another
  /// device first received the changes of the copy that gets a new name.
  @Test(arguments: [false, true], [false, true])
  func `two copies of a device that both sent changes lose nothing`(
    _ isLonger: Bool, _ isHeard: Bool
  ) async throws {
    let (a, b) = try await Machine.pair(folder)
    try await a.add("room.md", Machine.text)
    _ = try await a.mark("room.md", "a room of her own")
    _ = try await a.library.sync()
    let clone = try Machine(folder, "clone", cloneOf: a, isImage: true)
    _ = try await a.mark("room.md", "One cannot think well")
    if isLonger { _ = try await a.mark("room.md", "the true nature", note: "more") }
    _ = try await clone.mark("room.md", "the great problem")
    // Neither copy receives changes of the other, because the transport is delayed.
    try folder.shell("cp -a shared late")
    _ = try await a.library.sync()
    try folder.shell("mv shared first; mv late shared")
    _ = try await clone.library.sync()
    if isHeard {
      _ = try await b.library.sync()
      #expect(try await b.all().contains { $0.selector.exact == "the great problem" })
    }
    try folder.shell("cp -an first/. shared/")
    for _ in 0..<3 {
      _ = try await a.library.sync()
      _ = try await clone.library.sync()
    }
    for _ in 0..<2 { _ = try await b.library.sync() }
    try await Machine.expectSame(a, b, clone)
    #expect(try await b.all().count == (isLonger ? 4 : 3))
    #expect(Set(try await b.all().map(\.selector.exact)).count == (isLonger ? 4 : 3))
    #expect(try await b.library.sync().held.isEmpty)
  }

  /// Whether both copies sent before they met.
  @Test(arguments: [false, true])
  func `two disk images keep changes that both made in the same millisecond`(_ isSent: Bool)
    async throws
  {
    let begin = Date(timeIntervalSince1970: Date().timeIntervalSince1970.rounded())
    let clocks = [MachineClock(stoppedAt: begin), MachineClock(stoppedAt: begin)]
    let a = try Machine(folder, "anna", clock: clocks[0])
    _ = try await a.library.beginSync(a.offer, passphrase: "correct horse", cost: .least)
    try await a.add("room.md", Machine.text)
    _ = try await a.mark("room.md", "a room of her own")
    _ = try await a.library.sync()
    let clone = try Machine(folder, "clone", cloneOf: a, isImage: true, clock: clocks[1])
    for clock in clocks { clock.offset = 60 }
    _ = try await a.mark("room.md", "One cannot think well")
    _ = try await clone.mark("room.md", "the great problem")
    if isSent { try folder.shell("cp -a shared late") }
    _ = try await a.library.sync()
    if isSent {
      try folder.shell("mv shared first; mv late shared")
      _ = try await clone.library.sync()
      try folder.shell("cp -an first/. shared/")
    }
    for machine in [clone, a, clone, a] { _ = try await machine.library.sync() }
    try await Machine.expectSame(a, clone)
    #expect(
      Set(try await a.all().map(\.selector.exact))
        == ["a room of her own", "One cannot think well", "the great problem"])
  }

  /// Creates two copies of a device that both sent changes. Two other devices each receive those of
  /// one copy.
  ///
  /// - Parameter work: Changes the new highlight of the second copy on the device that received it.
  private func settle(_ work: (Machine, Highlight) async throws -> Void) async throws -> (
    a: Machine, b: Machine, c: Machine, clone: Machine
  ) {
    let (a, b) = try await Machine.pair(folder)
    let c = try Machine(folder, "carl")
    _ = try await c.library.joinSync(c.offer, passphrase: "correct horse")
    try await a.add("room.md", Machine.text)
    for machine in [b, c] { try await machine.add("room.md", Machine.text) }
    for machine in [a, b, c, a] { _ = try await machine.library.sync() }
    let clone = try Machine(folder, "clone", cloneOf: a, isImage: true)
    _ = try await a.mark("room.md", "One cannot think well", note: "of anna")
    _ = try await clone.mark("room.md", "the great problem")
    try folder.shell("cp -a shared late")
    _ = try await a.library.sync()
    try folder.shell("mv shared first; mv late shared")
    _ = try await clone.library.sync()
    for machine in [b, c] { _ = try await machine.library.sync() }
    let heard = try #require(try await b.all().first)
    #expect(heard.selector.exact == "the great problem")
    try await work(b, heard)
    for machine in [b, c] { _ = try await machine.library.sync() }
    try folder.shell("cp -an first/. shared/")
    for _ in 0..<2 { for machine in [a, clone, b, c] { _ = try await machine.library.sync() } }
    for machine in [a, clone, b, c] {
      #expect(try await machine.library.sync().held.isEmpty, "\(machine.offer.device)")
    }
    try await Machine.expectSame(a, b, c, clone)
    return (a, b, c, clone)
  }

  @Test func `changes of a copy's records by other devices apply to their new ids`() async throws {
    let (a, b, _, _) = try await settle { machine, heard in
      let painted = try await machine.library.paint(heard, .blue)
      _ = try await machine.library.annotate(painted, "mine")
    }
    for machine in [a, b] {
      let all = try await machine.all()
      #expect(all.map(\.selector.exact).sorted() == ["One cannot think well", "the great problem"])
      let other = try #require(all.first { $0.selector.exact == "the great problem" })
      #expect(other.note == "mine" && other.color == .blue)
      // The highlight that keeps the old id does not have these changes.
      let own = try #require(all.first { $0.selector.exact == "One cannot think well" })
      #expect(own.note == "of anna" && own.color == .yellow)
      #expect(try await machine.library.noteConflicts().isEmpty)
    }
  }

  @Test func `removing and restoring a copy's records by other devices apply to their new ids`()
    async throws
  {
    let (a, _, c, _) = try await settle { machine, heard in
      try await machine.library.setTrashed(true, [heard])
    }
    for machine in [a, c] {
      #expect(try await machine.all().map(\.selector.exact) == ["One cannot think well"])
    }
    // The user restores it.
    let trashed = try await c.library.highlights(HighlightFilter(trash: .only))
    #expect(trashed.map(\.selector.exact) == ["the great problem"])
    try await c.library.setTrashed(false, trashed)
    for machine in [c, a] { _ = try await machine.library.sync() }
    #expect(try await a.all().count == 2)
  }

  /// Whether the copy replaces the first library, like a restored backup, instead of continuing
  /// beside it.
  @Test(arguments: [false, true])
  func `unsent changes that both copies contain are sent once`(_ isBackup: Bool) async throws {
    let (a, b) = try await Machine.pair(folder)
    try await a.add("room.md", Machine.text)
    _ = try await a.library.sync()
    _ = try await a.mark("room.md", "a room of her own", note: "not sent")
    let copy = try Machine(folder, "copy", cloneOf: a, isImage: true)
    _ = try await a.mark("room.md", "One cannot think well")
    _ = try await a.library.sync()
    if !isBackup { _ = try await copy.mark("room.md", "the great problem") }
    _ = try await copy.library.sync()
    let all = isBackup ? [copy, b] : [a, copy, b]
    for _ in 0..<2 { for machine in all { _ = try await machine.library.sync() } }
    let quotes = try await b.all().map(\.selector.exact)
    #expect(quotes.count == (isBackup ? 2 : 3) && Set(quotes).count == quotes.count)
    try await isBackup ? Machine.expectSame(copy, b) : Machine.expectSame(a, copy, b)
  }

  // MARK: - Copies that detect that they are copies

  /// Whether the copy syncs before the original, and whether the change before copying was sent.
  @Test(arguments: [false, true], [false, true])
  func `two copies with changes become two devices, and all changes are kept`(
    _ isFirst: Bool, _ isSent: Bool
  ) async throws {
    let (a, b) = try await Machine.pair(folder)
    let c = try Machine(folder, "carl")
    _ = try await c.library.joinSync(c.offer, passphrase: "correct horse")
    try await a.add("room.md", Machine.text)
    _ = try await a.library.sync()
    _ = try await a.mark("room.md", "a room of her own", note: "before")
    if isSent { _ = try await a.library.sync() }
    let copy = try Machine(folder, "copy", cloneOf: a)
    _ = try await a.mark("room.md", "One cannot think well", note: "of anna")
    _ = try await copy.mark("room.md", "the great problem", note: "of the copy")
    // Neither copy receives changes of the other before it sends.
    try folder.shell("cp -a shared late")
    let (one, other) = isFirst ? (copy, a) : (a, copy)
    let sent = try await one.library.sync()
    _ = try await b.library.sync()
    for mark in try await b.all() { _ = try await b.library.paint(mark, .blue) }
    _ = try await b.library.sync()
    try folder.shell("mv shared first; mv late shared")
    let late = try await other.library.sync()
    _ = try await c.library.sync()
    for mark in try await c.all() { _ = try await c.library.annotate(mark, "of carl") }
    _ = try await c.library.sync()
    let notices = (isFirst ? sent : late).notices
    #expect(notices.contains { $0.contains("new device") }, "\(notices)")
    try folder.shell("cp -an first/. shared/")
    for _ in 0..<3 { for machine in [a, copy, b, c] { _ = try await machine.library.sync() } }
    try await Machine.expectSame(a, b, c, copy)
    for machine in [a, b, c, copy] {
      #expect(
        try await machine.all().map(\.selector.exact).sorted()
          == ["One cannot think well", "a room of her own", "the great problem"])
      #expect(try await machine.library.sync().held.isEmpty, "\(machine.offer.device)")
    }
    #expect(try await a.library.syncDevices().count == 4)
  }

  @Test func `unsent changes are sent by the copy of a library`() async throws {
    let (a, b) = try await Machine.pair(folder)
    try await a.add("room.md", Machine.text)
    _ = try await a.library.sync()
    _ = try await a.mark("room.md", "a room of her own", note: "not sent")
    // The original is never used again.
    let copy = try Machine(folder, "copy", cloneOf: a)
    for machine in [copy, b] { _ = try await machine.library.sync() }
    #expect(try await b.all().map(\.note) == ["not sent"])
    try await Machine.expectSame(copy, b)
  }

  @Test func `a copied library with the same home folder leaves the other one its keys`()
    async throws
  {
    let (a, b) = try await Machine.pair(folder)
    try await a.add("room.md", Machine.text)
    _ = try await a.library.sync()
    let home = URL(fileURLWithPath: a.notes).deletingLastPathComponent().path
    func copied(_ name: String) throws -> Library {
      try FileManager.default.copyItem(atPath: a.notes, toPath: "\(home)/\(name)")
      var location = LibraryLocation(folder: "\(home)/\(name)/.diple")
      location.usePersonalFolders(of: ["HOME": home])
      return try Library(at: location, plugins: .builtIn)
    }
    let (synced, left) = (try copied("synced"), try copied("left"))
    _ = try await synced.mark("\(home)/synced/room.md", "the great problem")
    _ = try await synced.sync()
    _ = try await left.leaveSync()
    _ = try await a.mark("room.md", "One cannot think well")
    for library in [a.library, synced, b.library, a.library, synced] {
      _ = try await library.sync()
    }
    #expect(try await b.all().count == 2)
    #expect(try await synced.stateDigest() == b.library.stateDigest())
  }

  @Test func `a library that was moved on the same disk stays the same device`() async throws {
    let (a, b) = try await Machine.pair(folder)
    try await a.add("room.md", Machine.text)
    _ = try await a.library.sync()
    let home = URL(fileURLWithPath: a.notes).deletingLastPathComponent().path
    try FileManager.default.moveItem(atPath: a.notes, toPath: "\(home)/moved")
    var location = LibraryLocation(folder: "\(home)/moved/.diple")
    location.usePersonalFolders(of: ["HOME": home])
    let moved = try Library(at: location, plugins: .builtIn)
    _ = try await moved.mark("\(home)/moved/room.md", "the great problem")
    #expect(try await moved.sync().notices == [])
    _ = try await b.library.sync()
    #expect(try await b.all().count == 1)
    #expect(try await b.library.syncDevices().count == 2)
  }

  @Test func `two copies of a library that is not synced yet become two devices`() async throws {
    let a = try Machine(folder, "anna")
    try await a.add("room.md", Machine.text)
    _ = try await a.mark("room.md", "a room of her own")
    let copy = try Machine(folder, "copy", cloneOf: a)
    _ = try await a.mark("room.md", "One cannot think well")
    _ = try await copy.mark("room.md", "the great problem")
    _ = try await copy.library.beginSync(copy.offer, passphrase: "correct horse", cost: .least)
    _ = try await a.library.joinSync(a.offer, passphrase: "correct horse")
    for machine in [copy, a] { _ = try await machine.library.sync() }
    #expect(
      try await a.all().map(\.selector.exact).sorted()
        == ["One cannot think well", "a room of her own", "the great problem"])
    try await Machine.expectSame(a, copy)
  }
}
