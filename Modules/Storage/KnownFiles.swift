package import Model

/// The facts about a document that show whether its file is unchanged.
package struct KnownFile: Sendable {
  /// The document, which was not removed.
  package var document: Document.ID
  package var path: DocumentPath
  /// Whether the file existed at the last check.
  package var isPresent: Bool
  /// The status of the file when it was last read; nil if it was never read.
  package var stamp: FileStamp?
  /// The version of the rules that rendered its newest text; 0 if no text is stored.
  package var renderVersion: Int
  /// The name of the dialect in which it was parsed; empty if unknown.
  package var dialect: String
}

extension KnownFile {
  fileprivate static let columns = """
    replica, sequence, path, bound, present, render_version, dialect,
    size, mtime, ctime, inode, device, checked
    """

  fileprivate init(_ row: DatabaseRow) throws {
    document = Document.ID(try row.dot(0))
    path = DocumentPath(try row.text(2), isElsewhere: !(try row.flag(3)))
    isPresent = try row.flag(4)
    renderVersion = try row.ifPresent(5) { try row.count($0) } ?? 0
    dialect = try row.ifPresent(6, row.strategyID) ?? ""
    stamp = try row.ifPresent(7) { try FileStamp(row, at: $0) }
  }
}

/// Reads the files of all documents that were not removed, in the order in which the documents were
/// added. A reader is valid only during the transaction that created it.
package final class KnownFileReader {
  private let rows: Database.Rows
  private let onProblem: ((BadValue) -> Void)?

  fileprivate init(_ transaction: ReadTransaction) throws {
    rows = try transaction.database.rows(
      "SELECT \(KnownFile.columns) FROM document WHERE trashed = 0 ORDER BY key")
    onProblem = transaction.database.onProblem
  }

  /// Returns the next files; an empty array after the last. Unreadable rows are reported and
  /// skipped.
  ///
  /// - Throws: ``StoreError`` if the database cannot be read.
  package func next(_ count: Int) throws -> [KnownFile] {
    var files: [KnownFile] = []
    files.reserveCapacity(count)
    while files.count < count, let row = try rows.next() {
      do { files.append(try KnownFile(row)) } catch let problem as BadValue { onProblem?(problem) }
    }
    return files
  }
}

extension ReadTransaction {
  /// Returns a reader of the files of all documents that were not removed.
  ///
  /// - Throws: ``StoreError`` if the database cannot be read.
  package func knownFiles() throws -> KnownFileReader { try KnownFileReader(self) }
}
