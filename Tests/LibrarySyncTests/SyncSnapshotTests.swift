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

/// Tests changes that only a snapshot contains, and no segment.
@Suite struct SyncSnapshotTests {
  private let folder: WorkFolder

  init() throws { folder = try WorkFolder() }

  /// Returns a device that left a vault and set up another one. Earlier changes are only in its
  /// snapshot.
  private func moved() async throws -> Machine {
    let a = try Machine(folder, "anna")
    try await a.add("room.md", Machine.text)
    _ = try await a.mark("room.md", "a room of her own", note: "before")
    let first = folder.path + "/first"
    try FileManager.default.createDirectory(atPath: first, withIntermediateDirectories: true)
    let offer = SyncOffer(transport: "folder", address: first, device: "anna")
    _ = try await a.library.beginSync(offer, passphrase: "correct horse", cost: .least)
    _ = try await a.library.leaveSync()
    _ = try await a.library.beginSync(a.offer, passphrase: "correct horse", cost: .least)
    _ = try await a.mark("room.md", "One cannot think well", note: "after")
    _ = try await a.library.sync()
    return a
  }

  private func snapshots() throws -> [String] {
    try folder.shell("find shared -name '*.snap'").split(separator: "\n").map(String.init)
  }

  @Test func `a snapshot that arrives after the first segments is applied`() async throws {
    let a = try await moved()
    let snapshot = try #require(try snapshots().first)
    try folder.shell("mv '\(snapshot)' late")
    let b = try Machine(folder, "ben")
    try b.write("room.md", Machine.text)
    _ = try await b.library.joinSync(b.offer, passphrase: "correct horse")
    #expect(try await b.all().isEmpty)
    try folder.shell("mv late '\(snapshot)'")
    _ = try await b.library.sync()
    #expect(try await b.all().map(\.note) == ["before", "after"])
    try await Machine.expectSame(a, b)
    // The snapshot is not read again.
    try folder.shell("truncate -s 0 '\(snapshot)'")
    #expect(try await b.library.sync().held.isEmpty)
  }

  @Test func `the snapshot is sent before the segments that depend on it`() async throws {
    let a = try await moved()
    _ = try await a.library.leaveSync()
    // The first segment cannot be sent, because it contains a highlight that is too large.
    let long = String(repeating: "wörd ", count: 190_000)
    try await a.add("long.md", long)
    _ = try await a.library.mark("\(a.notes)/long.md", "all")
    let other = folder.path + "/other"
    try FileManager.default.createDirectory(atPath: other, withIntermediateDirectories: true)
    let offer = SyncOffer(transport: "folder", address: other, device: "anna")
    let error = try await failure {
      _ = try await a.library.beginSync(offer, passphrase: "correct horse", cost: .least)
    }
    #expect(error.message.contains("cannot be sent"))
    #expect(try folder.shell("find other -name '*.snap' | wc -l").hasPrefix("1"))
  }

  @Test func `one snapshot is used by all devices that join`() async throws {
    var summing = SyncOptions()
    summing.summing = SnapshotRule(operations: 1, laterShare: 0)
    let a = try Machine(folder, "anna")
    try await a.add("room.md", Machine.text)
    _ = try await a.mark("room.md", "a room of her own")
    _ = try await a.library.beginSync(a.offer, passphrase: "correct horse", cost: .least, summing)
    #expect(try snapshots().count == 1)
    for name in ["ben", "carl"] {
      let machine = try Machine(folder, name)
      _ = try await machine.library.joinSync(machine.offer, passphrase: "correct horse", summing)
      _ = try await machine.library.sync(summing)
      try await Machine.expectSame(a, machine)
    }
    #expect(try snapshots().count == 1)
  }

  @Test func `a snapshot is written only if it leaves out many operations`() async throws {
    var summing = SyncOptions()
    summing.summing = SnapshotRule(operations: 4, laterShare: 0.5)
    let a = try Machine(folder, "anna")
    try await a.add("room.md", Machine.text)
    let mark = try await a.mark("room.md", "a room of her own")
    _ = try await a.library.beginSync(a.offer, passphrase: "correct horse", cost: .least, summing)
    #expect(try snapshots().isEmpty)
    let b = try Machine(folder, "ben")
    _ = try await b.library.joinSync(b.offer, passphrase: "correct horse", summing)
    try await Machine.expectSame(a, b)
    for number in 0..<20 {
      var change = HighlightChange()
      change.note = "note \(number)"
      _ = try await a.library.change(mark, change)
    }
    _ = try await a.library.sync(summing)
    #expect(try snapshots().count == 1)
    _ = try await b.library.sync(summing)
    let c = try Machine(folder, "carl")
    _ = try await c.library.joinSync(c.offer, passphrase: "correct horse", summing)
    try await Machine.expectSame(a, c)
    #expect(try snapshots().count == 1)
  }

  @Test func `a damaged snapshot is reported until it is replaced`() async throws {
    let a = try await moved()
    let snapshot = try #require(try snapshots().first)
    let whole = try Data(contentsOf: URL(fileURLWithPath: "\(folder.path)/\(snapshot)"))
    let b = try Machine(folder, "ben")
    for part in [whole.dropLast(3), Data(whole.map { $0 ^ 1 })] {
      try part.write(to: URL(fileURLWithPath: "\(folder.path)/\(snapshot)"))
      let report =
        try await b.library.syncPlace() == nil
        ? try await b.library.joinSync(b.offer, passphrase: "correct horse")
        : try await b.library.sync()
      #expect(report.held.map(\.device) == ["anna"])
      #expect(report.held.first?.reason.kind == .damaged)
    }
    try whole.write(to: URL(fileURLWithPath: "\(folder.path)/\(snapshot)"))
    #expect(try await b.library.sync().held.isEmpty)
    try await Machine.expectSame(a, b)
  }
}
