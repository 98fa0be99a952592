import Foundation
import Model
import SyncHistories
import TestSupport
import Testing

@testable import LibrarySync
@testable import Workspace

/// Tests removals by other devices, and a damaged file of this device.
@Suite struct SyncRemovalTests {
  private let folder: WorkFolder

  init() throws { folder = try WorkFolder() }

  @Test func `removals in several segments are counted together`() async throws {
    let (a, b) = try await Machine.pair(folder)
    let words = (100..<220).map { "word\($0)" }
    try await a.add("room.md", words.joined(separator: " "))
    var marks: [Highlight] = []
    for word in words { marks.append(try await a.mark("room.md", word)) }
    for machine in [a, b] { _ = try await machine.library.sync() }
    _ = try await b.library.annotate(marks[119], "before")
    _ = try await b.library.sync()
    for part in [marks[..<40], marks[40..<80]] {
      try await b.library.setTrashed(true, Array(part))
      _ = try await b.library.sync()
    }
    for _ in 0..<2 {
      let report = try await a.library.sync()
      #expect(report.held.map(\.reason.detail) == ["ben removed 80 records since the last sync"])
      #expect(report.held.first?.reason.kind == .removals)
      #expect(try await a.all().count == 120)
    }
    // The changes that the device made before the removals are applied.
    #expect(try await a.all().contains { $0.note == "before" })
    // A device that joins later, and never had the records, needs no consent.
    let c = try Machine(folder, "carl")
    #expect(
      try await c.library.joinSync(c.offer, passphrase: "correct horse").held.isEmpty)
    var options = SyncOptions()
    options.removals = true
    #expect(try await a.library.sync(options).held.isEmpty)
    #expect(try await a.all().count == 40)
    try await Machine.expectSame(a, b)
  }

  @Test func `records that a device created and removed itself are not counted`() async throws {
    let (a, b) = try await Machine.pair(folder)
    let words = (100..<160).map { "word\($0)" }
    try await a.add("room.md", words.joined(separator: " "))
    var marks: [Highlight] = []
    for word in words { marks.append(try await a.mark("room.md", word)) }
    _ = try await a.library.sync()
    try await a.library.setTrashed(true, marks)
    _ = try await a.library.sync()
    #expect(try await b.library.sync().held.isEmpty)
    try await Machine.expectSame(a, b)
  }

  @Test func `a permanent removal is reported for the one record that was changed on this device`()
    async throws
  {
    let (a, b) = try await Machine.pair(folder)
    let words = (100..<130).map { "word\($0)" }
    try await a.add("room.md", words.joined(separator: " "))
    var marks: [Highlight] = []
    for word in words { marks.append(try await a.mark("room.md", word)) }
    for machine in [a, b] { _ = try await machine.library.sync() }
    _ = try await b.library.annotate(marks[29], "said later")
    for mark in marks { try await a.library.destroy(mark) }
    _ = try await a.library.sync()
    let report = try await b.library.sync()
    #expect(report.notices.count == 1 && report.notices[0].contains("said later"))
  }

  @Test func `a damaged file of this device is reported, and the others are compacted`()
    async throws
  {
    let (a, _) = try await Machine.pair(folder)
    try await a.add("room.md", Machine.text)
    let mark = try await a.mark("room.md", "a room of her own")
    var notices: Set<String> = []
    for round in 0..<40 {
      _ = try await a.library.annotate(mark, "note \(round)")
      notices.formUnion(try await a.library.sync().notices)
      if round == 4 {
        try folder.shell(
          "truncate -s -3 \"$(find shared -name '*.seg' | sort | head -n 3 | tail -n 1)\"")
      }
    }
    #expect(notices.count == 1)
    #expect(notices.first?.contains("of this device cannot be read at the target") == true)
    let left = try folder.shell("find shared -name '*.seg' | wc -l")
    #expect(Int(left.trimmingCharacters(in: .whitespacesAndNewlines)) ?? 99 < 30)
  }
}
