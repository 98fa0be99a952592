import FoundationEssentials

/// An image that a terminal may draw: the bytes of a file whose header has been validated.
package struct Picture: Hashable, Sendable {
  package enum Format: Hashable, Sendable { case png, jpeg, gif }

  /// The maximum size of a file in bytes, and of an image in pixels. Larger images are not shown.
  package static let longest = 10 << 20
  package static let mostPixels = 40_000_000

  /// The format of the bytes.
  package let format: Format
  /// The width and height in pixels.
  package let width: Int
  package let height: Int
  /// The bytes of the file.
  package let bytes: [UInt8]

  /// Validates the header of a file and its end; nil if it isn't an image, is truncated, or is too
  /// large. The pixels are not decoded. O(bytes) in the worst case.
  package init?(_ bytes: [UInt8]) {
    guard bytes.count <= Self.longest,
      let (format, width, height) = Self.png(bytes) ?? Self.jpeg(bytes) ?? Self.gif(bytes),
      width > 0, height > 0, width <= Self.mostPixels, height <= Self.mostPixels / width
    else { return nil }
    (self.format, self.width, self.height, self.bytes) = (format, width, height, bytes)
  }

  /// The image as a data URL. O(bytes).
  package var dataAddress: String {
    let type =
      switch format {
      case .png: "png"
      case .jpeg: "jpeg"
      case .gif: "gif"
      }
    return "data:image/\(type);base64," + Data(bytes).base64EncodedString()
  }

  private typealias Head = (Format, width: Int, height: Int)

  private static func number(_ bytes: [UInt8], _ place: Int, _ count: Int) -> Int {
    bytes[place..<place + count].reduce(0) { $0 << 8 | Int($1) }
  }

  /// Reads the size in the header of a PNG file. Its chunks must be complete up to the last one.
  private static func png(_ bytes: [UInt8]) -> Head? {
    let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    guard bytes.starts(with: signature), bytes.count >= 33,
      number(bytes, 8, 4) == 13, Array(bytes[12..<16]) == Array("IHDR".utf8)
    else { return nil }
    var place = 8
    while place + 12 <= bytes.count {
      let length = number(bytes, place, 4)
      guard length <= bytes.count - place - 12 else { return nil }
      if Array(bytes[place + 4..<place + 8]) == Array("IEND".utf8) {
        return (.png, number(bytes, 16, 4), number(bytes, 20, 4))
      }
      place += length + 12
    }
    return nil
  }

  /// Reads the size in the frame segment of a JPEG file. The end marker must be near the end of the
  /// file.
  private static func jpeg(_ bytes: [UInt8]) -> Head? {
    guard bytes.starts(with: [0xFF, 0xD8]), bytes.suffix(64).contains(0xD9) else { return nil }
    var place = 2
    while place + 9 < bytes.count, bytes[place] == 0xFF {
      let marker = bytes[place + 1]
      if marker == 0xFF {
        place += 1
        continue
      }
      let length = number(bytes, place + 2, 2)
      guard length >= 2, marker != 0xD9, marker != 0xDA else { return nil }
      if (0xC0...0xCF).contains(marker), ![0xC4, 0xC8, 0xCC].contains(marker) {
        return (.jpeg, number(bytes, place + 7, 2), number(bytes, place + 5, 2))
      }
      place += 2 + length
    }
    return nil
  }

  private static func gif(_ bytes: [UInt8]) -> Head? {
    guard bytes.starts(with: Array("GIF87a".utf8)) || bytes.starts(with: Array("GIF89a".utf8)),
      bytes.count > 13, bytes.last == 0x3B
    else { return nil }
    return (.gif, Int(bytes[6]) | Int(bytes[7]) << 8, Int(bytes[8]) | Int(bytes[9]) << 8)
  }
}
