/// Decides how the control characters of a text are shown in files for other programs.
package enum ControlCharacters {
  /// Returns the visible character for a control character; nil for other characters, and for line
  /// feeds, carriage returns and tabs. Every UTF-16 unit can be passed.
  package static func symbol(for value: UInt16) -> UInt16? {
    switch value {
    case 0x09, 0x0A, 0x0D: nil
    case 0..<0x20: 0x2400 + value
    case 0x7F: 0x2421
    case 0x80..<0xA0: 0xFFFD
    default: nil
    }
  }

  /// Returns a text whose control characters are replaced by visible ones. O(length).
  package static func replaced(in text: String) -> String {
    guard text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F || $0 == 0xC2 }) else { return text }
    return String(units: text.utf16.map { symbol(for: $0) ?? $0 })
  }
}
