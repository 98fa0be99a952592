/// An attribute of characters.
package enum CharacterAttribute: FormatAttribute {
  case bold(Bool)
  /// Whether the font is italic.
  case italic(Bool)
  /// A line below the text.
  case underline(UnderlineStyle)
  /// A line through the text.
  case strikethrough(StrikethroughStyle)
  /// The font family: 1 to 200 characters, without control characters or spaces at the ends.
  case family(String)
  /// The font size in half points.
  case size(Int)
  /// Whether lower-case letters are drawn as capitals.
  case capitals(Capitals)
  /// Superscript or subscript.
  case position(BaselinePosition)
  case color(TextColor)
  /// The colour behind the text.
  case background(TextColor)
  /// The destination of a link: 1 to 8,192 characters, without control characters.
  case link(String)

  /// The attribute without its value.
  package enum Kind: String, FormatKind {
    case bold, italic, underline, strikethrough, family, size, capitals, position, color,
      background, link
  }

  /// The attribute without its value.
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

  /// The value that turns the attribute off, or nil if the attribute can't be toggled.
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

/// The style of an underline. `words` underlines only words, not spaces.
package enum UnderlineStyle: String, Hashable, Sendable, CaseIterable {
  case none, single, double, words, dotted, dashed, dashDot, dashDotDot, thick, wave
}

/// The number of lines through the text.
package enum StrikethroughStyle: String, Hashable, Sendable, CaseIterable {
  case none, single, double
}

/// How lower-case letters are drawn: as they are, as small capitals or as capitals.
package enum Capitals: String, Hashable, Sendable, CaseIterable {
  case normal, small, all
}

/// The position of text relative to the baseline.
package enum BaselinePosition: String, Hashable, Sendable, CaseIterable {
  case normal, superscript, `subscript`
}

/// The colour of text or of its background.
package enum TextColor: Hashable, Sendable {
  /// The page's colour: the default text colour, or no background.
  case automatic
  /// An RGB colour, `0xRRGGBB`.
  case rgb(UInt32)

  /// Parses `automatic`, `#RRGGBB` or `#RGB`. Returns nil for other text.
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
  /// `automatic`, or `#rrggbb` in lower case.
  package var description: String {
    switch self {
    case .automatic: "automatic"
    case .rgb(let value):
      "#" + String(value | 0x100_0000, radix: 16).suffix(6)
    }
  }
}

extension CharacterAttribute {
  /// The font sizes that a user can set, in half points: 8 to 72 pt.
  package static let sizes = 16...144

  /// Returns the error for an invalid value, or nil if it is valid. Commands allow font sizes from
  /// 8 to 72 pt, files from 0.5 to 1,638 pt.
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
    // Count scalars, because a character can consist of any number of them.
    let count = text.unicodeScalars.count
    if !(1...longest).contains(count) {
      return FormatValueError("\(what) of \(count) characters is out of range: 1–\(longest)")
    }
    return text.unicodeScalars.contains { $0.properties.generalCategory == .control }
      ? FormatValueError("\(what) contains a control character") : nil
  }
}
