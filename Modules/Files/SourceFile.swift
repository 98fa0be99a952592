import Glibc
package import Model
package import SystemSupport

/// The bytes of one Markdown file at one moment, and what was seen of the file then.
package struct SourceFile {
  /// The bytes, unchanged.
  package let bytes: [UInt8]
  /// Their SHA-256.
  package let digest: ContentDigest
  /// Size, times and identity of the file.
  package let stamp: FileStamp
  /// Where it was read.
  package let path: String

  /// The largest file that is read, in bytes.
  package static let sizeLimit: Int64 = 64 << 20
  /// How far into a file a NUL byte makes it a binary one, in bytes.
  private static let binaryProbe = 8_000

  /// Reads a regular file.
  ///
  /// Any text is read: bytes that are not UTF-8 show as U+FFFD and stay as they are in the file.
  /// Refused are what is not a regular file (a FIFO would block), what is larger than `sizeLimit`,
  /// UTF-16 (each letter would be followed by a NUL) and other binary content.
  package init(reading path: String) throws(UserError) {
    (bytes, stamp) = try Self.content(of: path)
    self.path = path
    digest = ContentDigest(sha256: bytes)
  }

  /// What a file holds, when nobody needs its hash.
  ///
  /// - Throws: as `init` does.
  package static func content(of path: String) throws(UserError) -> ([UInt8], FileStamp) {
    // Several tries, because a program that is writing the file would give us half of it.
    for _ in 0..<5 {
      if let content = try read(path) { return content }
    }
    throw unsettled(path)
  }

  /// What a file begins with, up to so many bytes, as it is at this moment: for a first look at it.
  ///
  /// - Throws: what `init` does for what is no regular file.
  package static func start(of path: String, limit: Int) throws(UserError) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { throw FileSystem.systemError("read", path) }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw FileSystem.systemError("read", path) }
    try checkKind(status, path)
    var bytes = [UInt8](repeating: 0, count: min(limit, Int(status.st_size)))
    let count = bytes.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
    guard count >= 0 else { throw FileSystem.systemError("read", path) }
    bytes.removeLast(bytes.count - count)
    return bytes
  }

  /// Says that a file is being written.
  package static func unsettled(_ path: String) -> UserError {
    UserError(
      .conflict, "\(path) changes while it is being read", hint: "try again when it has settled")
  }

  /// One try; nil when the file changed under it.
  private static func read(_ path: String) throws(UserError) -> ([UInt8], FileStamp)? {
    let checked = FileStamp.currentTime
    // Without O_NONBLOCK, opening a FIFO would wait for a writer.
    let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { throw FileSystem.systemError("read", path) }
    defer { close(descriptor) }
    var before = stat()
    guard fstat(descriptor, &before) == 0 else { throw FileSystem.systemError("read", path) }
    try checkKind(before, path)

    var bytes: [UInt8] = []
    do {
      bytes = try readAll(descriptor, expecting: Int(before.st_size))
    } catch { throw FileSystem.systemError("read", path, number: error.number) }
    var after = stat()
    guard fstat(descriptor, &after) == 0 else { throw FileSystem.systemError("read", path) }
    let stamp = FileStamp(before, checked: checked)
    let end = FileStamp(after, checked: checked)
    guard stamp == end, bytes.count == Int(before.st_size) else { return nil }
    try checkEncoding(bytes, path)
    return (bytes, stamp)
  }

  private static func checkKind(_ status: stat, _ path: String) throws(UserError) {
    switch status.st_mode & S_IFMT {
    case S_IFREG: break
    case S_IFDIR:
      throw UserError(.usage, "\(path) is a folder, not a document")
    case S_IFIFO:
      throw UserError(
        .usage, "\(path) is a FIFO, not a file", hint: "save its content to a file first")
    default: throw UserError(.usage, "\(path) is not a regular file")
    }
    guard status.st_size <= sizeLimit else {
      throw UserError(
        .usage,
        "\(path) is too large: \(status.st_size >> 20) MiB, and a document has at most "
          + "\(sizeLimit >> 20) MiB", hint: "split it")
    }
  }

  private static func checkEncoding(_ bytes: [UInt8], _ path: String) throws(UserError) {
    if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
      throw UserError(
        .usage, "\(path) is UTF-16, and documents are UTF-8",
        hint: "convert it: iconv -f UTF-16 -t UTF-8")
    }
    if let zero = bytes.prefix(binaryProbe).firstIndex(of: 0) {
      throw UserError(.usage, "\(path) is not text: it has a NUL byte at offset \(zero)")
    }
  }

  private static func readAll(_ descriptor: Int32, expecting size: Int) throws(SystemFailure)
    -> [UInt8]
  {
    // One byte more than expected tells a file that grew from one that did not.
    var failure: Int32 = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: size + 1) { buffer, count in
      while count < buffer.count {
        let got = Glibc.read(descriptor, buffer.baseAddress! + count, buffer.count - count)
        if got < 0 && errno == EINTR { continue }
        if got < 0 { failure = errno }
        if got <= 0 { break }
        count += got
      }
    }
    if failure != 0 { throw SystemFailure(failure) }
    return bytes
  }

  /// How many places of the source are not UTF-8; they show as U+FFFD. O(bytes).
  package var invalidSequences: Int {
    // Validation is much faster than decoding, and almost every file is valid.
    if String(validating: bytes, as: UTF8.self) != nil { return 0 }
    let replacement: Unicode.Scalar = "\u{FFFD}"
    let shown = String(decoding: bytes, as: UTF8.self).unicodeScalars
      .count { $0 == replacement }
    let meant = bytes.indices.count { bytes[$0...].starts(with: [0xEF, 0xBF, 0xBD]) }
    return shown - meant
  }
}
