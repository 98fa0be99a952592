import CSQLite
import Glibc

/// Why the store could not be opened, read or written. Nothing was changed when it is thrown.
package enum StoreError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The file's content is broken.
  case damaged(path: String, detail: String)
  /// The file is no library, or another program's.
  case foreign(path: String)
  /// A newer Diple made it.
  case newer(path: String, version: Int)
  /// It cannot be written: a read-only disk, folder or file.
  case readOnly(path: String)
  /// There is no space left.
  case full(path: String)
  /// The disk, or what leads to it, fails.
  case inputOutput(path: String, detail: String)
  /// Another process kept it locked for longer than ten seconds.
  case busy(path: String)
  /// There was none, and none could be made; nothing is left of the attempt.
  case notMade(path: String, detail: String)
  /// The file cannot be opened at all.
  case cannotOpen(path: String, detail: String)
  /// It was moved away, or another file has its name: nobody would find what is written into it.
  case moved(path: String)
  /// SQLite says something else.
  case other(path: String, detail: String)
  /// It is done, but the disk did not confirm that it survives a power cut.
  case unconfirmed(path: String, detail: String)

  /// Whether only writing is what fails.
  package var leavesItReadable: Bool {
    switch self {
    case .readOnly, .full: true
    default: false
    }
  }

  /// One line: what and where.
  package var description: String {
    switch self {
    case .damaged(let path, let detail): "the library \(path) is damaged (\(detail))"
    case .foreign(let path): "\(path) is not a Diple library"
    case .newer(let path, let version):
      "the library \(path) was made by a newer Diple (its version is \(version), this one knows "
        + "\(Schema.version))"
    case .readOnly(let path): "the library \(path) cannot be written: it is read-only"
    case .full(let path): "the library \(path) cannot be written: there is no space left"
    case .inputOutput(let path, let detail):
      "the library \(path) could not be read or written: input/output error (\(detail))"
    case .busy(let path): "the library \(path) is locked by another process"
    case .notMade(let path, let detail): "no library was made at \(path): \(detail)"
    case .cannotOpen(let path, let detail): "the library \(path) cannot be opened (\(detail))"
    case .moved(let path):
      "the library \(path) was moved or replaced while it was open; nothing was changed"
    case .other(let path, let detail): "the library \(path) could not be used (\(detail))"
    case .unconfirmed(let path, let detail):
      "\(path) was written, but the disk did not confirm it: \(detail)"
    }
  }

  /// Gives an SQLite error its meaning.
  init(_ error: any Error, path: String) {
    switch error {
    case let error as StoreError: self = error
    case let error as SQLiteError: self.init(error, path: path)
    case let error as BadValue: self = .damaged(path: path, detail: error.description)
    default: self = .other(path: path, detail: "\(error)")
    }
  }

  /// Gives an error its meaning that kept a new library from being made.
  init(notMade error: any Error, path: String) {
    let known = StoreError(error, path: path)
    self =
      switch known {
      case .full: .notMade(path: path, detail: "there is no space left")
      case .inputOutput(_, let detail):
        .notMade(path: path, detail: "input/output error (\(detail))")
      case .other(_, let detail): .notMade(path: path, detail: detail)
      default: known
      }
  }

  /// What the system says where nothing more can be written: no space, or more than is allowed.
  private static let outOfSpace: Set<Int32> = [ENOSPC, EDQUOT, EFBIG]

  private init(_ error: SQLiteError, path: String) {
    switch error.code {
    // What of the schema cannot be read is called malformed, too.
    case SQLITE_CORRUPT where error.systemError == EIO:
      self = .inputOutput(path: path, detail: error.message)
    case SQLITE_CORRUPT, SQLITE_TOOBIG: self = .damaged(path: path, detail: error.message)
    case SQLITE_NOTADB: self = .foreign(path: path)
    case SQLITE_READONLY, SQLITE_PERM: self = .readOnly(path: path)
    case SQLITE_FULL: self = .full(path: path)
    case SQLITE_BUSY, SQLITE_LOCKED: self = .busy(path: path)
    // A write-ahead log needs a file beside the database: where none can be made, SQLite says that
    // it cannot open it.
    case SQLITE_CANTOPEN where Self.outOfSpace.contains(error.systemError):
      self = .full(path: path)
    case SQLITE_CANTOPEN where error.systemError == EIO:
      self = .inputOutput(path: path, detail: error.message)
    case SQLITE_CANTOPEN where Self.isReadOnlyFolder(of: path): self = .readOnly(path: path)
    case SQLITE_CANTOPEN: self = .cannotOpen(path: path, detail: error.message)
    // A disk without space shows as a failed write, too; what the system said tells the two apart.
    case SQLITE_IOERR where Self.outOfSpace.contains(error.systemError): self = .full(path: path)
    case SQLITE_IOERR where error.systemError == EROFS: self = .readOnly(path: path)
    case SQLITE_IOERR: self = .inputOutput(path: path, detail: error.message)
    default: self = .other(path: path, detail: error.message)
    }
  }

  /// Gives a failed system call its meaning.
  init(system number: Int32, path: String) {
    switch number {
    case _ where Self.outOfSpace.contains(number): self = .full(path: path)
    case EROFS, EACCES, EPERM: self = .readOnly(path: path)
    case EIO: self = .inputOutput(path: path, detail: String(cString: strerror(number)))
    default: self = .other(path: path, detail: String(cString: strerror(number)))
    }
  }

  /// Whether the folder around a path may not be written.
  private static func isReadOnlyFolder(of path: String) -> Bool {
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
    return faccessat(AT_FDCWD, folder, W_OK, AT_EACCESS) != 0
      && [EROFS, EACCES, EPERM].contains(errno)
  }
}
