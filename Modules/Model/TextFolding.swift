/// Folds characters to the form in which texts are indexed, without case and diacritics.
///
/// Characters that a search ignoring case or diacritics treats as equal have the same folded form.
/// So if a text contains a match, its folded form contains the folded match. Texts and queries are
/// folded in Unicode's normal form C (``Canonical``).
///
/// ```swift
/// TextFolding.fold(0xC4).scalar  // 0x61: “Ä” is indexed as “a”.
/// ```
public enum TextFolding {
  /// The version of these rules. An index with another version is rebuilt.
  package static let version = 3

  /// The role of a character in an index of words.
  public enum Kind: UInt8, Sendable {
    /// Separates words.
    case separator
    /// Is part of a word.
    case word
    /// Is a separate word, in scripts without spaces between words.
    case single
    /// Is a mark on the preceding character, and is ignored.
    case mark
  }

  /// A character's folded form and its kind, packed into one number. The kind is in the upper 8
  /// bits.
  struct Entry: Sendable {
    var bits: UInt32
    var scalar: UInt32 { bits & 0x1F_FFFF }
    var kind: Kind { Kind(rawValue: UInt8(bits >> 24))! }
    init(_ scalar: UInt32, _ kind: Kind) { bits = UInt32(kind.rawValue) << 24 | scalar }
  }

  /// The entries for the scalars below U+3000, computed on first use.
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

  /// Returns the folded form and the kind of a scalar. O(1).
  @inline(__always)
  public static func fold(_ scalar: UInt32) -> (scalar: UInt32, kind: Kind) {
    // Most programs never need the table, which takes a millisecond to compute.
    if scalar < 0x80 { return ascii(scalar) }
    let entry = scalar < 0x3000 ? table[Int(scalar)] : beyondTable(scalar)
    return (entry.scalar, entry.kind)
  }

  /// Returns the letters that consist of this letter and diacritics, and its superscript and
  /// subscript forms, as single scalars.
  package static func variants(of scalar: UInt32) -> [UInt32] { variants[scalar] ?? [] }

  /// Returns the superscript and subscript forms of a letter or digit, such as ² and ₂ for 2.
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

  /// Returns the letter without its diacritics; the scalar itself if it has none.
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
    // U+0345 is the only mark with letter case. Case-insensitive searches treat it as an iota.
    if value == 0x345 { return Entry(0x3B9, .word) }
    if scalar.properties.generalCategory == .nonspacingMark { return Entry(value, .mark) }
    let base = Unicode.Scalar(base(of: value)) ?? scalar
    // Upper case is applied first, because it unifies forms such as ſ and ς with the usual
    // lower-case letter.
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
    // Thai, Lao, Tibetan, Myanmar and Khmer.
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
