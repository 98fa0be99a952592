public import Model

/// The text that a reader sees and selects, without styles.
public struct RenderedText: Hashable, Sendable {
  /// The text in UTF-8; always valid.
  package let utf8: [UInt8]
  /// The text in UTF-16.
  public let utf16: [UInt16]

  /// Creates a text from valid UTF-8. `count` is its length in UTF-16 units.
  init(utf8: [UInt8], count: Int) {
    self.utf8 = utf8
    utf16 = [UInt16](unsafeUninitializedCapacity: count) { buffer, filled in
      utf8.withUnsafeBufferPointer { bytes in
        var index = 0
        while index < bytes.count, filled < count {
          if bytes[index] < 0x80 {
            // An ASCII character is one unit. Sixteen of them are converted at a time.
            let end = bytes.endOfASCII(from: index, to: min(bytes.count, index + count - filled))
            while index + 16 <= end {
              let ascii = UnsafeRawPointer(bytes.baseAddress! + index).loadUnaligned(
                as: SIMD16<UInt8>.self)
              UnsafeMutableRawPointer(buffer.baseAddress! + filled).storeBytes(
                of: SIMD16<UInt16>(truncatingIfNeeded: ascii), as: SIMD16<UInt16>.self)
              filled += 16
              index += 16
            }
            while index < end {
              buffer[filled] = UInt16(bytes[index])
              filled += 1
              index += 1
            }
            continue
          }
          let scalar = bytes.scalar(at: index)
          if scalar >= 0x10000 {
            buffer[filled] = UInt16(0xD800 + (scalar - 0x10000) >> 10)
            buffer[filled + 1] = UInt16(0xDC00 + (scalar - 0x10000) & 0x3FF)
            filled += 2
            index += 4
          } else {
            buffer[filled] = UInt16(scalar)
            filled += 1
            index += scalar >= 0x800 ? 3 : 2
          }
        }
      }
    }
  }

  /// The length in UTF-16 units.
  public var count: Int { utf16.count }

  /// The text as a string. O(bytes).
  package var string: String { String(decoding: utf8, as: UTF8.self) }

  /// Returns the text in a range. Offsets beyond the end are clamped, and half of a surrogate pair
  /// becomes U+FFFD.
  public func substring(_ range: TextRange) -> String {
    String(decoding: utf16[range.utf16.clamped(to: utf16.indices)], as: UTF16.self)
  }
}
