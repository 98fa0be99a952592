public import Model

/// The text that a reader sees and selects, without styles.
public struct RenderedText: Hashable, Sendable {
  /// The text in UTF-16.
  public let utf16: [UInt16]
  /// The text in UTF-8; nil if it is longer than ``storedLimit``.
  private let storedUTF8: [UInt8]?
  /// The length of the text in UTF-8 bytes.
  package let utf8Count: Int

  /// The length in bytes of the longest text that is stored in UTF-8 too. Longer texts are encoded
  /// on request, because a document of 60 MB would need another 60 MB of memory.
  static let storedLimit = 4 << 20

  /// Creates a text from valid UTF-8. `count` is its length in UTF-16 units.
  init(utf8: [UInt8], count: Int) {
    storedUTF8 = utf8.count <= Self.storedLimit ? utf8 : nil
    utf8Count = utf8.count
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

  /// Whether two texts have the same characters.
  public static func == (first: RenderedText, second: RenderedText) -> Bool {
    first.utf16 == second.utf16
  }

  /// Hashes the characters.
  public func hash(into hasher: inout Hasher) { hasher.combine(utf16) }

  /// The text in UTF-8; always valid. O(1) up to ``storedLimit`` bytes, O(bytes) beyond.
  package var utf8: [UInt8] {
    storedUTF8
      ?? [UInt8](unsafeUninitializedCapacity: utf8Count) { buffer, filled in
        filled = encode(to: buffer)
      }
  }

  /// The text as a string. O(bytes).
  package var string: String {
    if let storedUTF8 { return String(decoding: storedUTF8, as: UTF8.self) }
    return String(unsafeUninitializedCapacity: utf8Count) { encode(to: $0) }
  }

  /// Writes the text in UTF-8 to memory of ``utf8Count`` bytes, and returns this number. O(bytes).
  private func encode(to bytes: UnsafeMutableBufferPointer<UInt8>) -> Int {
    utf16.withUnsafeBufferPointer { units in
      var (index, filled) = (0, 0)
      func put(_ byte: UInt32) {
        bytes[filled] = UInt8(truncatingIfNeeded: byte)
        filled += 1
      }
      while index < units.count {
        var scalar = UInt32(units[index])
        index += 1
        if scalar < 0x80 {
          put(scalar)
          continue
        }
        if scalar < 0x800 {
          put(0xC0 | scalar >> 6)
        } else {
          if scalar & 0xFC00 == 0xD800 {
            // The text was valid UTF-8, so the other half of a pair follows.
            scalar = 0x10000 + (scalar & 0x3FF) << 10 + UInt32(units[index] & 0x3FF)
            index += 1
            put(0xF0 | scalar >> 18)
            put(0x80 | scalar >> 12 & 0x3F)
          } else {
            put(0xE0 | scalar >> 12)
          }
          put(0x80 | scalar >> 6 & 0x3F)
        }
        put(0x80 | scalar & 0x3F)
      }
      return filled
    }
  }

  /// Returns the text in a range. Offsets beyond the end are clamped, and half of a surrogate pair
  /// becomes U+FFFD.
  public func substring(_ range: TextRange) -> String {
    String(decoding: utf16[range.utf16.clamped(to: utf16.indices)], as: UTF16.self)
  }
}
