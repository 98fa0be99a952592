/// Emoji by their names on GitHub, such as `:tada:`.
enum Emoji {
  private static let names = NameTable(emojiTable)
  private static let longestName = 40

  /// Returns the emoji whose name begins with the colon at an index; nil for an unknown name. Names
  /// inside a word, as in `std::map:key:value`, don't match. O(length of the name).
  static func match(_ bytes: Bytes, at start: Int) -> Entities.Match? {
    guard !bytes.at(start - 1).isAlphanumeric else { return nil }
    var end = start + 1
    while end < bytes.count, isNameByte(bytes[end]), end - start <= longestName { end += 1 }
    guard end > start + 1, bytes.at(end) == UInt8(ascii: ":"), !bytes.at(end + 1).isAlphanumeric,
      let emoji = names.value(of: Bytes(rebasing: bytes[start + 1..<end]))
    else { return nil }
    return Entities.Match(
      length: end + 1 - start,
      scalars: Array(String(decoding: emoji, as: UTF8.self).unicodeScalars))
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    byte.isAlphanumeric || "_+-".utf8.contains(byte)
  }
}
