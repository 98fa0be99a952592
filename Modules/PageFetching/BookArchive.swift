import CZip
import Interchange

/// The files of a book, which is a zip archive. Their names are those in the archive and never
/// become paths on this machine. Files are read on request, within limits.
final class BookArchive {
  private let archive: OpaquePointer
  /// The index of each file in the archive.
  private var places: [String: UInt64] = [:]
  /// The number of bytes read so far.
  private var total = 0

  private static let mostEntries = 20_000
  private static let totalLimit = 400 << 20
  /// The maximum compression ratio of files larger than `ratioMatters` bytes.
  private static let ratioLimit: UInt64 = 200
  private static let ratioMatters: UInt64 = 4 << 20

  init(_ path: String) throws(FetchError) {
    var code: Int32 = 0
    guard let archive = zip_open(path, ZIP_RDONLY, &code) else {
      throw FetchError("usage", "not a book: it isn't a zip archive, or is damaged")
    }
    self.archive = archive
    let count = zip_get_num_entries(archive, 0)
    guard count <= Self.mostEntries else {
      throw FetchError("usage", "the book has \(count) files, more than \(Self.mostEntries)")
    }
    for index in 0..<UInt64(max(count, 0)) {
      guard let name = zip_get_name(archive, index, 0).map({ String(cString: $0) }) else {
        continue
      }
      if name.hasSuffix("/") { continue }
      guard places[name] == nil else {
        throw FetchError("usage", "the book has two files of the name \(name.prefix(200))")
      }
      places[name] = index
    }
  }

  deinit { zip_discard(archive) }

  func has(_ name: String) -> Bool { places[name] != nil }

  /// Reads a file.
  ///
  /// - Throws: `FetchError` if the file is missing, a symbolic link, encrypted, damaged or too
  ///   large.
  func content(of name: String, limit: Int) throws(FetchError) -> [UInt8] {
    guard let place = places[name] else {
      throw FetchError("usage", "the book's file \(name.prefix(200)) is missing")
    }
    var system: UInt8 = 0
    var attributes: UInt32 = 0
    zip_file_get_external_attributes(archive, place, 0, &system, &attributes)
    if system == UInt8(ZIP_OPSYS_UNIX), attributes >> 16 & 0o170000 == 0o120000 {
      throw FetchError("usage", "the book's file \(name.prefix(200)) is a link")
    }
    var status = zip_stat_t()
    zip_stat_init(&status)
    zip_stat_index(archive, place, 0, &status)
    if status.valid & UInt64(ZIP_STAT_ENCRYPTION_METHOD) != 0, status.encryption_method != 0 {
      throw FetchError("usage", "the book is encrypted, and cannot be read without its key")
    }
    let isBomb =
      status.size > Self.ratioMatters && status.size / Self.ratioLimit > max(status.comp_size, 1)
    guard status.size <= UInt64(limit), !isBomb, total + Int(status.size) <= Self.totalLimit else {
      throw FetchError("usage", "the book's file \(name.prefix(200)) is too large")
    }
    guard let file = zip_fopen_index(archive, place, 0) else { throw Self.damaged(name) }
    defer { zip_fclose(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = zip_fread(file, &buffer, UInt64(buffer.count))
      // libzip compares the checksum at the end.
      guard count >= 0 else { throw Self.damaged(name) }
      if count == 0 { break }
      bytes += buffer[..<Int(count)]
      guard bytes.count <= limit else {
        throw FetchError("usage", "the book's file \(name.prefix(200)) is too large")
      }
    }
    total += bytes.count
    return bytes
  }

  private static func damaged(_ name: String) -> FetchError {
    FetchError(
      "usage", "the book's file \(name.prefix(200)) is damaged", hint: "fetch the book again")
  }
}
