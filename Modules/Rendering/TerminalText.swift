/// Determines which characters of untrusted text may be sent to a terminal. No other code decides
/// this.
///
/// The following are not sent:
///
/// - control characters (C0, DEL, C1)
/// - line and paragraph separators
/// - bidirectional formatting characters (U+202A–202E, U+2066–2069), which can make the displayed
///   text differ from the actual text
/// - tag characters outside a flag, which are invisible.
enum TerminalText {
  /// Returns the replacement for a scalar; nil if the scalar may be sent.
  static func replacement(for scalar: Unicode.Scalar) -> Unicode.Scalar? {
    switch scalar.value {
    case 0x20..<0x7F: nil
    case 0x00..<0x20: Unicode.Scalar(0x2400 + scalar.value)
    case 0x7F: "\u{2421}"
    case 0x80..<0xA0, 0x2028, 0x2029, 0x202A...0x202E, 0x2066...0x2069: "\u{FFFD}"
    default: nil
    }
  }

  /// Whether a scalar is a tag character, which is invisible unless it belongs to the flag of a
  /// region.
  static func isTag(_ scalar: Unicode.Scalar) -> Bool {
    (0xE0000...0xE007F).contains(scalar.value)
  }

  /// The black flag, which tag characters turn into the flag of a region.
  static let flag: Unicode.Scalar = "\u{1F3F4}"
}

extension Unicode.Scalar {
  /// Whether the scalar must be replaced before it is sent to a terminal, because it is a control
  /// character, reorders text or is invisible.
  package var steersTerminal: Bool {
    TerminalText.replacement(for: self) != nil || TerminalText.isTag(self)
  }
}

extension String {
  /// The text on one line, safe for terminals: tabs and line endings become spaces, and other
  /// control, formatting and invisible characters become control pictures or U+FFFD. O(length).
  package var sanitizedForTerminal: String { sanitized(keepingLines: false) }

  /// The text, safe for terminals, with its line feeds and tabs. O(length).
  package var linesSanitizedForTerminal: String { sanitized(keepingLines: true) }

  private func sanitized(keepingLines: Bool) -> String {
    if utf8.allSatisfy({ $0 >= 32 && $0 < 127 }) { return self }
    var result = String.UnicodeScalarView()
    var isInFlag = false
    for scalar in unicodeScalars {
      if TerminalText.isTag(scalar) {
        result.append(isInFlag ? scalar : "\u{FFFD}")
        continue
      }
      isInFlag = scalar == TerminalText.flag
      switch scalar.value {
      case 0x09, 0x0A: result.append(keepingLines ? scalar : " ")
      case 0x0D where !keepingLines: result.append(" ")
      default: result.append(TerminalText.replacement(for: scalar) ?? scalar)
      }
    }
    return String(result)
  }
}

extension Character {
  /// The character, or its replacement if it must not be sent to a terminal.
  package var sanitizedForTerminal: Character {
    guard let first = unicodeScalars.first else { return self }
    if let replacement = TerminalText.replacement(for: first) { return Character(replacement) }
    guard first.value >= 0x80 || unicodeScalars.count > 1 else { return self }
    let isHidden =
      first != TerminalText.flag && unicodeScalars.contains(where: TerminalText.isTag)
    return isHidden ? "\u{FFFD}" : self
  }
}
