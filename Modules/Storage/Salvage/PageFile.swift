import Glibc

/// Reads the pages of a database from its file and its write-ahead log, without SQLite. SQLite
/// may reject a database because of one damaged page; this class can read the other pages.
///
/// While an instance exists, it has SQLite's own lock, so no other process can open the database.
/// It must not be used by two threads at once. No connection to the database may be open in this
/// process, because closing either file would release the locks of both.
final class PageFile {
  let path: String
  let descriptor: Int32
  /// The page size in bytes; a power of two.
  let pageSize: Int
  /// The number of pages, including pages that exist only in the log.
  let pageCount: Int
  /// The offset in the log of the newest committed content, by page number.
  private var logged: [Int: Int] = [:]
  private let log: Int32

  /// Opens a database for reading and locks it.
  ///
  /// - Throws: `StoreError.busy` if another process has it open; `StoreError.cannotOpen` if the
  ///   file cannot be opened.
  init(_ path: String) throws {
    self.path = path
    // The lock would not exclude a connection of this process, and closing that connection would
    // release the lock.
    guard !Self.isOpenHere(path) else { throw StoreError.busy(path: path) }
    descriptor = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else {
      throw StoreError.cannotOpen(path: path, detail: String(cString: strerror(errno)))
    }
    log = open(path + "-wal", O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard Self.lock(descriptor) else {
      let reason = errno
      if log >= 0 { close(log) }
      close(descriptor)
      throw reason == EAGAIN || reason == EACCES
        ? StoreError.busy(path: path)
        : StoreError.cannotOpen(path: path, detail: String(cString: strerror(reason)))
    }
    var status = stat()
    fstat(descriptor, &status)
    let size = Int(status.st_size)
    let found = Self.pageSize(of: descriptor, log: log)
    pageSize = found
    var count = (size + found - 1) / found
    let frames = log >= 0 ? LogFrames(log, pageSize: found) : nil
    logged = frames?.places ?? [:]
    if let pages = frames?.pageCount, pages > count, pages - count <= logged.count {
      count = pages
    }
    pageCount = count
  }

  deinit {
    if log >= 0 { close(log) }
    // Closing the file releases the lock.
    close(descriptor)
  }

  /// Whether this process has a file open.
  private static func isOpenHere(_ path: String) -> Bool {
    var wanted = stat()
    guard stat(path, &wanted) == 0 else { return false }
    let limit = Int32(clamping: min(65_536, max(0, sysconf(Int32(_SC_OPEN_MAX)))))
    return (0..<limit).contains { descriptor in
      var status = stat()
      return fstat(descriptor, &status) == 0 && status.st_ino == wanted.st_ino
        && status.st_dev == wanted.st_dev
    }
  }

  /// Locks the range that all users of a database lock in part: 512 bytes from 1 GiB, as SQLite
  /// defines it.
  private static func lock(_ descriptor: Int32) -> Bool {
    var lock = flock()
    lock.l_type = Int16(F_WRLCK)
    lock.l_whence = Int16(SEEK_SET)
    lock.l_start = 0x4000_0000
    lock.l_len = 512
    return fcntl(descriptor, F_SETLK, &lock) == 0
  }

  /// The page size in the header of the file or of the log; 4096 if neither is valid.
  private static func pageSize(of file: Int32, log: Int32) -> Int {
    func valid(_ size: Int) -> Bool { size >= 512 && size <= 65536 && size & (size - 1) == 0 }
    let header = bytes(of: file, at: 0, count: 18)
    if header.count == 18 {
      let size = Int(header[16]) << 8 | Int(header[17])
      if valid(size == 1 ? 65536 : size), header.starts(with: "SQLite format 3".utf8) {
        return size == 1 ? 65536 : size
      }
    }
    let start = log >= 0 ? bytes(of: log, at: 8, count: 4) : []
    let size = start.reduce(0) { $0 << 8 | Int($1) }
    return valid(size) ? size : 4096
  }

  /// Returns a page by its number, from 1. The result is shorter or empty if the file ends early or
  /// cannot be read.
  func page(_ number: Int) -> [UInt8] {
    if let place = logged[number] { return Self.bytes(of: log, at: place, count: pageSize) }
    return Self.bytes(of: descriptor, at: (number - 1) * pageSize, count: pageSize)
  }

  /// Writes the committed pages of the log into the file, so that the file is complete without the
  /// log. It can be repeated after an interruption.
  ///
  /// - Throws: `SystemError` if a page cannot be read or written.
  func absorbLog() throws(SystemError) {
    for number in logged.keys.sorted() {
      let bytes = page(number)
      guard bytes.count == pageSize,
        bytes.withUnsafeBytes({
          pwrite(descriptor, $0.baseAddress, $0.count, off_t((number - 1) * pageSize))
        }) == pageSize
      else { throw SystemError() }
    }
    guard fsync(descriptor) == 0 else { throw SystemError() }
  }

  /// Reads up to `count` bytes. A read error is treated as the end of the file.
  static func bytes(of descriptor: Int32, at offset: Int, count: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      while filled < count {
        let got = pread(
          descriptor, buffer.baseAddress! + filled, count - filled, off_t(offset + filled))
        if got < 0, errno == EINTR { continue }
        guard got > 0 else { return }
        filled += got
      }
    }
  }
}

/// The error number of a failed system call.
struct SystemError: Error {
  let number: Int32
  init(_ number: Int32 = errno) { self.number = number }
}

/// The valid part of a write-ahead log: the frames up to the last commit, as long as their
/// checksums match.
private struct LogFrames {
  /// The offset of the newest content, by page number.
  private(set) var places: [Int: Int] = [:]
  /// The number of pages in the database after the last commit; nil if there is no commit.
  private(set) var pageCount: Int?

  init?(_ log: Int32, pageSize: Int) {
    let header = PageFile.bytes(of: log, at: 0, count: 32)
    guard header.count == 32 else { return nil }
    let magic = Self.number(header, 0)
    guard magic & ~1 == 0x377f_0682, Int(Self.number(header, 8)) == pageSize else { return nil }
    let isBig = magic & 1 == 1
    var sum = Self.checksum(header[..<24], (0, 0), isBig)
    guard sum == (Self.number(header, 24), Self.number(header, 28)) else { return nil }
    var pending: [Int: Int] = [:]
    var place = 32
    while true {
      let frame = PageFile.bytes(of: log, at: place, count: 24 + pageSize)
      guard frame.count == 24 + pageSize, frame[8..<16].elementsEqual(header[16..<24]) else {
        return
      }
      sum = Self.checksum(frame[..<8], sum, isBig)
      sum = Self.checksum(frame[24...], sum, isBig)
      guard sum == (Self.number(frame, 16), Self.number(frame, 20)) else { return }
      pending[Int(Self.number(frame, 0))] = place + 24
      let count = Int(Self.number(frame, 4))
      if count > 0 {
        places.merge(pending) { $1 }
        pending = [:]
        places = places.filter { $0.key <= count }
        pageCount = count
      }
      place += 24 + pageSize
    }
  }

  private static func number(_ bytes: [UInt8], _ index: Int) -> UInt32 {
    bytes[index..<index + 4].reduce(0) { $0 << 8 | UInt32($1) }
  }

  /// SQLite's log checksum of a multiple of eight bytes.
  private static func checksum(
    _ bytes: ArraySlice<UInt8>, _ start: (UInt32, UInt32), _ isBig: Bool
  ) -> (UInt32, UInt32) {
    var (first, second) = start
    bytes.withUnsafeBytes { bytes in
      for index in stride(from: 0, to: bytes.count - 7, by: 8) {
        let words = (0..<2).map {
          let word = bytes.loadUnaligned(fromByteOffset: index + 4 * $0, as: UInt32.self)
          return isBig ? UInt32(bigEndian: word) : UInt32(littleEndian: word)
        }
        first = first &+ words[0] &+ second
        second = second &+ words[1] &+ first
      }
    }
    return (first, second)
  }
}
