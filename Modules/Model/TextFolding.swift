/// The form of characters in which texts are indexed: without case and without diacritics.
///
/// Whatever a search without regard to case or diacritics takes for the same has the same form, so
/// that what holds a match also holds the match's form.
public enum TextFolding {
  /// The version of these rules; an index that was made by other ones is not believed.
  package static let version = 2

  /// What a character is to an index of words.
  public enum Kind: UInt8, Sendable {
    /// It separates words.
    case separator
    /// It is a part of a word.
    case word
    /// It is a word of its own: scripts without blanks between words.
    case single
    /// It is a mark on the character before it, and is left out.
    case mark
  }

  /// A character's form and kind in one number: the kind in the upper bits.
  struct Entry: Sendable {
    var bits: UInt32
    var scalar: UInt32 { bits & 0x1F_FFFF }
    var kind: Kind { Kind(rawValue: UInt8(bits >> 24))! }
    init(_ scalar: UInt32, _ kind: Kind) { bits = UInt32(kind.rawValue) << 24 | scalar }
  }

  /// The entries of the scalars below U+3000, made once.
  private static let table: [Entry] = (0..<0x3000).map { make($0) }
  private static let bases: [UInt32: UInt32] = {
    var bases: [UInt32: UInt32] = [:]
    for (base, variants) in variants { for variant in variants { bases[variant] = base } }
    return bases
  }()
  private static let variants: [UInt32: [UInt32]] = {
    var variants: [UInt32: [UInt32]] = [:]
    for line in letterVariants.split(separator: "\n") {
      let scalars = line.unicodeScalars.map(\.value)
      variants[scalars[0], default: []] += scalars.dropFirst()
    }
    return variants
  }()

  /// A scalar's form and kind. O(1).
  @inline(__always)
  public static func fold(_ scalar: UInt32) -> (scalar: UInt32, kind: Kind) {
    // Most programs never need the table, which takes a millisecond to make.
    if scalar < 0x80 { return ascii(scalar) }
    let entry = scalar < 0x3000 ? table[Int(scalar)] : beyondTable(scalar)
    return (entry.scalar, entry.kind)
  }

  /// The letters that are this one with diacritics, as single scalars.
  package static func variants(of scalar: UInt32) -> [UInt32] { variants[scalar] ?? [] }

  /// The raised and lowered forms of this letter or digit: ² and ₂ of 2.
  public static func levels(of scalar: UInt32) -> [UInt32] {
    variants(of: scalar).filter {
      switch $0 {
      case 0xAA, 0xB2, 0xB3, 0xB9, 0xBA, 0x2B0...0x2E4, 0x1D2C...0x1DBF, 0x2070...0x209C,
        0x2C7C...0x2C7D:
        true
      default: false
      }
    }
  }

  /// The letter without its diacritics.
  public static func base(of scalar: UInt32) -> UInt32 { bases[scalar] ?? scalar }

  private static func ascii(_ scalar: UInt32) -> (scalar: UInt32, kind: Kind) {
    switch scalar {
    case 0x41...0x5A: (scalar | 0x20, .word)
    case 0x61...0x7A, 0x30...0x39, 0x5F: (scalar, .word)
    default: (scalar, .separator)
    }
  }

  private static func beyondTable(_ scalar: UInt32) -> Entry {
    switch scalar {
    case 0x3041...0x30FF, 0x3105...0x31BF, 0x3400...0x9FFF, 0xF900...0xFAFF, 0x20000...0x3FFFF,
      0xAC00...0xD7A3:
      Entry(scalar, .single)
    default: make(scalar)
    }
  }

  private static func make(_ value: UInt32) -> Entry {
    guard let scalar = Unicode.Scalar(value) else { return Entry(value, .separator) }
    // The only mark with a case: a subscript iota is an iota to those who ignore case.
    if value == 0x345 { return Entry(0x3B9, .word) }
    if scalar.properties.generalCategory == .nonspacingMark { return Entry(value, .mark) }
    let base = Unicode.Scalar(base(of: value)) ?? scalar
    // Upper case first: it joins the forms that have no lower case of their own, such as ſ and ς.
    let upper = single(base.properties.uppercaseMapping) ?? base
    let folded = single(upper.properties.lowercaseMapping) ?? upper
    return Entry(folded.value, kind(of: folded))
  }

  private static func single(_ text: String) -> Unicode.Scalar? {
    let scalars = text.unicodeScalars
    return scalars.count == 1 ? scalars.first : nil
  }

  private static func kind(of scalar: Unicode.Scalar) -> Kind {
    switch scalar.value {
    // Thai, Lao, Tibetan, Myanmar, Khmer.
    case 0x0E00...0x0FFF, 0x1000...0x109F, 0x1780...0x17FF: break
    default:
      switch scalar.properties.generalCategory {
      case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
        .decimalNumber, .letterNumber, .otherNumber, .spacingMark, .enclosingMark:
        return .word
      default: return scalar == "_" ? .word : .separator
      }
    }
    switch scalar.properties.generalCategory {
    case .otherLetter, .modifierLetter, .spacingMark, .decimalNumber: return .single
    default: return .separator
    }
  }
}
