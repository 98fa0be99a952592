import Model

/// Filters the output of a command for a terminal: text passes, and so do the escape sequences that
/// Diple itself writes.
///
/// Commands sanitize untrusted text themselves (`sanitizedForTerminal`). All of their output passes
/// this filter as well. If a command forgets to sanitize a text, the terminal shows its control
/// characters instead of executing them.
package enum TerminalFilter {
  /// The maximum length of a sequence that passes, in bytes.
  private static let longest = 16_384

  /// Returns the bytes with visible characters in place of those that control a terminal. Line
  /// feeds, tabs, colours (SGR) and links to pages (OSC 8) are unchanged. O(bytes).
  ///
  /// - Parameter bytes: the output, which must not end inside a character or a sequence.
  package static func filtered(_ bytes: UnsafeBufferPointer<UInt8>) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    var index = 0
    var isInFlag = false
    while index < bytes.count {
      let byte = bytes[index]
      if byte >= 0x20 && byte < 0x7F || byte == 0x0A || byte == 0x09 {
        result.append(byte)
        index += 1
      } else if byte == 0x1B, let end = ownSequence(bytes, from: index) {
        result.append(contentsOf: bytes[index..<end])
        index = end
      } else {
        let length = scalarLength(bytes, at: index)
        let scalars = String(decoding: bytes[index..<index + length], as: UTF8.self).unicodeScalars
        for scalar in scalars {
          let isTag = TerminalText.isTag(scalar)
          isInFlag = isTag ? isInFlag : scalar == TerminalText.flag
          let shown = TerminalText.replacement(for: scalar) ?? scalar
          result.append(contentsOf: String(isTag && !isInFlag ? "\u{FFFD}" : shown).utf8)
        }
        index += length
      }
    }
    return result
  }

  /// Returns the length of the UTF-8 sequence at an index, in bytes; 1 if it isn't valid.
  private static func scalarLength(_ bytes: UnsafeBufferPointer<UInt8>, at index: Int) -> Int {
    let length: Int
    switch bytes[index] {
    case 0xC2...0xDF: length = 2
    case 0xE0...0xEF: length = 3
    case 0xF0...0xF4: length = 4
    default: return 1
    }
    guard index + length <= bytes.count,
      bytes[index + 1..<index + length].allSatisfy({ $0 & 0xC0 == 0x80 })
    else { return 1 }
    return length
  }

  /// Returns the end of the escape sequence at an index if it sets a colour or begins or ends a
  /// link with a safe address; nil for any other sequence.
  private static func ownSequence(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
    guard start + 2 < bytes.count else { return nil }
    let rest = bytes[(start + 2)..<min(bytes.count, start + longest)]
    switch bytes[start + 1] {
    case UInt8(ascii: "["):
      let end = rest.firstIndex { !(0x30...0x3B).contains($0) }
      guard let end, bytes[end] == UInt8(ascii: "m") else { return nil }
      return end + 1
    case UInt8(ascii: "]"):
      let head = "8;;".utf8
      guard rest.starts(with: head) else { return nil }
      let address = rest.dropFirst(head.count)
      guard let end = address.firstIndex(where: { $0 <= 0x20 || $0 == 0x7F }),
        end + 1 < bytes.count, bytes[end] == 0x1B, bytes[end + 1] == UInt8(ascii: "\\")
      else { return nil }
      let text = String(decoding: bytes[address.startIndex..<end], as: UTF8.self)
      guard text.unicodeScalars.allSatisfy({ !$0.steersTerminal }), LinkSafety.isSafe(text) else {
        return nil
      }
      return end + 2
    default: return nil
    }
  }
}
