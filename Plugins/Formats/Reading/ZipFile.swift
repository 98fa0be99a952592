/// Finds files in a zip archive in memory. Names are those in the archive and never become paths.
struct ZipFile {
  private let bytes: [UInt8]
  private var index: Int
  private let count: Int

  /// Opens an archive; nil if the bytes are not a zip archive, or one of more than 4 GiB.
  init?(_ bytes: [UInt8]) {
    guard bytes.starts(with: [0x50, 0x4B, 3, 4]), bytes.count >= 22 else { return nil }
    // The end of the directory is before a comment of at most 64 KiB.
    let last = bytes.count - 22
    var end: Int?
    for place in stride(from: last, through: max(0, last - 0xFFFF), by: -1)
    where bytes[place] == 0x50 && bytes[place..<place + 4].elementsEqual([0x50, 0x4B, 5, 6]) {
      end = place
      break
    }
    guard let end else { return nil }
    self.bytes = bytes
    count = Self.number(bytes, end + 10, 2)
    index = Self.number(bytes, end + 16, 4)
  }

  private static func number(_ bytes: [UInt8], _ place: Int, _ size: Int) -> Int {
    (0..<size).reduce(0) { $0 | Int(bytes[place + $1]) << (8 * $1) }
  }

  /// Returns the content of a file; nil if it is missing, encrypted, damaged or longer than the
  /// limit in bytes. O(entries and content).
  func content(of name: String, limit: Int) -> [UInt8]? {
    var place = index
    for _ in 0..<count {
      guard place + 46 <= bytes.count, bytes[place..<place + 4].elementsEqual([0x50, 0x4B, 1, 2])
      else { return nil }
      let length = Self.number(bytes, place + 28, 2)
      guard place + 46 + length <= bytes.count else { return nil }
      if bytes[place + 46..<place + 46 + length].elementsEqual(name.utf8) {
        return content(ofEntry: place, limit)
      }
      place += 46 + length + Self.number(bytes, place + 30, 2) + Self.number(bytes, place + 32, 2)
    }
    return nil
  }

  private func content(ofEntry place: Int, _ limit: Int) -> [UInt8]? {
    let isEncrypted = bytes[place + 8] & 1 != 0
    let method = Self.number(bytes, place + 10, 2)
    let size = Self.number(bytes, place + 20, 4)
    let start = Self.number(bytes, place + 42, 4)
    guard !isEncrypted, start + 30 <= bytes.count else { return nil }
    let data = start + 30 + Self.number(bytes, start + 26, 2) + Self.number(bytes, start + 28, 2)
    guard data + size <= bytes.count else { return nil }
    let content = bytes[data..<data + size]
    switch method {
    case 0: return content.count <= limit ? Array(content) : nil
    case 8: return Inflate.decompress(content, limit: limit)
    default: return nil
    }
  }
}
