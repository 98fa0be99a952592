import Files
package import FoundationEssentials
import Glibc
import Model
import Storage
package import SystemSupport

extension Library {
  /// Writes a copy of the library to a file, also while others use it.
  ///
  /// - Returns: how many bytes the copy has.
  /// - Throws: `conflict` when there is a file already or none can be written, `damaged` when the
  ///   library is not sound.
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

  /// A word that is another one when the library says something else.
  package func contentMark() throws(UserError) -> String {
    let mark = try storage { try store.read { try $0.contentMark() } }
    let digits = String(mark, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}

/// What a repair of a library saved.
package struct LibraryRepair: Hashable, Sendable {
  /// Where the library as it was is kept.
  package var kept: String
  /// How many documents and highlights it has now, those in the trash too.
  package var (documents, highlights): (Int, Int)
  /// How many operations and texts.
  package var (operations, texts): (Int, Int)
  /// What could not be saved, a line each.
  package var lost: [String]
  /// What was put right otherwise, a line each.
  package var mended: [String]
}

extension LibraryLocation {
  /// Makes a sound library of what can be read of this one, and keeps it as it was.
  ///
  /// - Throws: `conflict` while any process has it open, `damaged` when it is empty, another program's,
  ///   or nothing can be saved. It is as it was then.
  package func repair(at now: Date) throws(UserError) -> LibraryRepair {
    try requireDatabase()
    do {
      let report = try StoreRepair.repair(
        database, keeping: try freeName("damaged", now), now: now
      ) { ContentDigest(sha256: Array($0)) }
      return LibraryRepair(
        kept: report.kept, documents: report.documents, highlights: report.highlights,
        operations: report.operations, texts: report.texts, lost: report.lost,
        mended: report.mended)
    } catch let error as UserError { throw error } catch let error as StoreError {
      throw UserError(replacing: error)
    } catch { throw notReplaced(error) }
  }

  /// Puts a backup in this library's place, and keeps what was there.
  ///
  /// - Returns: where that is kept; nil when there was none.
  /// - Throws: as `repair`, and `damaged` for a backup that is not sound.
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

  /// A name beside the database that nothing has.
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

  /// Of a copy that could not be written.
  fileprivate init(writing error: StoreError, _ path: String) {
    switch error {
    case .damaged: self.init(error)
    default:
      self.init(error)
      message = error.description.replacing("the library ", with: "", maxReplacements: 1)
    }
  }

  /// Of a library that is to be replaced as a whole.
  fileprivate init(replacing error: StoreError) {
    self.init(error)
    switch error {
    case .busy:
      hint = "close the programs that use it; `diple daemon stop` ends its daemon"
    case .damaged: hint = "nothing was changed; `diple restore FILE` puts back a backup"
    default: break
    }
  }
}
