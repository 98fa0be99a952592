import FoundationEssentials
import Glibc
package import Model

/// Creates a library from an export that `StoreExport` wrote.
package enum StoreImport {
  /// The reason why an export was rejected.
  package struct Refusal: Error, Hashable, Sendable {
    /// The number of the invalid line, from 1; nil if the problem is not in a single line.
    package var line: Int?
    /// The reason, without the line number.
    package var reason: String
    /// Whether the reason is the existing library rather than the export.
    package var isOfLibrary = false
  }

  /// The content of an import.
  package struct Result: Hashable, Sendable {
    /// The numbers of imported records. Documents and highlights in the trash are included.
    package var (documents, highlights, operations): (Int, Int, Int)
    /// The files beside the database, by name. The caller must write them.
    package var files: [String: String] = [:]
  }

  /// The maximum length of a line in bytes, above which the export is refused. It fits the longest
  /// text with every character escaped.
  private static let lineLimit = 512 << 20

  /// Imports an export, checks the result, and installs it as the library.
  ///
  /// - Parameters:
  ///   - library: the path of the database. It must not exist, or must contain no operations.
  ///   - dryRun: whether to check the export without installing the result.
  ///   - digest: hashes a text, to verify the imported texts.
  ///   - read: returns the next bytes of the export; empty at its end.
  /// - Throws: ``Refusal`` if the export is invalid or the library is not empty; ``StoreError``:
  ///   `busy` if a process has the library open, another if the library cannot be written. Nothing
  ///   is stored then, except after `unconfirmed`.
  package static func run(
    into library: String, dryRun: Bool,
    digest: @escaping @Sendable (UnsafeBufferPointer<UInt8>) -> ContentDigest,
    read: @escaping () throws -> [UInt8]
  ) throws -> Result {
    do {
      let exists = access(library, F_OK) == 0
      if exists { try requireEmpty(library) }
      let old = exists && !dryRun ? try PageFile(library) : nil
      let folder = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
      let staged =
        try dryRun
        ? StagedFile(for: folder + "/diple", purpose: "import")
        : StagedFile(for: library, purpose: "import")
      let result = try fill(staged, read)
      do { try StoreRepair.check(staged, digest) } catch let error as StoreError {
        guard case .damaged(_, let detail) = error else { throw error }
        throw Refusal(reason: "its content is not a valid library: \(detail)")
      }
      if dryRun { return result }
      guard let old else {
        try staged.installAsNew(besides: ["-wal", "-shm", "-journal"])
        return result
      }
      let kept = staged.path + "-empty"
      try staged.install(replacing: old, keeping: kept)
      for ending in ["", "-wal", "-journal"] { unlink(kept + ending) }
      return result
    } catch let refusal as Refusal { throw refusal } catch {
      throw StoreError(error, path: library)
    }
  }

  private static func requireEmpty(_ library: String) throws {
    let database = try StoreFile.openToRead(library)
    let hasOperations = try database.first("SELECT 1 FROM operation LIMIT 1") { _ in true } ?? false
    if hasOperations {
      throw Refusal(reason: "the library \(library) is not empty", isOfLibrary: true)
    }
  }

  private static func fill(_ staged: StagedFile, _ read: @escaping () throws -> [UInt8])
    throws -> Result
  {
    var lines = Lines(limit: lineLimit, read)
    guard let first = try lines.next(),
      let head = try? JSONDecoder().decode(Head.self, from: first),
      head.diple == "library"
    else { throw Refusal(line: 1, reason: "it is not an export of a whole library") }
    guard head.version <= StoreExport.version, head.schema <= Schema.version else {
      throw Refusal(
        line: 1,
        reason: "a newer Diple made it (version \(head.version), schema \(head.schema))")
    }
    guard head.version == StoreExport.version, head.schema >= Schema.oldestVersion else {
      throw Refusal(
        line: 1,
        reason: "a test version of Diple made it (version \(head.version), schema \(head.schema))")
    }
    let database = try staged.openToFill()
    try Schema.prepare(database)
    database.setForeignKeys(false)
    var result = Result(documents: 0, highlights: 0, operations: 0)
    try database.transaction("IMMEDIATE") {
      try database.execute("DELETE FROM library")
      let shapes = Dictionary(
        uniqueKeysWithValues: try TableShape.all(of: database).map { ($0.name, $0) })
      var count = 0
      var isAtEnd = false
      while let bytes = try lines.next() {
        func refuse(_ reason: String) -> Refusal { Refusal(line: lines.number, reason: reason) }
        guard !isAtEnd else { throw refuse("there is text after the end") }
        let line: Line
        do { line = try JSONDecoder().decode(Line.self, from: bytes) } catch {
          throw refuse("it is not JSON of the expected form")
        }
        switch (line.table, line.row, line.file, line.text, line.end) {
        case (let table?, let row?, nil, nil, nil):
          guard let shape = shapes[table] else { throw refuse("there is no table '\(table)'") }
          do { try put(row, into: shape, database) } catch let refusal as Refusal {
            throw refuse(refusal.reason)
          } catch let error as SQLiteError where error.isOfRow {
            throw refuse("a row of '\(table)' is not valid: \(error.message)")
          }
          count += 1
          if table == "document" { result.documents += 1 }
          if table == "highlight" { result.highlights += 1 }
          if table == "operation" { result.operations += 1 }
        case (nil, nil, let file?, let text?, nil):
          guard StoreExport.fileNames.contains(file) else {
            throw refuse("'\(file)' is not a library file")
          }
          result.files[file] = text
        case (nil, nil, nil, nil, true?):
          guard let rows = line.rows else {
            throw refuse("the number of rows is missing")
          }
          guard rows == count else {
            throw refuse("it states \(rows.counted("row")), but there are \(count)")
          }
          isAtEnd = true
        default: throw refuse("it is not JSON of the expected form")
        }
      }
      guard isAtEnd else { throw Refusal(reason: "its end is missing") }
      // An export of an older version has no numbers.
      try NumberedRecord.complete(database)
    }
    try database.transaction("IMMEDIATE") {
      let transaction = try WriteTransaction(database, now: Date())
      try transaction.clearIndex()
      var mark: Int64? = 0
      while let last = mark { mark = try transaction.indexMissing(after: last, limit: 256) }
    }
    return result
  }

  private static func put(_ row: [String: Line.Value], into shape: TableShape, _ database: Database)
    throws
  {
    var row = row
    if shape.name == "snapshot", case .text(let text)? = row.removeValue(forKey: "text") {
      row["size"] = .number(Double(text.utf8.count))
      row["data"] = .bytes(Compression.compress(text))
    }
    var field: Operation.Field?
    if case .text(let name)? = row["field"] { field = Operation.Field(rawValue: name) }
    var (names, values): ([String], Arguments) = ([], [])
    for column in shape.columns {
      guard let value = row.removeValue(forKey: column.name) else { continue }
      names.append(column.name)
      values.append(try argument(value, column, of: field, database))
    }
    if let name = row.keys.sorted().first {
      throw Refusal(reason: "there is no column '\(name)' in '\(shape.name)'")
    }
    guard !names.isEmpty else { throw Refusal(reason: "a row of '\(shape.name)' is empty") }
    try database.execute(
      "INSERT INTO \(shape.name) (\(names.joined(separator: ", "))) VALUES ("
        + names.map { _ in "?" }.joined(separator: ", ") + ")", values)
  }

  private static func argument(
    _ value: Line.Value, _ column: TableShape.Column, of field: Operation.Field?,
    _ database: Database
  ) throws -> (any Bindable)? {
    switch (value, column.type) {
    case (.text(let text), "ANY"):
      guard let value = try? Operation.Value(stored: text) else { break }
      return database.coder.stored(value, of: field)
    case (.integer(let integer), "INTEGER"): return integer
    case (.number(let number), "INTEGER"):
      if let integer = Int64(exactly: number) { return integer }
    case (.text(let text), "INTEGER"): if let integer = Int64(text) { return integer }
    case (.integer(let integer), "REAL"): return Double(integer)
    case (.number(let number), "REAL"): return number
    case (.text(let text), "TEXT"): return text
    case (.bytes(let data), "BLOB"): return data
    case (.text(let text), "BLOB"): if let data = Data(base64Encoded: text) { return data }
    default: break
    }
    throw Refusal(reason: "'\(column.name)' is not of type \(column.type)")
  }

  private struct Head: Decodable {
    var diple: String
    var version: Int
    var schema: Int
  }

  private struct Line: Decodable {
    enum Value: Decodable {
      case integer(Int64)
      case number(Double)
      case text(String)
      case bytes(Data)

      init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let integer = try? container.decode(Int64.self) {
          self = .integer(integer)
        } else if let number = try? container.decode(Double.self) {
          self = .number(number)
        } else {
          self = .text(try container.decode(String.self))
        }
      }
    }

    var table: String?
    var row: [String: Value]?
    var file: String?
    var text: String?
    var end: Bool?
    var rows: Int?
  }

  /// Splits a stream of bytes into lines.
  private struct Lines {
    private let limit: Int
    private let read: () throws -> [UInt8]
    private var rest: [UInt8] = []
    private var start = 0
    private var isAtEnd = false
    /// The number of the line that ``next()`` returned last, from 1.
    private(set) var number = 0

    init(limit: Int, _ read: @escaping () throws -> [UInt8]) {
      (self.limit, self.read) = (limit, read)
    }

    mutating func next() throws -> Data? {
      var searched = start
      while true {
        if let end = rest[searched...].firstIndex(of: UInt8(ascii: "\n")) {
          defer { start = end + 1 }
          number += 1
          return Data(rest[start..<end])
        }
        searched = rest.count
        if isAtEnd {
          defer { (rest, start) = ([], 0) }
          if start == rest.count { return nil }
          number += 1
          return Data(rest[start...])
        }
        let more = try read()
        isAtEnd = more.isEmpty
        if start > 0 {
          rest.removeFirst(start)
          (searched, start) = (searched - start, 0)
        }
        guard rest.count + more.count <= limit else {
          throw Refusal(line: number + 1, reason: "it is longer than \(limit >> 20) MiB")
        }
        rest += more
      }
    }
  }
}
