extension String {
  /// Creates a string from UTF-16 units. Half of a surrogate pair becomes U+FFFD. O(units)
  ///
  /// `String(decoding:as:)` transcodes UTF-16 by generic code of the standard library, for which the
  /// runtime searches the conformances of all types at the first call of a process.
  package init(units: UnsafeBufferPointer<UInt16>) {
    self.init(unsafeUninitializedCapacity: UTF8Bytes.count(of: units)) {
      UTF8Bytes.encode(units, to: $0)
    }
  }

  /// Creates a string from UTF-16 units. Half of a surrogate pair becomes U+FFFD. O(units)
  package init(units: [UInt16]) {
    self = units.withUnsafeBufferPointer { String(units: $0) }
  }

  /// Creates a string from UTF-16 units. Half of a surrogate pair becomes U+FFFD. O(units)
  package init(units: ArraySlice<UInt16>) {
    self = units.withUnsafeBufferPointer { String(units: $0) }
  }
}

/// The UTF-8 encoding of UTF-16 units, in which U+FFFD replaces half of a surrogate pair.
package enum UTF8Bytes {
  /// Returns the number of bytes. O(units)
  package static func count(of units: UnsafeBufferPointer<UInt16>) -> Int {
    var (index, count) = (0, 0)
    while index < units.count {
      let unit = units[index]
      index += 1
      if unit < 0x80 {
        count += 1
      } else if unit < 0x800 {
        count += 2
      } else if isPair(unit, units, index) {
        count += 4
        index += 1
      } else {
        count += 3
      }
    }
    return count
  }

  /// Writes the bytes to memory, and returns their number. O(units)
  package static func encode(
    _ units: UnsafeBufferPointer<UInt16>, to bytes: UnsafeMutableBufferPointer<UInt8>
  ) -> Int {
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
        if isPair(UInt16(scalar), units, index) {
          scalar = 0x10000 + (scalar & 0x3FF) << 10 + UInt32(units[index] & 0x3FF)
          index += 1
          put(0xF0 | scalar >> 18)
          put(0x80 | scalar >> 12 & 0x3F)
        } else {
          if scalar & 0xF800 == 0xD800 { scalar = 0xFFFD }
          put(0xE0 | scalar >> 12)
        }
        put(0x80 | scalar >> 6 & 0x3F)
      }
      put(0x80 | scalar & 0x3F)
    }
    return filled
  }

  /// Returns whether a unit and the unit at an index after it are a surrogate pair.
  private static func isPair(
    _ unit: UInt16, _ units: UnsafeBufferPointer<UInt16>, _ next: Int
  ) -> Bool {
    unit & 0xFC00 == 0xD800 && next < units.count && units[next] & 0xFC00 == 0xDC00
  }
}
