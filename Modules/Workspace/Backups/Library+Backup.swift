import Files
package import FoundationEssentials
import Glibc
import Model
import Storage
package import SystemSupport

extension Library {
  /// Writes a copy of the library to a file. Other processes may use the library at the same time.
  ///
  /// - Parameter replacing: whether an existing file is replaced.
  /// - Returns: the size of the copy in bytes.
  /// - Throws: `usage` if `path` is something other than a regular file; `conflict` if the file
  ///   exists and `replacing` is false, or if it cannot be written; `damaged` if the library is
  ///   damaged.
  package nonisolated func backUp(to path: String, replacing: Bool) throws(UserError) -> Int {
    if let status = try FileSystem.status(of: path), status.st_mode & S_IFMT != S_IFREG {
      throw UserError(.usage, "\(path) is not a regular file", hint: "choose another file")
    }
    do {
      return try StoreBackup.write(
        location.database, to: FileSystem.absolute(path), replacing: replacing
      ) { ContentDigest(sha256: Array($0)) }
    } catch let failure as StoreBackup.Failure { throw UserError(failure) } catch let error
      as StoreError
    { throw UserError(writing: error, path) } catch {
      throw UserError(.conflict, "\(path) could not be written: \(error)")
    }
  }

  /// Returns 16 hexadecimal digits that change when the library's content changes.
  ///
  /// - Throws: `damaged` or `conflict` if the library cannot be read.
  package func contentMark() throws(UserError) -> String {
    let mark = try storage { try store.read { try $0.contentMark() } }
    let digits = String(mark, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}

/// The result of repairing a library.
package struct LibraryRepair: Hashable, Sendable {
  /// The path of the copy of the damaged library.
  package var damagedPath: String
  /// The numbers of documents and highlights that were recovered, including those in the trash.
  package var (documents, highlights): (Int, Int)
  /// The numbers of operations and of stored texts that were recovered.
  package var (operations, texts): (Int, Int)
  /// The losses, one line each.
  package var lost: [String]
  /// The corrections that lost nothing, one line each.
  package var corrections: [String]
}

extension LibraryLocation {
  /// Builds a sound library from what can be read of this one. The damaged file is kept under
  /// another name.
  ///
  /// - Throws: `notFound` if the library does not exist; `conflict` if a process has the library
  ///   open, or it cannot be replaced; `damaged` if it is empty, belongs to another program, or
  ///   nothing can be recovered; `unconfirmed` if it was repaired but its name may not be durable.
  ///   After any other error the library is unchanged.
  package func repair(at now: Date) throws(UserError) -> LibraryRepair {
    try requireDatabase()
    do {
      let report = try StoreRepair.repair(
        database, keeping: try freeName("damaged", now), now: now
      ) { ContentDigest(sha256: Array($0)) }
      return LibraryRepair(
        damagedPath: report.damagedPath, documents: report.documents, highlights: report.highlights,
        operations: report.operations, texts: report.texts, lost: report.lost,
        corrections: report.corrections)
    } catch let error as UserError { throw error } catch let error as StoreError {
      throw UserError(replacing: error)
    } catch { throw notReplaced(error) }
  }

  /// Replaces the library with a backup. The previous library is kept under another name.
  ///
  /// - Returns: the path of the previous library; nil if no library existed.
  /// - Throws: `conflict` if a process has the library open, or it cannot be replaced; `damaged` if
  ///   the backup is damaged.
  package func restore(_ backup: String, at now: Date) throws(UserError) -> String? {
    try secureDatabase()
    try FileSystem.makeFolder(folder)
    do {
      let kept = try freeName("replaced", now)
      let isReplaced = try StoreBackup.restore(
        FileSystem.absolute(backup), to: database, keeping: kept
      ) { ContentDigest(sha256: Array($0)) }
      return isReplaced ? kept : nil
    } catch let error as UserError { throw error } catch let failure as StoreBackup.Failure {
      throw UserError(failure)
    } catch let error as StoreError { throw UserError(replacing: error) } catch {
      throw notReplaced(error)
    }
  }

  private func notReplaced(_ error: any Error) -> UserError {
    UserError(.conflict, "\(database) could not be replaced: \(error)")
  }

  private func requireDatabase() throws(UserError) {
    try secureDatabase()
    guard exists else { throw .noLibrary(at: folder) }
  }

  /// Returns an unused file name beside the database.
  ///
  /// - Throws: `conflict` if 99 such names are in use.
  private func freeName(_ reason: String, _ now: Date) throws(UserError) -> String {
    let name = "\(database).\(reason)-\(BackupFolder.stamp(now))"
    for number in 1...99 {
      let candidate = number == 1 ? name : "\(name)-\(number)"
      if try FileSystem.status(of: candidate) == nil { return candidate }
    }
    throw UserError(.conflict, "there are too many files named \(name)", hint: "remove some")
  }
}

extension UserError {
  fileprivate init(_ failure: StoreBackup.Failure) {
    self =
      switch failure {
      case .exists(let path):
        UserError(.conflict, "\(path) exists", hint: "pass --force to replace it")
      case .unusable(let path, let reason):
        UserError(
          .damaged, "\(path) cannot be restored: \(reason)", hint: "the library was not changed")
      }
  }

  /// Creates the error for a copy that could not be written.
  fileprivate init(writing error: StoreError, _ path: String) {
    switch error {
    case .damaged: self.init(error)
    default:
      self.init(error)
      message = error.description.replacing("the library ", with: "", maxReplacements: 1)
    }
  }

  /// Creates the error for a library that could not be replaced.
  fileprivate init(replacing error: StoreError) {
    self.init(error)
    switch error {
    case .busy:
      hint = "close the programs that use it; `diple daemon stop` ends its daemon"
    case .damaged: hint = "nothing was changed; `diple restore FILE` restores a backup"
    default: break
    }
  }
}
