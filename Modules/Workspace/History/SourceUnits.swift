import MarkdownParse
import Model

/// A Markdown source in UTF-16 units, with conversions to and from byte offsets.
struct SourceUnits {
  let text: [UInt16]
  private let bytes: [UInt8]

  init(_ source: MarkdownSource) {
    bytes = source.bytes
    text = Array(String(decoding: bytes, as: UTF8.self).utf16)
  }

  /// Whether the source is valid UTF-8, so that the conversions are exact. O(bytes).
  var isExact: Bool { String(validating: bytes, as: UTF8.self) != nil }

  /// Returns the byte ranges of edits in UTF-16 units, which must be in ascending order. O(bytes).
  func bytes(of edits: [TextEdit]) -> [Range<Int>] {
    var position = (unit: 0, byte: 0)
    func byte(at unit: Int) -> Int {
      while position.unit < unit, position.byte < bytes.count {
        let first = bytes[position.byte]
        let length = first < 0x80 ? 1 : first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2
        position.byte += length
        position.unit += length == 4 ? 2 : 1
      }
      return position.byte
    }
    return edits.map {
      let start = byte(at: $0.range.utf16.lowerBound)
      return start..<byte(at: $0.range.utf16.upperBound)
    }
  }

  /// Returns the UTF-16 units of a byte range that starts and ends between characters. O(bytes).
  func units(of range: Range<Int>) -> Range<Int> {
    func count(_ part: Range<Int>) -> Int {
      bytes[part].reduce(0) { $0 + ($1 & 0xC0 != 0x80 ? 1 : 0) + ($1 >= 0xF0 ? 1 : 0) }
    }
    let start = count(0..<range.lowerBound)
    return start..<start + count(range)
  }
}
