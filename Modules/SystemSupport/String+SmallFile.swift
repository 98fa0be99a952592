import Glibc

extension String {
  /// Reads a small text file, such as a list of patterns or a kernel setting, up to `limit` bytes.
  /// Removes blanks and line feeds at the end.
  ///
  /// - Throws: `UserError` if the file cannot be read.
  package init(contentsOfSmallFile path: String, limit: Int = 1 << 16) throws(UserError) {
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW)
    guard file >= 0 else { throw FileSystem.systemError("read", path) }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: limit)
    var size = 0
    while size < limit {
      let count = bytes[size...].withUnsafeMutableBytes { read(file, $0.baseAddress, $0.count) }
      guard count >= 0 else { throw FileSystem.systemError("read", path) }
      if count == 0 { break }
      size += count
    }
    var text = bytes[..<size]
    while let last = text.last, last == 0x0A || last == 0x20 { text.removeLast() }
    self = String(decoding: text, as: UTF8.self)
  }
}
