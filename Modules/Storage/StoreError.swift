import CSQLite
import Glibc

/// The reason why the store could not be opened, read or written. Except for `unconfirmed`, nothing
/// was changed.
package enum StoreError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The file's content is damaged.
  case damaged(path: String, detail: String)
  /// The file is not a Diple library.
  case foreign(path: String)
  /// A newer version of Diple wrote the file.
  case newer(path: String, version: Int)
  /// A test version of Diple from before the first release wrote the file.
  case older(path: String, version: Int)
  /// The disk, folder or file is read-only.
  case readOnly(path: String)
  /// The disk is full.
  case full(path: String)
  /// The disk, or the connection to it, fails.
  case inputOutput(path: String, detail: String)
  /// Another process held the lock for longer than ten seconds.
  case busy(path: String)
  /// A new library could not be created. Nothing is left of the attempt.
  case notCreated(path: String, detail: String)
  /// The file cannot be opened.
  case cannotOpen(path: String, detail: String)
  /// The file was moved or replaced while it was open. Changes to it would be lost.
  case moved(path: String)
  /// Any other error of SQLite or the system.
  case other(path: String, detail: String)
  /// The change was written, but the disk did not confirm that it survives a power failure.
  case unconfirmed(path: String, detail: String)

  /// Whether the library can still be read: only writing fails.
  package var preventsOnlyWriting: Bool {
    switch self {
    case .readOnly, .full: true
    default: false
    }
  }

  /// A message in one line that contains the path.
  package var description: String {
    switch self {
    case .damaged(let path, let detail): "the library \(path) is damaged (\(detail))"
    case .foreign(let path): "\(path) is not a Diple library"
    case .newer(let path, let version):
      "the library \(path) was made by a newer Diple (its version is \(version), this one knows "
        + "\(Schema.version))"
    case .older(let path, let version):
      "the library \(path) was made by a test version of Diple (its schema is \(version); this one "
        + "reads \(Schema.oldestVersion) to \(Schema.version))"
    case .readOnly(let path): "the library \(path) cannot be written: it is read-only"
    case .full(let path): "the library \(path) cannot be written: there is no space left"
    case .inputOutput(let path, let detail):
      "the library \(path) could not be read or written: input/output error (\(detail))"
    case .busy(let path): "the library \(path) is locked by another process"
    case .notCreated(let path, let detail): "no library was made at \(path): \(detail)"
    case .cannotOpen(let path, let detail): "the library \(path) cannot be opened (\(detail))"
    case .moved(let path):
      "the library \(path) was moved or replaced while it was open; nothing was changed"
    case .other(let path, let detail): "the library \(path) could not be used (\(detail))"
    case .unconfirmed(let path, let detail):
      "\(path) was written, but the disk did not confirm it: \(detail)"
    }
  }

  /// Converts an error of SQLite, or of a value that was read, to a store error.
  init(_ error: any Error, path: String) {
    switch error {
    case let error as StoreError: self = error
    case let error as SQLiteError: self.init(error, path: path)
    case let error as BadValue: self = .damaged(path: path, detail: error.description)
    default: self = .other(path: path, detail: "\(error)")
    }
  }

  /// Converts an error that occurred while a new library was created.
  init(notCreated error: any Error, path: String) {
    let known = StoreError(error, path: path)
    self =
      switch known {
      case .full: .notCreated(path: path, detail: "there is no space left")
      case .inputOutput(_, let detail):
        .notCreated(path: path, detail: "input/output error (\(detail))")
      case .other(_, let detail): .notCreated(path: path, detail: detail)
      default: known
      }
  }

  /// The system errors for a full disk, an exceeded quota and an exceeded file size limit.
  private static let outOfSpace: Set<Int32> = [ENOSPC, EDQUOT, EFBIG]

  private init(_ error: SQLiteError, path: String) {
    switch error.code {
    // SQLite reports a schema that it cannot read from the disk as corrupt, too.
    case SQLITE_CORRUPT where error.systemError == EIO:
      self = .inputOutput(path: path, detail: error.message)
    case SQLITE_CORRUPT, SQLITE_TOOBIG: self = .damaged(path: path, detail: error.message)
    case SQLITE_NOTADB: self = .foreign(path: path)
    case SQLITE_READONLY, SQLITE_PERM: self = .readOnly(path: path)
    case SQLITE_FULL: self = .full(path: path)
    case SQLITE_BUSY, SQLITE_LOCKED: self = .busy(path: path)
    // SQLite reports that it cannot open the database if there is no space to create the files of
    // the write-ahead log.
    case SQLITE_CANTOPEN where Self.outOfSpace.contains(error.systemError):
      self = .full(path: path)
    case SQLITE_CANTOPEN where error.systemError == EIO:
      self = .inputOutput(path: path, detail: error.message)
    case SQLITE_CANTOPEN where Self.isReadOnlyFolder(of: path): self = .readOnly(path: path)
    case SQLITE_CANTOPEN: self = .cannotOpen(path: path, detail: error.message)
    // SQLite reports a full disk as a failed write, too. The system's error number distinguishes
    // them.
    case SQLITE_IOERR where Self.outOfSpace.contains(error.systemError): self = .full(path: path)
    case SQLITE_IOERR where error.systemError == EROFS: self = .readOnly(path: path)
    case SQLITE_IOERR: self = .inputOutput(path: path, detail: error.message)
    default: self = .other(path: path, detail: error.message)
    }
  }

  /// Converts the error number of a failed system call.
  init(system number: Int32, path: String) {
    switch number {
    case _ where Self.outOfSpace.contains(number): self = .full(path: path)
    case EROFS, EACCES, EPERM: self = .readOnly(path: path)
    case EIO: self = .inputOutput(path: path, detail: String(cString: strerror(number)))
    default: self = .other(path: path, detail: String(cString: strerror(number)))
    }
  }

  /// Whether the folder that contains a path is read-only for this process.
  private static func isReadOnlyFolder(of path: String) -> Bool {
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
    return faccessat(AT_FDCWD, folder, W_OK, AT_EACCESS) != 0
      && [EROFS, EACCES, EPERM].contains(errno)
  }
}
