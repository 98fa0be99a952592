import Interchange
import Storage
import SystemSupport

/// The tables of the databases that importers read: those of one, and of others beside it.
struct ImportedTables: ImportTables {
  private let databases: [ForeignDatabase]

  /// Opens a database.
  ///
  /// - Parameters:
  ///   - path: its file, whose write-ahead log is read too; empty for none.
  ///   - others: databases that have what this one refers to.
  /// - Returns: nil for data that is no database.
  init?(_ data: [UInt8], at path: String, beside others: [[UInt8]]) throws(UserError) {
    guard data.starts(with: ForeignDatabase.beginning) else { return nil }
    do throws(ForeignDatabase.Problem) {
      let log =
        path.isEmpty
        ? [] : (try? Descriptor.contentOfFile(path + "-wal", limit: data.count + 64 << 20)) ?? []
      var databases = [try ForeignDatabase(data, log: log)]
      for other in others { databases.append(try ForeignDatabase(other, log: [])) }
      self.databases = databases
    } catch {
      throw UserError(.usage, "\(path.isEmpty ? "the input" : path): \(error.description)")
    }
  }

  /// Whether some data is a database.
  static func isDatabase(_ data: [UInt8]) -> Bool { data.starts(with: ForeignDatabase.beginning) }

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
