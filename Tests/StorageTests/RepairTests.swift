import CSQLite
import Foundation
import Glibc
import Model
import TestSupport
import Testing

@testable import Storage

/// Tests that repairing a damaged library keeps every readable row and yields a valid library.
@Suite struct RepairTests {
  let files: TemporaryStore
  private var kept: String { files.folder + "/kept" }

  init() { files = TemporaryStore() }

  /// Creates a suite with the files of another suite, which damages the library before the repair.
  init(_ files: TemporaryStore) { self.files = files }

  /// A 32-byte hash that needs no cryptographic library. Not collision resistant.
  static func hash(_ bytes: UnsafeBufferPointer<UInt8>) -> ContentDigest {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    return ContentDigest(
      bytes: (0..<4).flatMap { part in
        withUnsafeBytes(of: hash &* UInt64(part + 1)) { Array($0) }
      })!
  }

  static func digest(of text: String) -> ContentDigest {
    var text = text
    return text.withUTF8 { hash($0) }
  }

  private func repair() throws -> RepairReport {
    unlink(kept)
    return try StoreRepair.repair(files.path, keeping: kept, now: Date(), digest: Self.hash)
  }

  /// Creates a library with rows in every table that spans many pages.
  func fill(_ count: Int = 60) throws {
    try? FileManager.default.removeItem(atPath: files.folder)
    try FileManager.default.createDirectory(
      atPath: files.folder, withIntermediateDirectories: true)
    let store = try files.open()
    for number in 0..<count {
      try store.write { transaction in
        let text =
          "the quick fox and number \(number) of many " + String(repeating: "word ", count: number)
        let digest = Self.digest(of: text)
        var revision = sampleRevision(1)
        revision.textDigest = digest
        let document = try transaction.createDocument(
          path: DocumentPath("folder/\(number).md"), title: "Title \(number)", revision: revision,
          text: TextPreparation().prepare(text, positions: [1, 2, 3]))
        for part in 0..<3 {
          var selector = selector("the «quick» fox")
          selector.textDigest = digest
          let long = String(repeating: "long ", count: number * part * 20)
          _ = try transaction.createHighlight(
            in: document.id, selector: selector, color: .pink,
            note: "note \(number) \(part) \(long)",
            tags: ["t\(number % 7)", "all"],
            anchor: Anchor(range: selector.position, state: .exact, score: 1, method: "marked"))
        }
        if number % 5 == 0 {
          transaction.journal(JournalStep(.act, label: "replaced \(number)"))
          _ = try transaction.setLabel("label \(number)", of: .green)
          _ = try transaction.setQuery("query \(number)", named: "q\(number)")
        }
        if number % 3 == 0 {
          var source = Source()
          source.set(.title, typed: "Work \(number)")
          source.set(.author, typed: "Lee, Ann")
          let last = try transaction.documents(includingRemoved: false).max {
            $0.id.dot < $1.id.dot
          }
          _ = try transaction.setSource(source, of: last!.id)
          _ = try transaction.setProperty(.margins, "wide", of: .document(last!.id))
          _ = try transaction.setProperty(.style("s\(number)"), "{}", of: .library)
          _ = try transaction.createFormat(
            "{\"characters\":{\"size\":\(number)}}", in: last!.id,
            selector: selector("the «quick» fox"),
            anchor: Anchor(range: TextRange(utf16: 4..<9), state: .exact, score: 1, method: "m"))
        }
      }
    }
    let document = try store.read { try $0.documents(includingRemoved: false)[0] }
    try store.write { transaction in
      transaction.journal(JournalStep(.act, label: "a file"))
      let step = try transaction.beginStep([
        FileEdit(
          document: document.id, before: StorageTests.digest(1), after: StorageTests.digest(2),
          places: 1, patch: [1, 2], result: [3])
      ])
      _ = try transaction.confirmEdit(of: document.id, in: step)
    }
    let highlights = try store.read { try $0.highlights(HighlightFilter()) }
    _ = try store.write { try $0.setTrashed(true, of: highlights[0].id) }
    try store.write { try $0.purge(highlights[1].id) }
  }

  /// Returns the rows of a table that SQLite can read from either end, until the first damaged row
  /// or page.
  private func readable(_ sql: String, _ path: String) -> Set<String> {
    guard let database = try? Database(path, .readOnly) else { return [] }
    var rows: Set<String> = []
    for order in ["", " ORDER BY 1 DESC"] {
      try? database.forEach(sql + order) { row in
        if let text = try? row.text(0) { rows.insert(text) }
        return true
      }
    }
    return rows
  }

  private static let operations =
    "SELECT sequence || ' ' || replica || ' ' || time || ' ' || field || ' ' || quote(value) FROM operation"

  private func expectSound(_ comment: String) throws {
    let problems = try files.open().integrityProblems(digest: Self.hash)
    #expect(problems.isEmpty, "\(comment): \(problems)")
  }

  @Test func `salvage reads the same rows as SQLite from an undamaged library`() throws {
    try fill()
    // One change is only in the log.
    let store = try files.open()
    _ = try store.write { try $0.setLabel("another", of: .blue) }
    let expected = readable(Self.operations, files.path)
    let copy = files.folder + "/copy.sqlite"
    for ending in ["", "-wal"] {
      try FileManager.default.copyItem(atPath: files.path + ending, toPath: copy + ending)
    }
    let salvage = Salvage(try PageFile(copy))
    var counts: [String: Int] = [:]
    let shapes = try TableShape.all(of: try StoreFile.openInMemory())
    try salvage.forEachRow(of: shapes) { shape, _ in counts[shape.name, default: 0] += 1 }
    #expect(salvage.brokenPages.isEmpty && salvage.brokenRows.values.allSatisfy { $0 == 0 })
    #expect(counts["operation"] == expected.count)
    try store.read { transaction in
      for name in TableShape.names {
        let count = try transaction.first("SELECT count(*) FROM \(name)") { try $0.count(0) }
        #expect(counts[name, default: 0] == count, "\(name)")
      }
    }
  }

  @Test func `repairing a valid library changes nothing`() throws {
    try fill()
    let before = try files.open().read {
      (
        try $0.documents(includingRemoved: true),
        try $0.highlights(HighlightFilter(trash: .included, kind: .all)),
        try $0.journal(limit: 999), try $0.labels(), try $0.savedQueries(), try $0.sources(),
        try $0.documentProperties(), try $0.properties()
      )
    }
    let operations = readable(Self.operations, files.path)
    let report = try repair()
    #expect(report.lost.isEmpty && report.corrections.isEmpty, "\(report)")
    try expectSound("sound")
    let after = try files.open().read {
      (
        try $0.documents(includingRemoved: true),
        try $0.highlights(HighlightFilter(trash: .included, kind: .all)),
        try $0.journal(limit: 999), try $0.labels(), try $0.savedQueries(), try $0.sources(),
        try $0.documentProperties(), try $0.properties()
      )
    }
    #expect(before.0 == after.0 && before.1 == after.1 && before.2 == after.2)
    #expect(before.3 == after.3 && before.4 == after.4 && before.5 == after.5)
    #expect(before.6 == after.6 && before.7 == after.7 && !before.6.isEmpty && !before.7.isEmpty)
    #expect(readable(Self.operations, files.path) == operations)
    #expect(try files.open().read { try $0.isIndexWhole() })
    #expect(FileManager.default.fileExists(atPath: kept))
    var status = stat()
    #expect(stat(files.path, &status) == 0 && status.st_mode & 0o777 == 0o600)
    // No other file remains.
    let left = try FileManager.default.contentsOfDirectory(atPath: files.folder)
    #expect(
      Set(left).isSubset(of: [
        "library.sqlite", "library.sqlite-wal", "library.sqlite-shm", "kept", "kept-wal",
      ]))
  }

  /// Returns the sequence numbers of the operations that salvage finds. Closes the file.
  private func salvagedOperations() throws -> Set<String> {
    let salvage = Salvage(try PageFile(files.path))
    var saved: Set<String> = []
    try salvage.forEachRow(of: try TableShape.all(of: try StoreFile.openInMemory())) {
      if $0.name == "operation", case .integer(let sequence) = $1.values[0] {
        saved.insert("\(sequence)")
      }
    }
    return saved
  }

  @Test func `repair keeps the rest of a library with overwritten pages, and reports the loss`()
    throws
  {
    let seed = SeededGenerator.runSeed
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    try fill()
    let whole = try Data(contentsOf: URL(filePath: files.path))
    let total = readable(Self.operations, files.path).count
    let size = try #require(Int(try files.sqlite("PRAGMA page_size")))
    for round in 0..<20 {
      var bytes = whole
      var pages: Set<Int> = []
      for _ in 0...round % 4 {
        let page = Int.random(in: 1..<bytes.count / size, using: &random)
        pages.insert(page + 1)
        bytes.replaceSubrange(page * size..<(page + 1) * size, with: Data(count: size))
      }
      for ending in ["-wal", "-shm"] { unlink(files.path + ending) }
      try bytes.write(to: URL(filePath: files.path))
      let saved = try salvagedOperations()
      let report = try repair()
      try expectSound("round \(round)")
      let after = readable("SELECT '' || sequence FROM operation", files.path)
      let bad = report.lost.count { $0.hasPrefix("operation ") }
      let missing = saved.subtracting(after)
      #expect(missing.count <= bad, "round \(round): \(missing) \(report.lost)")
      let isTold = report.lost.contains { $0.contains("of replica") }
      #expect(isTold == (saved.count < total || bad > 0), "round \(round): \(report.lost)")
    }
  }

  /// Decrements the row count of a table's last page, so that its last row is unreachable.
  /// `forGood` also erases the pointer to the row.
  private func cutLastRow(of table: String, forGood: Bool) throws {
    try files.sqlite("PRAGMA wal_checkpoint(TRUNCATE)")
    let root = try #require(
      Int(try files.sqlite("SELECT rootpage FROM sqlite_schema WHERE name = '\(table)'")))
    let size = try #require(Int(try files.sqlite("PRAGMA page_size")))
    for ending in ["-wal", "-shm"] { unlink(files.path + ending) }
    var bytes = [UInt8](try Data(contentsOf: URL(filePath: files.path)))
    var start = (root - 1) * size
    if bytes[start] == 5 {
      let child = bytes[start + 8..<start + 12].reduce(0) { $0 << 8 | Int($1) }
      start = (child - 1) * size
    }
    try #require(bytes[start] == 13)
    let count = Int(bytes[start + 3]) << 8 | Int(bytes[start + 4])
    try #require(count > 1)
    bytes[start + 3] = UInt8((count - 1) >> 8)
    bytes[start + 4] = UInt8((count - 1) & 0xFF)
    // Erase the cell pointer too.
    let place = start + 6 + 2 * count
    if forGood { bytes.replaceSubrange(place..<place + 2, with: [0, 0]) }
    try Data(bytes).write(to: URL(filePath: files.path))
  }

  @Test(arguments: ["journal", "snapshot"], [false, true])
  func `a row missing from its page's count is recovered or reported as lost`(
    table: String, isForGood: Bool
  ) throws {
    try fill()
    let count = try #require(Int(try files.sqlite("SELECT count(*) FROM \(table)")))
    try cutLastRow(of: table, forGood: isForGood)
    #expect(try !files.open().integrityProblems(digest: Self.hash).isEmpty)
    let report = try repair()
    try expectSound(table)
    let after = try files.sqlite("SELECT count(*) FROM \(table)")
    if isForGood {
      #expect(after == "\(count - 1)")
      #expect(report.lost.contains("1 row of the table '\(table)' cannot be read"), "\(report)")
    } else {
      #expect(after == "\(count)" && report.lost.isEmpty)
      #expect(
        report.corrections.contains { $0.contains("table '\(table)' that the file no longer") },
        "\(report)")
    }
  }

  @Test func `a highlight without operations is rebuilt from its record`() throws {
    try fill(10)
    let before = try files.open().read { try $0.highlights(HighlightFilter(trash: .included)) }
    let last = try #require(before.last)
    // Delete all operations of the last highlight.
    try files.sqlite(
      "DELETE FROM operation WHERE record_sequence = \(last.id.dot.sequence) AND record_kind = 2")
    let report = try repair()
    #expect(report.lost.count == 1 && report.lost[0].contains("operations of replica"), "\(report)")
    #expect(report.corrections.contains { $0.contains("highlight \(last.id)") }, "\(report)")
    try expectSound("records")
    let after = try files.open().read { try $0.highlights(HighlightFilter(trash: .included)) }
    #expect(after.map(\.id) == before.map(\.id))
    let found = try #require(after.last)
    #expect((found.note, found.color, found.tags) == (last.note, last.color, last.tags))
    // The highlight's context was stored only in the deleted operation, so it is anchored again.
    var selector = last.selector
    (selector.prefix, selector.suffix) = ("", "")
    #expect(found.selector == selector)
    #expect(
      try files.sqlite(
        "SELECT count(*) FROM document WHERE source_digest = zeroblob(32) AND key = "
          + "(SELECT document FROM highlight WHERE sequence = \(last.id.dot.sequence))") == "1")
  }

  @Test func `files that are not libraries are rejected and left unchanged`() throws {
    let other = "CREATE TABLE t (a); INSERT INTO t VALUES (1);"
    let contents: [(String, StoreError)] = [
      ("", .damaged(path: files.path, detail: "it is empty, 0 bytes")),
      ("Some text.\n", .foreign(path: files.path)),
    ]
    for (content, error) in contents {
      try Data(content.utf8).write(to: URL(filePath: files.path))
      #expect(throws: error) { try repair() }
      #expect(try Data(contentsOf: URL(filePath: files.path)) == Data(content.utf8))
    }
    unlink(files.path)
    try files.sqlite(other)
    #expect(throws: StoreError.foreign(path: files.path)) { try repair() }
    #expect(try files.sqlite("SELECT a FROM t") == "1")
    #expect(!FileManager.default.fileExists(atPath: kept))
  }

  @Test func `a library that a process has open is not repaired`() throws {
    try fill(3)
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [
      "sqlite3", files.path, "BEGIN; SELECT count(*) FROM operation;", ".shell echo open; cat",
    ]
    let (input, output) = (Pipe(), Pipe())
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    defer {
      input.fileHandleForWriting.closeFile()
      process.waitUntilExit()
    }
    var said = ""
    while !said.contains("open") {
      let data = output.fileHandleForReading.availableData
      if data.isEmpty { break }
      said += String(decoding: data, as: UTF8.self)
    }
    #expect(throws: StoreError.busy(path: files.path)) { try repair() }
  }

  @Test func `a library with an invalid value in any column can be repaired`() throws {
    try fill(6)
    let whole = try Data(contentsOf: URL(filePath: files.path))
    let columns = try files.sqlite(
      """
      SELECT m.name || ' ' || p.name FROM sqlite_schema m, pragma_table_info(m.name) p
      WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%' AND m.name NOT LIKE 'text_%'
      """
    ).split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
    #expect(columns.count > 60)
    let values = ["-1", "1 << 62", "'x'", "x'00ff'", "CAST(x'ff41' AS TEXT)", "9e999"]
    for column in columns {
      for value in values {
        for ending in ["", "-wal", "-shm"] { unlink(files.path + ending) }
        try whole.write(to: URL(filePath: files.path))
        do {
          let database = try Database(files.path, .readWrite)
          database.setForeignKeys(false)
          try database.execute(
            sql: """
              PRAGMA ignore_check_constraints = ON;
              UPDATE OR IGNORE \(column[0]) SET \(column[1]) = \(value)
              WHERE rowid = (SELECT min(rowid) FROM \(column[0])) 
              """)
        } catch let error as SQLiteError where error.message.contains("rowid") {
          let database = try Database(files.path, .readWrite)
          do {
            try database.execute(
              sql: "UPDATE OR IGNORE \(column[0]) SET \(column[1]) = \(value)")
          } catch is SQLiteError { continue }
        } catch is SQLiteError { continue }
        do { _ = try repair() } catch {
          Issue.record("\(column[0]).\(column[1]) = \(value): \(error)")
          continue
        }
        try expectSound("\(column[0]).\(column[1]) = \(value)")
      }
    }
  }
}
