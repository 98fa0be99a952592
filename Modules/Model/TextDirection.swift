extension Unicode.Scalar {
  /// Whether the character is a letter of a script that is written from right to left.
  package var isRightToLeft: Bool {
    switch value {
    case 0x0590...0x08FF, 0xFB1D...0xFDFF, 0xFE70...0xFEFC, 0x10800...0x10FFF, 0x1E800...0x1EFFF:
      properties.isAlphabetic
    default: false
    }
  }
}

/// The direction of paragraphs.
package enum TextDirection {
  /// Returns whether a text runs from right to left, by its first letter or mark of direction.
  /// O(text before it).
  package static func isRightToLeft(_ text: some Sequence<Unicode.Scalar>) -> Bool {
    let first = text.first { $0.properties.isAlphabetic || $0 == "\u{200E}" || $0 == "\u{200F}" }
    return first.map { $0 == "\u{200F}" || $0.isRightToLeft } ?? false
  }
}
