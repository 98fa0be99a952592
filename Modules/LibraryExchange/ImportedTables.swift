import Interchange
import Storage
import SystemSupport
import Workspace

/// The tables of one or more SQLite databases, for importers.
///
/// If several databases have a table of the same name, the first one is used.
struct ImportedTables: ImportTables {
  private let databases: [ForeignDatabase]

  /// Opens copies of the databases; nil if `data` is not an SQLite database.
  ///
  /// - Parameters:
  ///   - data: the content of the main database file.
  ///   - path: its path, beside which its write-ahead log is read; empty for none.
  ///   - others: the contents of databases to which the main one refers.
  /// - Throws: `usage` if a database cannot be read.
  init?(_ data: [UInt8], at path: String, beside others: [[UInt8]]) throws(UserError) {
    guard data.starts(with: ForeignDatabase.beginning) else { return nil }
    do throws(ForeignDatabase.Problem) {
      let log =
        path.isEmpty
        ? []
        : (try? Descriptor.contentOfRegularFile(path + "-wal", limit: data.count + 64 << 20)) ?? []
      var databases = [try ForeignDatabase(data, log: log)]
      for other in others { databases.append(try ForeignDatabase(other, log: [])) }
      self.databases = databases
    } catch {
      throw UserError(.usage, "\(path.isEmpty ? "the input" : path): \(error.description)")
    }
  }

  func columns(of table: String) -> [String]? {
    databases.lazy.compactMap { $0.columns(of: table) }.first
  }

  func forEachRow(
    of table: String, _ columns: [String], _ body: ([ImportValue]) -> Void
  ) throws(ImportError) {
    guard let database = databases.first(where: { $0.columns(of: table) != nil }) else {
      throw ImportError("the database has no table \(table)")
    }
    do throws(ForeignDatabase.Problem) {
      try database.forEachRow(of: table, columns) { row in
        body(
          row.map { value in
            switch value {
            case .none: .none
            case .integer(let integer): .integer(integer)
            case .real(let real): .real(real)
            case .text(let text): .text(text)
            }
          })
      }
    } catch { throw ImportError(error.description) }
  }
}
