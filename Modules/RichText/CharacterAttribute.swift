/// An attribute of characters.
package enum CharacterAttribute: FormatAttribute {
  /// Bold letters.
  case bold(Bool)
  /// Italic letters.
  case italic(Bool)
  /// A line below the letters.
  case underline(UnderlineStyle)
  /// A line through the letters.
  case strikethrough(StrikethroughStyle)
  /// The font's family: a name without line ends and outer blanks, 1 to 200 characters.
  case family(String)
  /// The font's size in half points.
  case size(Int)
  /// Capitals in place of small letters.
  case capitals(Capitals)
  /// Raised or lowered letters.
  case position(BaselinePosition)
  /// The colour of the letters.
  case color(TextColor)
  /// The colour behind the letters.
  case background(TextColor)
  /// Where the text leads: an address without control characters, 1 to 8,192 characters.
  case link(String)

  /// Which attribute, without a value.
  package enum Kind: String, FormatKind {
    case bold, italic, underline, strikethrough, family, size, capitals, position, color,
      background, link
  }

  /// Which attribute this is.
  package var kind: Kind {
    switch self {
    case .bold: .bold
    case .italic: .italic
    case .underline: .underline
    case .strikethrough: .strikethrough
    case .family: .family
    case .size: .size
    case .capitals: .capitals
    case .position: .position
    case .color: .color
    case .background: .background
    case .link: .link
    }
  }

  /// The value that means that there is nothing of this attribute, for what can be toggled.
  package var off: CharacterAttribute? {
    switch self {
    case .bold: .bold(false)
    case .italic: .italic(false)
    case .underline: .underline(.none)
    case .strikethrough: .strikethrough(.none)
    case .capitals: .capitals(.normal)
    case .position: .position(.normal)
    case .color: .color(.automatic)
    case .background: .background(.automatic)
    case .family, .size, .link: nil
    }
  }
}

/// How a line below letters is drawn.
package enum UnderlineStyle: String, Hashable, Sendable, CaseIterable {
  case none, single, double, words, dotted, dashed, dashDot, dashDotDot, thick, wave
}

/// How a line through letters is drawn.
package enum StrikethroughStyle: String, Hashable, Sendable, CaseIterable {
  case none, single, double
}

/// How small letters are drawn.
package enum Capitals: String, Hashable, Sendable, CaseIterable {
  case normal, small, all
}

/// Where letters stand.
package enum BaselinePosition: String, Hashable, Sendable, CaseIterable {
  case normal, superscript, `subscript`
}

/// A colour of text, or of what is behind it.
package enum TextColor: Hashable, Sendable {
  /// That of the page: its text's colour, or none behind the text.
  case automatic
  /// 24 bits, `0xRRGGBB`.
  case rgb(UInt32)

  /// Reads `automatic`, `#RRGGBB` or `#RGB`; nil for anything else.
  package init?(_ text: String) {
    if text == "automatic" {
      self = .automatic
      return
    }
    let digits = text.utf8.dropFirst()
    guard text.utf8.first == UInt8(ascii: "#"), digits.allSatisfy({ $0 != 0x2B && $0 != 0x2D }),
      let value = UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
    else { return nil }
    switch digits.count {
    case 6: self = .rgb(value)
    case 3: self = .rgb((value >> 8) * 0x110000 + (value >> 4 & 15) * 0x1100 + (value & 15) * 0x11)
    default: return nil
    }
  }
}

extension TextColor: CustomStringConvertible {
  /// `automatic`, or `#RRGGBB` in lower case.
  package var description: String {
    switch self {
    case .automatic: "automatic"
    case .rgb(let value):
      "#" + String(value | 0x100_0000, radix: 16).suffix(6)
    }
  }
}

extension CharacterAttribute {
  /// The sizes that a person may set, in half points: 8 to 72 pt.
  package static let sizes = 16...144

  /// What is wrong with the value: sizes are 8 to 72 pt, in files 0.5 to 1,638 pt.
  package func problem(within limits: FormatLimits) -> FormatValueError? {
    switch self {
    case .size(let size):
      let range = limits == .commands ? Self.sizes : 1...3_276
      return range.contains(size)
        ? nil
        : FormatValueError(
          "size \(decimal(hundredths: size * 50)) pt is out of range: "
            + "\(decimal(hundredths: range.lowerBound * 50))–"
            + "\(decimal(hundredths: range.upperBound * 50)) pt")
    case .family(let name):
      if name.unicodeScalars.first == " " || name.unicodeScalars.last == " " {
        return FormatValueError("font family '\(name.prefix(80))' begins or ends with a blank")
      }
      return Self.problem(with: name, "font family", longest: 200)
    case .link(let address): return Self.problem(with: address, "link", longest: 8_192)
    case .color(.rgb(let value)), .background(.rgb(let value)):
      return value < 0x100_0000
        ? nil : FormatValueError("color \(value) is out of range: #000000–#ffffff")
    default: return nil
    }
  }

  private static func problem(with text: String, _ what: String, longest: Int)
    -> FormatValueError?
  {
    // Counted in scalars: a character may have any number of them.
    let count = text.unicodeScalars.count
    if !(1...longest).contains(count) {
      return FormatValueError("\(what) of \(count) characters is out of range: 1–\(longest)")
    }
    return text.unicodeScalars.contains { $0.properties.generalCategory == .control }
      ? FormatValueError("\(what) contains a control character") : nil
  }
}
