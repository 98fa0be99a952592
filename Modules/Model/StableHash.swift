/// The FNV-1a hash of a sequence of bytes or UTF-16 units. It is the same in every process and
/// version.
package struct StableHash {
  /// The hash of the units that were added.
  package var value: UInt64

  /// Creates the hash of no units.
  @inlinable package init() { value = 0xcbf2_9ce4_8422_2325 }

  /// Adds a byte.
  @inlinable @inline(__always) package mutating func add(_ byte: UInt8) {
    value = (value ^ UInt64(byte)) &* 0x100_0000_01b3
  }

  /// Adds a UTF-16 unit.
  @inlinable @inline(__always) package mutating func add(_ unit: UInt16) {
    value = (value ^ UInt64(unit)) &* 0x100_0000_01b3
  }
}

/// Returns the hash of some fields, each followed by the byte 0xFF, which does not occur in UTF-8.
package func stableHash(of fields: [String]) -> UInt64 {
  var hash = StableHash()
  for field in fields {
    for byte in field.utf8 { hash.add(byte) }
    hash.add(0xFF as UInt8)
  }
  return hash.value
}
