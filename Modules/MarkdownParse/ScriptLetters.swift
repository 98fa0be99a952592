/// The position of letters relative to the baseline: `10<sup>6</sup>` is 10⁶.
package enum ScriptLetters: UInt8, Hashable, Sendable {
  case raised, lowered

  /// Returns the superscript or subscript form of a character; a character that is already in that
  /// form is returned unchanged. Nil if Unicode has no such form. O(1).
  package func form(of scalar: Unicode.Scalar) -> Unicode.Scalar? {
    self == .raised ? Self.raisedForms[scalar] : Self.loweredForms[scalar]
  }

  /// Returns the plain form of a superscript or subscript character; nil for all other characters.
  /// O(1).
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

  /// The sign that replaces a missing form, as in TeX: `^` or `_`.
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

/// The way in which text between `<sup>` and `</sup>`, or `<sub>` and `</sub>`, is rendered.
enum ScriptForm {
  /// As superscript or subscript characters.
  case shifted
  /// After `^` or `_`, with parentheses around more than one character: `x^(q)`.
  case signed(inBrackets: Bool)
  /// Unchanged, as text that is only printed small.
  case plain
  /// Unchanged, but after a space, as words that explain the preceding one, such as a gloss.
  case apart

  /// The maximum distance between the two tags, in bytes.
  static let longest = 64
  /// The maximum number of characters that are rendered after `^` or `_`.
  private static let longestSigned = 24

  /// Chooses the form for a text.
  ///
  /// - Parameters:
  ///   - text: the rendered text between the tags.
  ///   - isAttached: whether a character directly precedes the text.
  ///   - isAtWord: whether a word that follows that character directly must be separated by a
  ///     space.
  ///   - isSimple: whether `text` is complete and contains nothing but characters and styles.
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

  /// Whether a text contains a word of at least three letters, or several shorter words without the
  /// operators of a formula.
  private static func hasWords(_ text: [Unicode.Scalar]) -> Bool {
    var (run, longest, letters) = (0, 0, 0)
    var isFormula = false
    for scalar in text {
      if scalar.properties.isAlphabetic {
        run += 1
        longest = max(longest, run)
        // The first letter of a word counts only if there is a second.
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

  /// Whether no space may follow a character, because it is a space or begins a bracket or
  /// quotation.
  static func opens(_ scalar: UInt32) -> Bool {
    switch Unicode.Scalar(scalar)?.properties.generalCategory {
    case .openPunctuation, .initialPunctuation, .spaceSeparator: true
    default: false
    }
  }

  /// Whether a character directly after a word would be read as part of the word. It is a letter or
  /// digit of a script that separates words. Hangul, kana and Han, which don't, begin at or after
  /// U+1100.
  static func continuesWord(_ scalar: UInt32) -> Bool {
    guard scalar < 0x1100, let scalar = Unicode.Scalar(scalar) else { return false }
    return scalar.properties.isAlphabetic || scalar.properties.generalCategory == .decimalNumber
  }
}
