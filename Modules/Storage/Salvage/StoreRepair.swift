package import FoundationEssentials
package import Model

/// What a repair saved, and what it could not save.
package struct RepairReport: Hashable, Sendable {
  /// Where the library as it was is kept.
  package var kept = ""
  /// How many documents the library has now, removed ones too.
  package var documents = 0
  /// How many highlights it has now, those in the trash too.
  package var highlights = 0
  /// How many operations it has now.
  package var operations = 0
  /// How many texts of documents it keeps now.
  package var texts = 0
  /// What could not be saved, a line each.
  package var lost: [String] = []
  /// What was put right otherwise, a line each.
  package var mended: [String] = []

  init() {}
}

/// Makes a sound library of a damaged one.
///
/// Every row that can be read is taken into a new file, records are made anew from the operations,
/// and the new file takes the old one's place when it is sound. The old one is kept.
package enum StoreRepair {
  /// Repairs the library at a path.
  ///
  /// O(size). Of rows, only those of records that are in doubt are held in memory.
  ///
  /// - Parameters:
  ///   - kept: where the library as it is now is to be kept; nothing may be there.
  ///   - digest: the hash of a text.
  /// - Throws: `StoreError.busy` while a process has the library open, `foreign` for another
  ///   program's file, `damaged` for an empty file or where nothing is left to save. The library is
  ///   as it was then.
  package static func repair(
    _ path: String, keeping kept: String, now: Date,
    digest: @escaping (UnsafeBufferPointer<UInt8>) -> ContentDigest
  ) throws(StoreError) -> RepairReport {
    do {
      let file = try PageFile(path)
      guard file.pageCount > 0 else {
        throw StoreError.damaged(path: path, detail: "it is empty, 0 bytes")
      }
      let salvage = Salvage(file)
      guard salvage.isLibrary else { throw StoreError.foreign(path: path) }
      let staged = try StagedFile(for: path, purpose: "repair")
      var report = try fill(staged, from: salvage, now: now, digest: digest)
      try check(staged, digest)
      try staged.install(replacing: file, keeping: kept)
      report.kept = kept
      return report
    } catch { throw StoreError(error, path: path) }
  }

  private static func fill(
    _ staged: StagedFile, from salvage: Salvage, now: Date,
    digest: @escaping (UnsafeBufferPointer<UInt8>) -> ContentDigest
  ) throws -> RepairReport {
    let database = try staged.openToFill()
    let version = try version(of: salvage, path: staged.target)
    try Schema.migrate(database, to: version)
    database.setForeignKeys(false)
    let filler = RowFiller(database)
    try database.transaction("IMMEDIATE") {
      // The identity of the new file is not the library's.
      try database.execute("DELETE FROM library")
      try salvage.forEachRow(of: try TableShape.all(of: database)) { try filler.put($1, into: $0) }
    }
    var report = RepairReport()
    if version < Schema.version {
      // What refers to nothing would keep it from being brought up to date.
      try database.transaction("IMMEDIATE") {
        try RowCheck(database: database) { report.lost.append($0) }.removeDangling()
      }
      try Schema.migrate(database)
      database.setForeignKeys(false)
    }
    report.lost += lines(salvage, filler)
    for name in TableShape.names {
      if let count = salvage.uncountedRows[name] {
        report.mended.append(
          "\(counted(count, "row")) of the table '\(name)' found that the file no longer counted")
      }
    }
    return try database.transaction("IMMEDIATE") {
      try Rebuild(database, now: now, digest: digest, report: report).run()
    }
  }

  /// The version of the tables: what the header says, if the library's own list says the same.
  private static func version(of salvage: Salvage, path: String) throws -> Int {
    let known = 1...Schema.version
    let migrated = salvage.migrationCount
    if salvage.version > Schema.version, migrated.map({ $0 > Schema.version }) ?? true {
      throw StoreError.newer(path: path, version: salvage.version)
    }
    // A row of the list may be lost, and the header damaged: neither says more than there was.
    return [migrated, salvage.version].compactMap(\.self).filter(known.contains).max()
      ?? Schema.version
  }

  /// What of the file could not be read.
  private static func lines(_ salvage: Salvage, _ filler: RowFiller) -> [String] {
    var lines: [String] = []
    let pages = salvage.brokenPages.sorted()
    if !pages.isEmpty {
      let shown = pages.prefix(20).map(String.init).joined(separator: ", ")
      lines.append(
        "\(counted(pages.count, "page")) of the file cannot be read: \(shown)"
          + (pages.count > 20 ? ", …" : ""))
    }
    let incomplete = salvage.incompletePages.subtracting(pages).sorted()
    if !incomplete.isEmpty {
      let shown = incomplete.prefix(20).map(String.init).joined(separator: ", ")
      lines.append(
        "\(counted(incomplete.count, "page")) of the file with bytes that belong to nothing, of "
          + "which rows may be lost: \(shown)" + (incomplete.count > 20 ? ", …" : ""))
    }
    for name in TableShape.names {
      let count =
        max(salvage.brokenRows[name] ?? 0, salvage.missingRows(of: name))
        + (filler.refused[name] ?? 0)
      if count > 0 {
        lines.append("\(counted(count, "row")) of the table '\(name)' cannot be read")
      }
      if let count = filler.repeated[name] {
        lines.append("\(counted(count, "row")) of the table '\(name)' with the key of another row")
      }
    }
    return lines
  }

  static func counted(_ count: Int, _ name: String) -> String {
    "\(count) \(name)\(count == 1 ? "" : "s")"
  }

  /// Sees to it that what was made is sound.
  static func check(
    _ staged: StagedFile, _ digest: @escaping (UnsafeBufferPointer<UInt8>) -> ContentDigest
  ) throws {
    let database = try Database(staged.path, .readOnly, shownPath: staged.target)
    let problems = try database.transaction("DEFERRED") {
      let integrity = Integrity(ReadTransaction(database), digest: digest)
      try integrity.check()
      return integrity.problems
    }
    if let first = problems.first {
      throw StoreError.damaged(
        path: staged.target,
        detail: "what can be read of it makes no sound library: \(first)"
          + (problems.count > 1 ? ", and \(problems.count - 1) more" : ""))
    }
  }
}

/// Puts rows as they lay in a file into a new one.
final class RowFiller {
  private let database: Database
  /// How many rows a table did not take.
  private(set) var refused: [String: Int] = [:]
  /// How many rows had a key that an earlier one has.
  private(set) var repeated: [String: Int] = [:]

  init(_ database: Database) { self.database = database }

  func put(_ record: RawRecord, into shape: TableShape) throws {
    guard let arguments = shape.arguments(record) else {
      refused[shape.name, default: 0] += 1
      return
    }
    do {
      try database.execute(shape.insertion(of: arguments.count), arguments)
      if database.changesCount == 0 { repeated[shape.name, default: 0] += 1 }
    } catch let error as SQLiteError where error.isOfRow {
      refused[shape.name, default: 0] += 1
    }
  }
}

extension SQLiteError {
  /// Whether a value of a row is what a table does not take.
  var isOfRow: Bool {
    [SQLiteCode.constraint, .mismatch, .tooBig].contains { $0.rawValue == code }
  }

  private enum SQLiteCode: Int32 {
    case tooBig = 18
    case constraint = 19
    case mismatch = 20
  }
}
