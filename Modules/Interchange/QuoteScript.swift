import Model

/// The script of a text, as far as typography depends on it: fonts and the distance of lines.
///
/// ```swift
/// QuoteScript(of: "吾輩は猫である")  // .japanese
/// ```
package enum QuoteScript: String, Hashable, Sendable {
  case japanese, chinese, korean, arabic, hebrew
  /// Scripts with tall letters or with signs above and below: Devanagari, Thai and others.
  case tall
  /// Latin and all other scripts.
  case plain

  /// Finds the script with the most letters in a text. Han characters are Japanese if the text
  /// contains kana. O(length).
  package init(of text: String) {
    var counts: [QuoteScript: Int] = [:]
    for scalar in text.unicodeScalars where scalar.properties.isAlphabetic {
      counts[Self.script(of: scalar.value), default: 0] += 1
    }
    // Kana are few beside Han characters, and prove the language.
    if let kana = counts[.japanese], kana > 0, let han = counts[.chinese] {
      (counts[.japanese], counts[.chinese]) = (kana + han, nil)
    }
    // A word has far fewer characters in these scripts.
    for script in [QuoteScript.japanese, .chinese, .korean] { counts[script]? *= 3 }
    self = counts.max { ($0.value, $1.key.rawValue) < ($1.value, $0.key.rawValue) }?.key ?? .plain
  }

  /// Returns whether a text runs from right to left, by its first letter.
  package static func isRightToLeft(_ text: String) -> Bool {
    TextDirection.isRightToLeft(text.unicodeScalars)
  }

  /// Returns the script of a letter.
  package static func script(of scalar: UInt32) -> QuoteScript {
    switch scalar {
    case 0x0590...0x05FF, 0xFB1D...0xFB4F: .hebrew
    case 0x0600...0x077F, 0x0870...0x08FF, 0xFB50...0xFDFF, 0xFE70...0xFEFC: .arabic
    case 0x0700...0x086F, 0x0900...0x0FFF, 0x1000...0x109F, 0x1780...0x17FF: .tall
    case 0x3040...0x30FF, 0x31F0...0x31FF, 0xFF66...0xFF9F: .japanese
    case 0x1100...0x11FF, 0x3130...0x318F, 0xAC00...0xD7AF: .korean
    case 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xF900...0xFAFF, 0x20000...0x3FFFF: .chinese
    default: .plain
    }
  }

  /// Whether the script runs from right to left.
  package var isRightToLeft: Bool { self == .arabic || self == .hebrew }

  /// The language tag that selects the forms of Han characters; nil if it makes no difference.
  package var language: String? {
    switch self {
    case .japanese: "ja"
    case .chinese: "zh-cn"
    case .korean: "ko"
    case .arabic, .hebrew, .tall, .plain: nil
    }
  }
}
