/// The letters that stand higher or lower than others: `10<sup>6</sup>` is 10⁶.
package enum ScriptLetters: UInt8, Hashable, Sendable {
  case raised, lowered

  /// The raised or lowered form of a character, also of one that is it already; nil where Unicode has
  /// none. O(1).
  package func form(of scalar: Unicode.Scalar) -> Unicode.Scalar? {
    self == .raised ? Self.raisedForms[scalar] : Self.loweredForms[scalar]
  }

  /// The character that another one is the raised or lowered form of; nil for all others. O(1).
  package static func plain(of scalar: Unicode.Scalar) -> Unicode.Scalar? {
    switch scalar.value {
    case 0xB2, 0xB3, 0xB9, 0x2B0...0x2E3, 0x1D2C...0x1DBF, 0x2070...0x209C, 0x2C7C, 0x2C7D:
      plainForms[scalar]
    default: nil
    }
  }

  private static let plainForms: [Unicode.Scalar: Unicode.Scalar] = {
    var table: [Unicode.Scalar: Unicode.Scalar] = [:]
    for (plain, form) in [raisedForms, loweredForms].joined()
    where plain != form && plain != "−" { table[form] = plain }
    return table
  }()

  /// The sign before what has no such form, as in TeX.
  package var sign: UInt8 { self == .raised ? UInt8(ascii: "^") : UInt8(ascii: "_") }

  private static let raisedForms = forms(
    of: "0123456789+-−=()abcdefghijklmnoprstuvwxyzABDEGHIJKLMNOPRTUVWβγδθφχ",
    are: "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻᴬᴮᴰᴱᴳᴴᴵᴶᴷᴸᴹᴺᴼᴾᴿᵀᵁⱽᵂᵝᵞᵟᶿᵠᵡ")
  private static let loweredForms = forms(
    of: "0123456789+-−=()aehijklmnoprstuvxβγρφχ", are: "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓᵦᵧᵨᵩᵪ")

  private static func forms(of plain: String, are shifted: String) -> [Unicode.Scalar:
    Unicode.Scalar]
  {
    var table: [Unicode.Scalar: Unicode.Scalar] = [:]
    for (from, to) in zip(plain.unicodeScalars, shifted.unicodeScalars) {
      table[from] = to
      table[to] = to
    }
    return table
  }
}

/// How what stands between `<sup>` and `</sup>` is shown.
enum ScriptForm {
  /// As raised or lowered letters.
  case shifted
  /// Behind a sign, and in brackets where there is more than one character: `x^(q)`.
  case signed(inBrackets: Bool)
  /// As it is: small print that belongs to nothing.
  case plain
  /// As it is, but behind a blank: words that explain the one before, such as a gloss.
  case apart

  /// The most bytes between two tags that are looked at.
  static let longest = 64
  /// The most characters that are shown behind a sign.
  private static let longestSigned = 24

  /// - Parameters:
  ///   - text: what is shown between.
  ///   - isAttached: whether a character stands right before.
  ///   - isAtWord: whether that is one that words do not belong behind without a blank.
  ///   - isSimple: whether it is nothing but text with styles, and all of it.
  init(
    _ text: [Unicode.Scalar], _ script: ScriptLetters, isAttached: Bool, isAtWord: Bool,
    isSimple: Bool
  ) {
    self = .plain
    if Self.hasWords(text) {
      if isAtWord, text.first?.properties.isWhitespace == false { self = .apart }
      return
    }
    guard isSimple, let first = text.first, text.contains(where: { !$0.properties.isWhitespace })
    else { return }
    if text.allSatisfy({ script.form(of: $0) != nil }) {
      let isShort = text.count == 1 || !text.contains { $0.properties.isAlphabetic }
      if isAttached || isShort { self = .shifted }
    } else if isAttached, text.count <= Self.longestSigned, first != "[", first != "(" {
      self = .signed(inBrackets: text.count > 1)
    }
  }

  /// Whether a text has a word of three letters, or words of two without the signs of a formula.
  private static func hasWords(_ text: [Unicode.Scalar]) -> Bool {
    var (run, longest, letters) = (0, 0, 0)
    var isFormula = false
    for scalar in text {
      if scalar.properties.isAlphabetic {
        run += 1
        longest = max(longest, run)
        // The first letter of a word counts with its second.
        if run > 1 { letters += run == 2 ? 2 : 1 }
      } else if scalar.properties.generalCategory != .nonspacingMark {
        run = 0
        isFormula =
          isFormula || scalar.properties.generalCategory == .mathSymbol
          || "0"..."9" ~= scalar || "-*/^()".unicodeScalars.contains(scalar)
      }
    }
    return longest >= 3 || letters >= 3 && !isFormula
  }

  /// Whether no blank is to stand behind a character: it is one, or begins a bracket or a quotation.
  static func opens(_ scalar: UInt32) -> Bool {
    switch Unicode.Scalar(scalar)?.properties.generalCategory {
    case .openPunctuation, .initialPunctuation, .spaceSeparator: true
    default: false
    }
  }

  /// Whether a character and a word before it would be read as one: it is a letter or a digit of a script
  /// whose words stand apart. Hangul, kana and Han begin behind U+1100.
  static func continuesWord(_ scalar: UInt32) -> Bool {
    guard scalar < 0x1100, let scalar = Unicode.Scalar(scalar) else { return false }
    return scalar.properties.isAlphabetic || scalar.properties.generalCategory == .decimalNumber
  }
}
