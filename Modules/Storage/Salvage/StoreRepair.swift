package import FoundationEssentials
package import Model

/// The outcome of a repair.
package struct RepairReport: Hashable, Sendable {
  /// The path of the unrepaired library.
  package var damagedPath = ""
  /// The number of documents in the repaired library, including removed ones.
  package var documents = 0
  /// The number of highlights in the repaired library, including those in the trash.
  package var highlights = 0
  /// The number of operations in the repaired library.
  package var operations = 0
  /// The number of document texts in the repaired library.
  package var texts = 0
  /// The losses, a line for each.
  package var lost: [String] = []
  /// The corrections that lost nothing, a line for each.
  package var corrections: [String] = []

  init() {}
}

/// Repairs a damaged library.
///
/// All readable rows are copied into a new file, and the records are reconstructed from the
/// operations. If the result is sound, it replaces the old file, which is kept.
package enum StoreRepair {
  /// Repairs the library at a path. O(size).
  ///
  /// Rows are copied one at a time. The records of the damaged library are loaded into memory only
  /// if operations are missing.
  ///
  /// - Parameters:
  ///   - path: the database file.
  ///   - kept: the path for the unrepaired library. No file may exist there.
  ///   - now: the time for new operations.
  ///   - digest: hashes a text.
  /// - Throws: ``StoreError``: `busy` if a process has the library open, `foreign` for a file of
  ///   another application, `newer` or `older` for a version that cannot be read, `damaged` if the
  ///   file is empty or its readable rows are not a valid library. The library is unchanged then.
  ///   `unconfirmed` if the library was repaired but its name may not be durable.
  package static func repair(
    _ path: String, keeping kept: String, now: Date,
    digest: @escaping @Sendable (UnsafeBufferPointer<UInt8>) -> ContentDigest
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
      report.damagedPath = kept
      return report
    } catch { throw StoreError(error, path: path) }
  }

  private static func fill(
    _ staged: StagedFile, from salvage: Salvage, now: Date,
    digest: @escaping @Sendable (UnsafeBufferPointer<UInt8>) -> ContentDigest
  ) throws -> RepairReport {
    let database = try staged.openToFill()
    try Schema.prepare(database)
    try checkVersion(of: salvage, path: staged.target)
    database.setForeignKeys(false)
    let filler = RowFiller(database)
    try database.transaction("IMMEDIATE") {
      // Delete the identity of the new file. The identity of the damaged library is copied instead.
      try database.execute("DELETE FROM library")
      try salvage.forEachRow(of: try TableShape.all(of: database)) { try filler.put($1, into: $0) }
    }
    var report = RepairReport()
    report.lost += lines(salvage, filler)
    for name in TableShape.names {
      if let count = salvage.uncountedRows[name] {
        report.corrections.append(
          "found \(counted(count, "row")) of the table '\(name)' that the file no longer listed")
      }
    }
    return try database.transaction("IMMEDIATE") {
      try Rebuild(database, now: now, digest: digest, report: report).run()
    }
  }

  /// Checks that the tables of the file are those of a version that can be read.
  ///
  /// The version in the header may be damaged. A version that is too new or too old is therefore
  /// believed only if the file also has a table with a different definition.
  ///
  /// - Throws: `StoreError.newer` or `StoreError.older`.
  private static func checkVersion(of salvage: Salvage, path: String) throws {
    let found = salvage.version
    guard found > Schema.version || (1..<Schema.oldestVersion).contains(found) else { return }
    let hasOtherTables = Schema.statements.contains { statement in
      let name = statement.split { " (".contains($0) }.dropFirst(2).first.map(String.init) ?? ""
      guard TableShape.names.contains(name), let other = salvage.schema[name] else { return false }
      return other != statement
    }
    guard hasOtherTables else { return }
    throw found > Schema.version
      ? StoreError.newer(path: path, version: found)
      : StoreError.older(path: path, version: found)
  }

  /// Describes the parts of the file that cannot be read, a line for each.
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
        "\(counted(incomplete.count, "page")) of the file with unassigned bytes, in which rows may "
          + "be lost: \(shown)" + (incomplete.count > 20 ? ", …" : ""))
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

  /// Checks the integrity of a new library.
  ///
  /// - Throws: `StoreError.damaged` if there are any problems.
  static func check(
    _ staged: StagedFile,
    _ digest: @escaping @Sendable (UnsafeBufferPointer<UInt8>) -> ContentDigest
  ) throws {
    let database = try Database(staged.path, .readOnly, shownPath: staged.target)
    let problems = try database.transaction("DEFERRED") {
      try Integrity(ReadTransaction(database), digest: digest).problems()
    }
    if let first = problems.first {
      throw StoreError.damaged(
        path: staged.target,
        detail: "its readable data is not a valid library: \(first)"
          + (problems.count > 1 ? ", and \(problems.count - 1) more" : ""))
    }
  }
}

/// Inserts rows from a damaged file into a new one.
final class RowFiller {
  private let database: Database
  /// The number of rows that each table rejected.
  private(set) var refused: [String: Int] = [:]
  /// The number of rows whose key was already present, by table.
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
  /// Whether the error is caused by a row's values.
  var isOfRow: Bool {
    [SQLiteCode.constraint, .mismatch, .tooBig].contains { $0.rawValue == code }
  }

  private enum SQLiteCode: Int32 {
    case tooBig = 18
    case constraint = 19
    case mismatch = 20
  }
}
