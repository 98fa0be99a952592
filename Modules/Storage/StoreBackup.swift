import Glibc
package import Model

/// Backups of a library: a copy of the database made by SQLite, compressed as a single Zstandard
/// frame.
///
/// Both formats are standard, so other software can read a backup.
package enum StoreBackup {
  /// The reason why a backup was not written or not restored.
  package enum Failure: Error, Hashable, Sendable {
    /// The backup file exists already.
    case exists(String)
    /// The file cannot be read, or is not a valid backup of a library.
    case unusable(String, reason: String)
  }

  /// Writes a backup of a library and verifies it before it gets its final name. O(size).
  ///
  /// Other processes may use the library meanwhile.
  ///
  /// - Parameters:
  ///   - library: the database file.
  ///   - backup: the file to create, with mode 0600.
  ///   - replacing: whether an existing file is replaced.
  ///   - digest: hashes a text, to verify the copied texts.
  /// - Returns: the size of the backup in bytes.
  /// - Throws: ``Failure/exists(_:)``, or ``StoreError``: `damaged` if the library fails the
  ///   integrity check.
  package static func write(
    _ library: String, to backup: String, replacing: Bool,
    digest: @escaping @Sendable (UnsafeBufferPointer<UInt8>) -> ContentDigest
  ) throws -> Int {
    if !replacing, access(backup, F_OK) == 0 { throw Failure.exists(backup) }
    let plain = try StagedFile(for: backup, purpose: "copy")
    do {
      let database = try StoreFile.openToRead(library)
      try database.execute("VACUUM INTO ?", [plain.path])
    } catch { throw StoreError(error, path: library) }
    do { try StoreRepair.check(plain, digest) } catch {
      if case .damaged(_, let detail) = StoreError(error, path: library) {
        throw StoreError.damaged(path: library, detail: detail)
      }
      throw StoreError(error, path: backup)
    }
    let packed = try StagedFile(for: backup, purpose: "backup")
    do {
      let size = try pack(plain.path, packed.path)
      try packed.makeDurable()
      try replacing ? packed.replace() : packed.installAsNew(besides: [])
      return size
    } catch let error as SystemError { throw StoreError(system: error.number, path: backup) }
  }

  /// Returns whether a file begins like a backup or a library, or cannot be read.
  package static func mayBeBackup(_ path: String) -> Bool {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return true }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 16)
    let count = pread(descriptor, &bytes, bytes.count, 0)
    // The restoration reports the reason.
    if count < 0 { return true }
    let magic: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD]
    return bytes.starts(with: magic) || bytes.starts(with: "SQLite format 3".utf8)
  }

  private static func pack(_ plain: String, _ packed: String) throws -> Int {
    let input = open(plain, O_RDONLY | O_CLOEXEC)
    let output = open(packed, O_RDWR | O_CLOEXEC)
    defer { for descriptor in [input, output] where descriptor >= 0 { close(descriptor) } }
    guard input >= 0, output >= 0 else { throw SystemError() }
    try FrameStream.compress(input, to: output)
    // Decompress the result and compare it with the copy, to be sure that it can be restored.
    var status = stat()
    guard fstat(input, &status) == 0 else { throw SystemError() }
    var offset = 0
    do {
      try FrameStream.expand(output, size: Int(status.st_size)) { bytes in
        guard try FrameStream.read(input, at: offset, count: bytes.count)[...] == bytes else {
          throw FrameStream.Damage()
        }
        offset += bytes.count
      }
    } catch is FrameStream.Damage { throw SystemError(EIO) }
    guard fstat(output, &status) == 0 else { throw SystemError() }
    return Int(status.st_size)
  }

  /// Replaces a library by a backup, after an integrity check of the backup.
  ///
  /// - Parameters:
  ///   - backup: a file that `write` created, or an uncompressed database.
  ///   - library: the database file to replace; it need not exist.
  ///   - kept: the path to which the old library is moved. No file may exist there.
  ///   - digest: hashes a text, to verify the restored texts.
  /// - Returns: whether an old library existed.
  /// - Throws: ``Failure/unusable(_:reason:)`` if the file is not a sound backup; `StoreError.busy`
  ///   if a process has the library open. The library is unchanged then.
  package static func restore(
    _ backup: String, to library: String, keeping kept: String,
    digest: @escaping @Sendable (UnsafeBufferPointer<UInt8>) -> ContentDigest
  ) throws -> Bool {
    do {
      return try replace(library, with: backup, keeping: kept, digest: digest)
    } catch let failure as Failure { throw failure } catch {
      throw StoreError(error, path: library)
    }
  }

  private static func replace(
    _ library: String, with backup: String, keeping kept: String,
    digest: @escaping @Sendable (UnsafeBufferPointer<UInt8>) -> ContentDigest
  ) throws -> Bool {
    let numbers = ReplacedNumbers(of: library)
    // Lock the library first: if it is in use, this fails before the backup is decompressed.
    let old = access(library, F_OK) == 0 ? try PageFile(library) : nil
    let staged = try StagedFile(for: library, purpose: "restore")
    try unpack(backup, staged)
    do {
      let database = try Database(staged.path, .readWrite, shownPath: backup)
      let isCurrent = try Schema.isCurrent(database)
      try Schema.check(database)
      if !isCurrent {
        // An application identifier of 0 is an empty database, which is never written as a backup.
        guard try database.first("PRAGMA application_id", [], { try $0.integer(0) }) != 0 else {
          throw StoreError.foreign(path: backup)
        }
        try Schema.prepare(database)
      }
    } catch { throw unusable(backup, error) }
    do { try StoreRepair.check(staged, digest) } catch { throw unusable(backup, error) }
    if let numbers {
      try numbers.restore(to: Database(staged.path, .readWrite, shownPath: backup))
    }
    if let old {
      try staged.install(replacing: old, keeping: kept)
    } else {
      try staged.installAsNew(besides: ["-wal", "-shm", "-journal"])
    }
    return old != nil
  }

  private static func unusable(_ backup: String, _ error: any Error) -> Failure {
    let reason =
      switch StoreError(error, path: backup) {
      case .foreign: "it is not a Diple library"
      case .newer(_, let version):
        "a newer Diple made it (its version is \(version), this one knows \(Schema.version))"
      case .older(_, let version):
        "a test version of Diple made it (its schema is \(version), the oldest that can be read is "
          + "\(Schema.oldestVersion))"
      case .damaged(_, let detail): "it is damaged: \(detail)"
      case let other: other.description
      }
    return .unusable(backup, reason: reason)
  }

  /// The maximum factor by which a backup may grow when it is unpacked. Real backups grow 3 to 20
  /// times; a crafted file could fill the disk.
  private static let mostExpansion = 200
  /// The size in bytes up to which an unpacked backup is accepted whatever the factor.
  private static let smallSize = 64 << 20

  private static func unpack(_ backup: String, _ staged: StagedFile) throws {
    // Opening with `O_NONBLOCK` does not wait for the writer of a named pipe, which is then
    // rejected.
    let input = open(backup, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    guard input >= 0 else {
      throw Failure.unusable(backup, reason: String(cString: strerror(errno)))
    }
    defer { close(input) }
    var status = stat()
    guard fstat(input, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw Failure.unusable(backup, reason: "it is not a regular file")
    }
    let output = open(staged.path, O_WRONLY | O_CLOEXEC)
    guard output >= 0 else { throw StoreError(system: errno, path: staged.target) }
    defer { close(output) }
    var isFirst = true
    /// Writes a piece of the database. The first piece must contain a valid header for a database
    /// of `size` bytes.
    func take(_ bytes: ArraySlice<UInt8>, size: Int) throws {
      if isFirst, !bytes.isEmpty {
        guard isDatabase(Array(bytes.prefix(100)), size: size) else { throw FrameStream.Damage() }
        isFirst = false
      }
      do { try FrameStream.write(bytes, to: output) } catch let error as SystemError {
        throw StoreError(system: error.number, path: staged.target)
      }
    }
    do {
      if try FrameStream.read(input, at: 0, count: 16).starts(with: "SQLite format 3".utf8) {
        var offset = 0
        while true {
          let bytes = try FrameStream.read(input, at: offset)
          if bytes.isEmpty { break }
          offset += bytes.count
          try take(bytes[...], size: Int(status.st_size))
        }
      } else {
        guard let size = try FrameStream.contentSize(of: input) else { throw FrameStream.Damage() }
        guard size <= max(Self.smallSize, Int(status.st_size) * Self.mostExpansion) else {
          throw Failure.unusable(
            backup,
            reason: "it would expand to \(size >> 20) MiB, more than any backup of a library")
        }
        try FrameStream.expand(input, size: size) { try take($0, size: size) }
      }
    } catch is FrameStream.Damage {
      throw Failure.unusable(backup, reason: "it is not a backup of a library, or is damaged")
    } catch let error as SystemError {
      throw Failure.unusable(backup, reason: String(cString: strerror(error.number)))
    }
  }

  /// Whether bytes are the header of a Diple database of `size` bytes. Checked before decompression
  /// continues, so that no other content is unpacked.
  private static func isDatabase(_ header: [UInt8], size: Int) -> Bool {
    guard header.count == 100, header.starts(with: "SQLite format 3\0".utf8) else { return false }
    func number(_ index: Int, _ count: Int) -> Int {
      header[index..<index + count].reduce(0) { $0 << 8 | Int($1) }
    }
    let page = number(16, 2) == 1 ? 65536 : number(16, 2)
    return page >= 512 && number(28, 4) * page == size && number(68, 4) == Schema.applicationID
  }
}

extension ReadTransaction {
  /// A number that changes when the library's content changes: operations, journal, file edits or
  /// stored texts.
  ///
  /// Checks of files that find no changes do not affect it. O(journal entries + file edits + stored
  /// texts).
  ///
  /// - Throws: ``StoreError`` if the database cannot be read.
  package func contentMark() throws -> UInt64 {
    var hash = StableHash()
    let numbers = try [
      "SELECT replica, sequence, clock FROM library",
      "SELECT count(*), coalesce(max(entry), 0), coalesce(sum(reversed), 0) FROM journal",
      "SELECT count(*), coalesce(sum(pending), 0), 0 FROM file_edit",
      "SELECT count(*), coalesce(max(turn), 0), coalesce(sum(size), 0) FROM snapshot",
    ].flatMap { sql in
      try first(sql) { row in try (0..<3).map { try row.bits($0) } } ?? []
    }
    for number in numbers {
      for shift in stride(from: 0, to: 64, by: 8) {
        hash.add(UInt8(truncatingIfNeeded: number >> UInt64(shift)))
      }
    }
    return hash.value
  }
}
