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

/// Tests machines with separate home folders, which share only a folder.
@Suite struct SyncTests {
  private let folder: WorkFolder

  init() throws { folder = try WorkFolder() }

  @Test func `a highlight of one machine is anchored in the other's edited copy`() async throws {
    let (a, b) = try await Machine.pair(folder)
    try await a.add("room.md", Machine.text)
    // The other copy was edited in the meantime, and is not in the library yet.
    try b.write(
      "room.md",
      Machine.text.replacingOccurrences(of: "# Rooms", with: "# Rooms\n\nAn old lecture.")
        .replacingOccurrences(of: "a room of her own", with: "a room of her very own"))
    _ = try await a.mark("room.md", "a room of her own", note: "central")
    _ = try await a.mark("room.md", "One cannot think well")
    let sent = try await a.library.sync()
    #expect(sent.sent > 0 && sent.received == 0)
    let came = try await b.library.sync()
    #expect(came.received >= sent.sent && came.linked.map(\.ground) == [.path])
    #expect(try await b.quotes() == ["a room of her very own", "One cannot think well"])
    #expect(try await b.all().first?.note == "central")
    #expect(try await b.all().allSatisfy { $0.anchor.line != nil })
    // Sync a change in the other direction.
    let first = try #require(try await b.all().first)
    _ = try await b.library.paint(first, .pink)
    _ = try await b.library.sync()
    _ = try await a.library.sync()
    #expect(try await a.all().first?.color == .pink)
    #expect(try await a.quotes() == ["a room of her own", "One cannot think well"])
    try await Machine.expectSame(a, b)
    let again = try await a.library.sync()
    #expect(again.sent == 0 && again.received == 0 && again.held.isEmpty)
  }

  @Test
  func `a wrong passphrase, another vault and an emptied target are reported, and nothing is lost`()
    async throws
  {
    let (a, b) = try await Machine.pair(folder)
    try await a.add("room.md", Machine.text)
    _ = try await a.mark("room.md", "a room of her own")
    _ = try await a.library.sync()
    _ = try await b.library.sync()
    let c = try Machine(folder, "carl")
    let wrong = try await failure {
      _ = try await c.library.joinSync(c.offer, passphrase: "wrong horse")
    }
    #expect(wrong.code == .usage && wrong.message.contains("passphrase"))
    #expect(try await c.library.syncPlace() == nil)
    let inUse = try await failure {
      _ = try await c.library.beginSync(c.offer, passphrase: "mine", cost: .least)
    }
    #expect(inUse.message.contains("in use for syncing already"))
    // The target is empty.
    try FileManager.default.removeItem(atPath: a.offer.address)
    let absent = try await failure { _ = try await a.library.sync() }
    #expect(absent.code == .notFound)
    try FileManager.default.createDirectory(
      atPath: a.offer.address, withIntermediateDirectories: true)
    let emptied = try await failure { _ = try await a.library.sync() }
    #expect(emptied.message.contains("emptied"))
    #expect(try await a.all().count == 1)
    // The target contains another vault.
    _ = try await c.library.beginSync(c.offer, passphrase: "mine", cost: .least)
    let foreign = try await failure { _ = try await b.library.sync() }
    #expect(foreign.message.contains("another library"))
    #expect(try await b.all().count == 1)
    // Send everything again, after the target was emptied.
    try FileManager.default.removeItem(atPath: a.offer.address + "/v1")
    var options = SyncOptions()
    options.upload = true
    _ = try await a.library.sync(options)
    _ = try await b.library.sync(options)
    let late = try Machine(folder, "dora")
    _ = try await late.library.joinSync(late.offer, passphrase: "correct horse")
    try await Machine.expectSame(a, b, late)
  }

  @Test func `a clock that is ahead defers only the changes of its machine`() async throws {
    let (a, b) = try await Machine.pair(folder)
    let clock = MachineClock()
    let c = try Machine(folder, "carl", clock: clock)
    _ = try await c.library.joinSync(c.offer, passphrase: "correct horse")
    try await a.add("room.md", Machine.text)
    let mark = try await a.mark("room.md", "a room of her own")
    for machine in [a, b, c] { _ = try await machine.library.sync() }
    // Set carl's clock three days ahead.
    clock.offset = 3 * 86_400
    _ = try await c.library.paint(mark, .blue)
    _ = try await b.library.paint(mark, .green)
    _ = try await b.library.sync()
    _ = try await c.library.sync()
    let report = try await a.library.sync()
    #expect(report.held.map(\.device) == ["carl"] && report.held.first?.reason.kind == .clock)
    #expect(report.held.first?.reason.detail.contains("3 days ahead") == true)
    #expect(try await a.all().first?.color == .green)
    #expect(try await a.library.syncStatus().devices.contains { $0.held != nil })
    var options = SyncOptions()
    options.clock = true
    let allowed = try await a.library.sync(options)
    #expect(allowed.held.isEmpty)
    #expect(try await a.all().first?.color == .blue)
    // Accepting a clock does not affect later changes.
    let next = try await a.mark("room.md", "One cannot think well")
    _ = try await a.library.sync()
    #expect(try await b.library.sync().held.map(\.device) == ["carl"])
    #expect(try await b.all().contains { $0.id == next.id })
    // The user can still change visible highlights.
    _ = try await a.library.paint(mark, .pink)
    #expect(try await a.all().first { $0.id == mark.id }?.color == .pink)
    _ = try await a.library.paint(next, .pink)
    #expect(try await a.all().first { $0.id == next.id }?.color == .pink)
    // These changes are not deferred by devices that accepted the clock either.
    _ = try await a.library.sync()
    _ = try await b.library.sync(options)
    _ = try await a.library.paint(mark, .yellow)
    let last = try await a.mark("room.md", "the great problem")
    _ = try await a.library.sync()
    #expect(try await b.library.sync().held.isEmpty)
    #expect(try await b.all().first { $0.id == mark.id }?.color == .yellow)
    #expect(try await b.all().contains { $0.id == last.id })
  }

  @Test
  func `undoing the addition of a document is refused if another device has a highlight in it`()
    async throws
  {
    let (a, b) = try await Machine.pair(folder)
    try await a.add("room.md", Machine.text)
    try b.write("room.md", Machine.text)
    for machine in [a, b] { _ = try await machine.library.sync() }
    _ = try await b.mark("room.md", "a room of her own")
    for machine in [b, a] { _ = try await machine.library.sync() }
    let refused = try await failure { _ = try await a.library.undo() }
    #expect(refused.message == "room.md has 1 highlight of another device; nothing was undone")
    #expect(try await a.all().count == 1)
  }

  @Test func `many removals at once are deferred until the user accepts them`() async throws {
    let (a, b) = try await Machine.pair(folder)
    let words = (100..<160).map { "word\($0)" }
    try await a.add("room.md", words.joined(separator: " "))
    var marks: [Highlight] = []
    for word in words { marks.append(try await a.mark("room.md", word)) }
    _ = try await a.library.sync()
    _ = try await b.library.sync()
    #expect(try await b.all().count == 60)
    try await a.library.setTrashed(true, marks)
    _ = try await a.library.sync()
    let report = try await b.library.sync()
    #expect(report.held.first?.reason.kind == .removals)
    #expect(try await b.all().count == 60)
    var options = SyncOptions()
    options.removals = true
    _ = try await b.library.sync(options)
    #expect(try await b.all().isEmpty)
    try await Machine.expectSame(a, b)
  }

  @Test func `a missing file of this device at the target is reported`() async throws {
    let (a, _) = try await Machine.pair(folder)
    try await a.add("room.md", Machine.text)
    _ = try await a.library.sync()
    let own = try await a.library.syncDevices()[0].replica
    try folder.shell("find shared -path '*\(own)*' -name '*.seg' -delete")
    let report = try await a.library.sync()
    #expect(report.notices.contains { $0.contains("missing at the target") })
  }

  @Test func `undo refuses to skip a step that another device replaced`() async throws {
    let (a, b) = try await Machine.pair(folder)
    try await a.add("room.md", Machine.text)
    try await b.add("room.md", Machine.text)
    let mark = try await a.mark("room.md", "a room of her own")
    _ = try await a.library.paint(mark, .green)
    for machine in [a, b] { _ = try await machine.library.sync() }
    _ = try await b.library.paint(mark, .blue)
    for machine in [b, a] { _ = try await machine.library.sync() }
    let refused = try await failure { _ = try await a.library.undo() }
    #expect(refused.code == .conflict && refused.message.contains("another device"))
    #expect(try await a.all().map(\.color) == [.blue])
    // Undoing again continues, because the user wants it.
    _ = try await a.library.undo()
    #expect(try await a.all().isEmpty)
  }

  @Test
  func `files of others under a device's name have no effect, and sending again repairs losses`()
    async throws
  {
    let (a, b) = try await Machine.pair(folder)
    try await a.add("room.md", Machine.text)
    _ = try await a.mark("room.md", "a room of her own")
    _ = try await a.library.sync()
    _ = try await b.library.sync()
    let replica = try await a.library.ownReplica()
    let vault = try FileManager.default.contentsOfDirectory(atPath: a.offer.address + "/v1")[0]
    let own = "\(a.offer.address)/v1/\(vault)/\(replica)"
    let first = try #require(
      try FileManager.default.contentsOfDirectory(atPath: own).first { $0.hasSuffix(".seg") })
    let old = try Data(contentsOf: URL(fileURLWithPath: "\(own)/\(first)"))
    for name in ["4000-4000.0123456789abcdef.seg", "1-2.0123456789abcdef.seg"] {
      for content in [Data(), old] {
        try content.write(to: URL(fileURLWithPath: "\(own)/\(name)"))
        #expect(try await a.library.sync().notices.isEmpty)
        #expect(try await a.library.ownReplica() == replica)
      }
      try FileManager.default.removeItem(atPath: "\(own)/\(name)")
    }
    var options = SyncOptions()
    options.upload = true
    for machine in [a, b, a] {
      _ = try await machine.library.sync(options)
      #expect(try await machine.all().count == 1)
      #expect(try await machine.library.syncDevices().count == 2)
    }
    // Losses are reported and repaired.
    try FileManager.default.removeItem(atPath: "\(own)/\(first)")
    #expect(try await a.library.verifySync().problems.contains { $0.contains("are missing") })
    #expect(try await b.library.verifySync().problems.contains { $0.contains("are missing") })
    _ = try await a.library.sync(options)
    let c = try Machine(folder, "carl")
    _ = try await c.library.joinSync(c.offer, passphrase: "correct horse")
    #expect(try await c.all().count == 1)
    #expect(try await a.library.verifySync().problems == [])
    try await Machine.expectSame(a, b, c)
    // A damaged file of this device is reported with the remedy, which replaces the file.
    for name in try FileManager.default.contentsOfDirectory(atPath: own)
    where name.hasSuffix(".seg") {
      try Data(old.prefix(20)).write(to: URL(fileURLWithPath: "\(own)/\(name)"))
    }
    let problems = try await a.library.verifySync().problems
    #expect(problems.contains { $0.contains("cut short") && $0.contains("sync now --upload") })
    _ = try await a.library.sync(options)
    #expect(try await a.library.verifySync().problems == [])
  }

  @Test func `a device that left without changes is not listed`() async throws {
    let (a, b) = try await Machine.pair(folder)
    try await a.add("room.md", Machine.text)
    _ = try await a.mark("room.md", "a room of her own")
    let c = try Machine(folder, "carl")
    _ = try await c.library.joinSync(c.offer, passphrase: "correct horse")
    for machine in [a, b, c] { _ = try await machine.library.sync() }
    #expect(try await a.library.syncDevices().count == 3)
    _ = try await c.library.leaveSync()
    _ = try await c.library.joinSync(c.offer, passphrase: "correct horse")
    _ = try await a.library.sync()
    let devices = try await a.library.syncDevices()
    #expect(devices.count == 3 && !devices.contains { $0.hasLeft }, "\(devices)")
  }

  @Test func `a permanent removal by another device is reported if this device changed the record`()
    async throws
  {
    let (a, b) = try await Machine.pair(folder)
    try await a.add("room.md", Machine.text)
    try await b.add("room.md", Machine.text)
    let mark = try await a.mark("room.md", "a room of her own")
    for machine in [a, b, a] { _ = try await machine.library.sync() }
    _ = try await b.library.annotate(mark, "said later")
    try await a.library.destroy(mark)
    _ = try await a.library.sync()
    let report = try await b.library.sync()
    #expect(
      report.notices == [
        """
        anna permanently removed a record that was changed here since: “a room of her own”, note: \
        said later
        """
      ])
    #expect(try await b.all().isEmpty)
    _ = try await a.library.sync()
    try await Machine.expectSame(a, b)
  }

  @Test func `a removal by another device is reported if this device changed the highlight`()
    async throws
  {
    let (a, b) = try await Machine.pair(folder)
    try await a.add("room.md", Machine.text)
    try await b.add("room.md", Machine.text)
    let mark = try await a.mark("room.md", "a room of her own")
    let plain = try await a.mark("room.md", "money")
    for machine in [a, b, a] { _ = try await machine.library.sync() }
    _ = try await b.library.annotate(mark, "said later")
    try await a.library.setTrashed(true, [mark, plain])
    _ = try await a.library.sync()
    let report = try await b.library.sync()
    #expect(
      report.notices == [
        """
        anna removed a highlight that was changed here since: “a room of her own”, note: said \
        later; the trash keeps it with your changes; to restore it: diple trash restore \(mark.id)
        """
      ])
    _ = try await a.library.sync()
    try await Machine.expectSame(a, b)
  }

  @Test func `an oversized file is reported and defers only its device`() async throws {
    let (a, b) = try await Machine.pair(folder)
    try await a.add("room.md", Machine.text)
    _ = try await a.mark("room.md", "a room of her own")
    _ = try await a.library.sync()
    let files = try folder.shell("find '\(folder.path)/shared' -name '*.seg' -size +0").split(
      separator: "\n")
    for file in files { try folder.shell("truncate -s 200M '\(file)'") }
    let report = try await b.library.sync()
    #expect(report.held.map(\.device) == ["anna"])
    #expect(report.held.first?.reason.detail.contains("larger") == true)
  }

  @Test func `an oversized change is reported, and the others are sent after it is removed`()
    async throws
  {
    let (a, b) = try await Machine.pair(folder)
    let line = String(repeating: "words of some length ", count: 50) + "\n\n"
    try await a.add("long.md", String(repeating: line, count: 600))
    // A highlight is limited by its UTF-16 units, so its UTF-8 can exceed what can be sent.
    let wide = String(repeating: "wörds öf söme léngth ", count: 50) + "\n\n"
    try await a.add("longer.md", String(repeating: wide, count: 900))
    let path = a.notes + "/long"
    // A highlight of hundreds of KiB can be sent.
    let whole = try await a.library.mark(path + ".md", "all")
    #expect(whole.selector.exact.utf8.count > 600_000)
    _ = try await a.library.sync()
    _ = try await b.library.sync()
    #expect(try await b.all().map(\.selector) == [whole.selector])
    let tooLong = try await a.library.mark(path + "er.md", "all")
    let error = try await failure { _ = try await a.library.sync() }
    #expect(error.message.contains("highlight \(tooLong.shortID) has 1"))
    try await a.library.destroy(tooLong)
    _ = try await a.library.sync()
    _ = try await b.library.sync()
    #expect(try await b.all().count == 1)
  }

  @Test func `many small segments are compacted`() async throws {
    let (a, b) = try await Machine.pair(folder)
    try await a.add("room.md", Machine.text)
    let mark = try await a.mark("room.md", "a room of her own")
    for round in 0..<300 {
      _ = try await a.library.annotate(mark, "note \(round)")
      _ = try await a.library.sync()
    }
    let listed = try FileManager.default.subpathsOfDirectory(atPath: a.offer.address).filter {
      $0.hasSuffix(".seg")
    }
    #expect(listed.count <= 45, "\(listed.count)")
    _ = try await b.library.sync()
    try await Machine.expectSame(a, b)
    #expect(try await b.all().first?.note == "note 299")
  }

  @Test func `a damaged file defers its device until it is valid again`() async throws {
    let (a, b) = try await Machine.pair(folder)
    try await a.add("room.md", Machine.text)
    _ = try await a.mark("room.md", "a room of her own")
    _ = try await a.library.sync()
    let name = try #require(
      try FileManager.default.subpathsOfDirectory(atPath: a.offer.address).first {
        $0.hasSuffix(".seg")
      })
    let file = URL(fileURLWithPath: "\(a.offer.address)/\(name)")
    let whole = try Data(contentsOf: file)
    for part in [Data(), whole.dropLast(3), Data(whole.map { $0 ^ 1 })] {
      try part.write(to: file)
      let report = try await b.library.sync()
      #expect(report.held.map(\.reason.kind) == [.damaged])
      #expect(try await b.all().isEmpty)
    }
    #expect(try await b.library.syncDevices().last?.held?.tries == 3)
    try whole.write(to: file)
    #expect(try await b.library.sync().held.isEmpty)
    try await Machine.expectSame(a, b)
  }
}
