/// Returns the FNV-1a hash of some fields, each followed by the byte 0xFF, which does not occur in
/// UTF-8. It is the same in every process and version.
package func stableHash(of fields: [String]) -> UInt64 {
  var hash: UInt64 = 0xcbf2_9ce4_8422_2325
  for field in fields {
    for byte in field.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    hash = (hash ^ 0xFF) &* 0x100_0000_01b3
  }
  return hash
}
