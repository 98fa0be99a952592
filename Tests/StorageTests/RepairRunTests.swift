import Foundation
import Glibc
import Model
import TestSupport
import Testing

@testable import Storage

/// Tests repairing libraries that are damaged in random ways. The result is valid, contains
/// everything that is readable, and the report lists the rest.
@Suite(.timeLimit(.minutes(60))) struct RepairRunTests {
  let files = TemporaryStore()
  private var kept: String { files.folder + "/kept" }

  /// The number of damaged libraries. `DIPLE_REPAIR_RUNS` overrides it.
  private static let runs =
    ProcessInfo.processInfo.environment["DIPLE_REPAIR_RUNS"].flatMap { Int($0) } ?? 48

  /// A way to damage the bytes of a library.
  private enum Damage: CaseIterable {
    case bits, headerBits, zeroedPages, foreignPages, truncation, values, holesInPages, cellCounts
  }

  /// An operation whose loss a user would notice.
  private struct Saved: Hashable {
    var sequence: Int64
    var content: String
  }

  /// Returns the operations that SQLite reads from both ends, until a damaged row or page.
  private func operations(_ path: String) -> Set<Saved> {
    guard let database = try? Database(path, .readOnly) else { return [] }
    var rows: Set<Saved> = []
    for order in ["", " ORDER BY sequence", " ORDER BY sequence DESC"] {
      try? database.forEach(
        """
        SELECT sequence, replica || ' ' || time || ' ' || act || ' ' || record_kind || ' '
          || record_sequence || ' ' || record_replica || ' ' || field || ' ' || quote(value)
        FROM operation
        """ + order
      ) { row in
        if let number = try? row.integer(0), let text = try? row.text(1) {
          rows.insert(Saved(sequence: number, content: text))
        }
        return true
      }
    }
    return rows
  }

  private func damage(
    _ whole: Data, _ damage: Damage, _ columns: [[String]], _ random: inout SeededGenerator
  ) throws -> String {
    var bytes = whole
    let size = Int(whole[16]) << 8 | Int(whole[17])
    func page() -> Int { Int.random(in: 1..<bytes.count / size, using: &random) }
    var what = "\(damage)"
    switch damage {
    case .bits, .headerBits:
      let most = [10, 400, 400, 2_000].randomElement(using: &random)!
      let count = Int.random(in: 1...most, using: &random)
      for _ in 0..<count {
        let index = Int.random(in: (damage == .bits ? 100 : 0)..<bytes.count, using: &random)
        bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      }
      what += " \(count)"
    case .zeroedPages:
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        let start = page() * size
        bytes.replaceSubrange(start..<start + size, with: Data(count: size))
      }
    case .foreignPages:
      // Replace pages by others, like a disk that confuses its blocks.
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let (from, to) = (page() * size, page() * size)
        bytes.replaceSubrange(to..<to + size, with: Data(bytes[from..<from + size]))
      }
    case .truncation:
      bytes = bytes.prefix(Int.random(in: size * 2..<bytes.count, using: &random))
    case .holesInPages:
      // Overwrite the page header, which contains the offsets of the rows.
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        let start = page() * size
        for index in start..<start + 12 {
          bytes[index] = UInt8.random(in: 0...255, using: &random)
        }
      }
    case .cellCounts:
      // Decrease the count of rows or children of a page.
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        let start = page() * size
        let count = Int(bytes[start + 3]) << 8 | Int(bytes[start + 4])
        guard [2, 5, 10, 13].contains(bytes[start]), count > 0 else { continue }
        let fewer = Int.random(in: max(0, count - 9)..<count, using: &random)
        bytes[start + 3] = UInt8(fewer >> 8)
        bytes[start + 4] = UInt8(fewer & 0xFF)
        what += " \(start / size + 1): \(count) → \(fewer)"
      }
    case .values: break
    }
    for ending in ["-wal", "-shm"] { unlink(files.path + ending) }
    try bytes.write(to: URL(filePath: files.path))
    guard damage == .values else { return what }
    let values = [
      "-1", "0", "1 << 62", "'x'", "''", "x''", "x'00ff'", "CAST(x'ff41' AS TEXT)", "9e999", "NULL",
      "randomblob(40)", "zeroblob(3000000)", "char(0x1f)", "'tag:' || char(0x202e)",
    ]
    let database = try Database(files.path, .readWrite)
    database.setForeignKeys(false)
    try database.execute(sql: "PRAGMA ignore_check_constraints = ON")
    for _ in 0..<Int.random(in: 1...5, using: &random) {
      let column = columns.randomElement(using: &random)!
      let value = values.randomElement(using: &random)!
      let share = [2, 10, 100].randomElement(using: &random)!
      what += " \(column[0]).\(column[1]) = \(value) in 1 of \(share)"
      // If the table rejects a value, the row stays unchanged.
      try? database.execute(
        sql: """
          UPDATE OR IGNORE \(column[0]) SET \(column[1]) = \(value)
          WHERE abs(random()) % \(share) = 0
          """)
    }
    return what
  }

  /// Returns the number of rows in each table of user data. Anchors can be recomputed.
  private func counts() throws -> [String: Int] {
    try files.open().read { transaction in
      var counts: [String: Int] = [:]
      for name in TableShape.names where !["library", "operation", "anchor"].contains(name) {
        counts[name] = try transaction.first("SELECT count(*) FROM \(name)") { try $0.count(0) }
      }
      return counts
    }
  }

  /// Returns the number of a replica's operations that a report lists as lost.
  private func told(_ report: RepairReport, of replica: ReplicaID) -> Int {
    report.lost.reduce(0) { total, line in
      guard let end = line.range(of: " of replica \(replica): "),
        let count = Int(line[..<end.lowerBound].prefix { $0 != " " })
      else { return total }
      return total + count
    }
  }

  @Test func `repair keeps everything that is readable, and reports the rest`() throws {
    let seed = SeededGenerator.runSeed
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    try RepairTests(files).fill()
    let whole = try Data(contentsOf: URL(filePath: files.path))
    let all = operations(files.path)
    let replica = try files.open().read { try $0.replica() }
    let wholeCounts = try counts()
    try #require(all.count > 500)
    let columns = try files.sqlite(
      """
      SELECT m.name || ' ' || p.name FROM sqlite_schema m, pragma_table_info(m.name) p
      WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%' AND m.name NOT LIKE 'text_%'
      """
    ).split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
    for run in 0..<Self.runs {
      let kind = Damage.allCases[run % Damage.allCases.count]
      let what = "run \(run), \(try damage(whole, kind, columns, &random))"
      let copy = files.folder + "/copy.sqlite"
      try? FileManager.default.removeItem(atPath: copy)
      try FileManager.default.copyItem(atPath: files.path, toPath: copy)
      for ending in ["-wal", "-shm"] { unlink(copy + ending) }
      let readable = operations(copy)
      let before = try Data(contentsOf: URL(filePath: files.path))
      unlink(kept)
      let report: RepairReport
      do {
        report = try StoreRepair.repair(
          files.path, keeping: kept, now: Date(), digest: RepairTests.hash)
      } catch {
        // If nothing identifies the file as a library, it is not changed.
        #expect(kind == .headerBits && error == .foreign(path: files.path), "\(what): \(error)")
        #expect(try Data(contentsOf: URL(filePath: files.path)) == before, "\(what)")
        continue
      }
      let problems = try files.open().integrityProblems(digest: RepairTests.hash)
      #expect(problems.isEmpty, "\(what): \(problems)")
      #expect(try Data(contentsOf: URL(filePath: kept)) == before, "\(what)")
      let after = operations(files.path)
      // Invalid operations that SQLite can read are listed individually.
      let refused = readable.subtracting(after)
      let named = report.lost.count { $0.hasSuffix("has a value that Diple does not write") }
      let count = told(report, of: replica)
      #expect(
        refused.count <= max(named, count),
        "\(what): \(refused.count) readable are missing: \(refused.prefix(3)) \(report.lost)")
      let fewer = try counts().filter { $0.value < wholeCounts[$0.key, default: 0] }
      #expect(
        fewer.isEmpty || !report.lost.isEmpty,
        "\(what): \(fewer) of \(wholeCounts), and no loss is reported; \(report.corrections)")
      let missing = Set(all.map(\.sequence)).subtracting(after.map(\.sequence))
      let isIdentityLost = report.corrections.contains { $0.contains("identity was lost") }
      #expect(
        missing.count <= count || isIdentityLost,
        "\(what): \(missing.count) missing, \(count) told: \(report.lost) \(report.corrections)")
    }
  }
}
