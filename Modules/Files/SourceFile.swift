import Glibc
package import Model
package import SystemSupport

/// The content of a Markdown file at one moment, with the file's stamp.
///
/// ```swift
/// let file = try SourceFile(reading: "/home/ann/notes/walden.md")
/// file.bytes.count       // the size in bytes
/// file.invalidSequences  // 0 if the file is valid UTF-8
/// ```
package struct SourceFile {
  /// The unmodified bytes.
  package let bytes: [UInt8]
  /// The SHA-256 digest of the bytes.
  package let digest: ContentDigest
  /// The size, times and identity of the file.
  package let stamp: FileStamp
  /// The path that was read.
  package let path: String

  /// The maximum size of a file in bytes.
  package static let sizeLimit: Int64 = 64 << 20
  /// The number of bytes at the start of a file that must not contain a NUL.
  private static let binaryProbe = 8_000

  /// Reads a regular file.
  ///
  /// Any text is accepted. Bytes that are not valid UTF-8 are rendered as U+FFFD; `bytes` contains
  /// them unchanged.
  ///
  /// - Throws: `usage` if the file is not a regular file, is larger than ``sizeLimit``, would take
  ///   more memory than `ParsedTextSize.limit`, is UTF-16 or is otherwise binary; `conflict` if it keeps
  ///   changing while it is read; or the system's error.
  package init(reading path: String) throws(UserError) {
    (bytes, stamp) = try Self.content(of: path)
    self.path = path
    digest = ContentDigest(sha256: bytes)
  }

  /// Reads a file without hashing it.
  ///
  /// - Throws: the same errors as ``init(reading:)``.
  package static func content(of path: String) throws(UserError) -> ([UInt8], FileStamp) {
    // Retry, because a program that is writing the file would yield partial content.
    for _ in 0..<5 {
      if let content = try read(path) { return content }
    }
    throw unsettled(path)
  }

  /// Reads at most `limit` bytes from the start of a file, even while another program is writing
  /// it.
  ///
  /// - Throws: `usage` if the file is not a regular file or is larger than ``sizeLimit``; or the
  ///   system's error.
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

  /// The error for a file that changes while it is being read.
  package static func unsettled(_ path: String) -> UserError {
    UserError(
      .conflict, "\(FileSystem.shown(path)) changes while it is being read",
      hint: "try again when it has settled")
  }

  /// Reads the file once; nil if it changed meanwhile.
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
    try checkMemory(bytes, path)
    return (bytes, stamp)
  }

  /// Checks that the content of a pipe could be that of a file.
  ///
  /// - Parameter name: the name in errors.
  /// - Throws: `usage`, as ``init(reading:)`` does.
  package static func check(_ bytes: [UInt8], called name: String) throws(UserError) {
    guard bytes.count <= sizeLimit else { throw tooLarge(Int64(bytes.count), name) }
    try checkEncoding(bytes, name, file: "-")
    try checkMemory(bytes, name)
  }

  private static func tooLarge(_ size: Int64, _ path: String) -> UserError {
    UserError(
      .usage,
      "\(FileSystem.shown(path)) is too large: \(size >> 20) MiB, and a document has at most \(sizeLimit >> 20) MiB",
      hint: "split the file")
  }

  private static func checkKind(_ status: stat, _ path: String) throws(UserError) {
    switch status.st_mode & S_IFMT {
    case S_IFREG: break
    case S_IFDIR:
      throw UserError(.usage, "\(FileSystem.shown(path)) is a folder, not a document")
    case S_IFIFO:
      throw UserError(
        .usage, "\(FileSystem.shown(path)) is a FIFO, not a file",
        hint: "save its content to a file first")
    default: throw UserError(.usage, "\(FileSystem.shown(path)) is not a regular file")
    }
    guard status.st_size <= sizeLimit else { throw tooLarge(Int64(status.st_size), path) }
  }

  /// - Parameter file: the word that names the content in a command; nil for the path.
  private static func checkEncoding(_ bytes: [UInt8], _ path: String, file: String? = nil)
    throws(UserError)
  {
    if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
      throw UserError(
        .usage, "\(FileSystem.shown(path)) is UTF-16, and documents are UTF-8",
        hint: "convert it: iconv -f UTF-16 -t UTF-8")
    }
    if let signature = FileSignature(of: bytes) {
      throw UserError(
        .usage, "\(FileSystem.shown(path)) is \(signature.kind), not text",
        hint: signature.hint(for: file ?? FileSystem.shown(path)))
    }
    if let zero = bytes.prefix(binaryProbe).firstIndex(of: 0) {
      throw UserError(
        .usage, "\(FileSystem.shown(path)) is not text: it has a NUL byte at offset \(zero)")
    }
  }

  /// Checks that a text can be parsed within the memory limit. The memory is only estimated.
  ///
  /// - Throws: `usage` if it would take more than `ParsedTextSize.limit`.
  package static func checkMemory(_ bytes: [UInt8], _ path: String) throws(UserError) {
    guard let memory = ParsedTextSize.excessive(bytes) else { return }
    throw UserError(
      .usage,
      "\(FileSystem.shown(path)) has too much markup: it would take about \(memory >> 20) MiB of memory, and a "
        + "document takes at most \(ParsedTextSize.limit >> 20)", hint: "split the file")
  }

  private static func readAll(_ descriptor: Int32, expecting size: Int) throws(SystemCallError)
    -> [UInt8]
  {
    // Read one byte more than expected, to detect that the file has grown.
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
    if failure != 0 { throw SystemCallError(failure) }
    return bytes
  }

  /// The number of invalid UTF-8 sequences, each of which is rendered as U+FFFD. O(bytes).
  package var invalidSequences: Int {
    // Validation is much faster than decoding, and almost every file is valid.
    if String(validating: bytes, as: UTF8.self) != nil { return 0 }
    let replacement: Unicode.Scalar = "\u{FFFD}"
    let shown = String(decoding: bytes, as: UTF8.self).unicodeScalars
      .count { $0 == replacement }
    let intended = bytes.indices.count { bytes[$0...].starts(with: [0xEF, 0xBF, 0xBD]) }
    return shown - intended
  }
}
