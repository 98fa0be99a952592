import MarkdownParse
import Model

/// The differences between a quote and a passage with the same letters.
struct QuoteDifference: OptionSet, Hashable {
  let rawValue: Int

  /// Other forms of quotation marks, apostrophes, dashes and dots: “ for ".
  static let quotationForms = QuoteDifference(rawValue: 1 << 0)
  static let apostropheForms = QuoteDifference(rawValue: 1 << 1)
  static let dashForms = QuoteDifference(rawValue: 1 << 2)
  static let dotForms = QuoteDifference(rawValue: 1 << 3)
  /// Raised or lowered letters and digits: 10⁶ for 106.
  static let levels = QuoteDifference(rawValue: 1 << 4)
  /// Blanks between characters of a script without blanks.
  static let blanks = QuoteDifference(rawValue: 1 << 5)
  /// Marks of Markdown, or of Diple's pages, that only the quote has.
  static let markup = QuoteDifference(rawValue: 1 << 6)
  /// References to notes, such as `[1]`, that only the passage has.
  static let notes = QuoteDifference(rawValue: 1 << 7)
  static let letterCase = QuoteDifference(rawValue: 1 << 8)
  /// Apostrophes and quotation marks that only one of both has.
  static let apostrophes = QuoteDifference(rawValue: 1 << 9)
  static let quotationMarks = QuoteDifference(rawValue: 1 << 10)
  static let accents = QuoteDifference(rawValue: 1 << 11)
  /// Hyphens and dashes that only one of both has.
  static let dashes = QuoteDifference(rawValue: 1 << 12)
  /// Other punctuation.
  static let punctuation = QuoteDifference(rawValue: 1 << 13)
  /// Other symbols, such as emoji.
  static let symbols = QuoteDifference(rawValue: 1 << 14)
  /// Quotation marks that only the quote has. Beside ``quotationMarks``.
  static let lacksQuotationMarks = QuoteDifference(rawValue: 1 << 15)

  /// Other forms of the same characters.
  static let forms: QuoteDifference = [
    .quotationForms, .apostropheForms, .dashForms, .dotForms, .levels, .blanks,
  ]

  init(rawValue: Int) { self.rawValue = rawValue }

  /// How far the passage is from the quote. A passage without the quote's apostrophes is farther
  /// than any that differs only in case and marks. Beside accents, the case doesn't matter.
  var distance: Int {
    subtracting(contains(.accents) ? [Self.forms, .letterCase] : Self.forms).rawValue
  }

  /// Whether a part of a word may be found with these differences.
  var isSlight: Bool { isSubset(of: [Self.forms, .markup, .notes, .letterCase]) }

  /// Compares a quote with a passage. Nil if their letters differ. O(quote).
  init?(from quote: LetterText, to passage: LetterText) {
    guard quote.letters == passage.letters else { return nil }
    self = []
    guard !quote.letters.isEmpty else {
      compare(quote.units[...], passage.units[...], isInWord: false)
      return
    }
    compare(quote.margins.before, passage.margins.before, isInWord: false)
    compare(quote.margins.after, passage.margins.after, isInWord: false)
    for index in quote.letters.indices {
      let letter = LetterText.scalar(at: Int(quote.places[index]), in: quote.units).value
      let other = LetterText.scalar(at: Int(passage.places[index]), in: passage.units).value
      if letter != other { compare(letter, other) }
      guard index > 0 else { continue }
      let (gap, otherGap) = (quote.units(before: index), passage.units(before: index))
      if gap != otherGap { compare(gap, otherGap, isInWord: true) }
    }
  }

  private mutating func compare(_ letter: UInt32, _ other: UInt32) {
    guard let letter = Unicode.Scalar(letter), let other = Unicode.Scalar(other) else { return }
    if [letter, other].contains(where: { LetterText.ligatures[$0.value] != nil }) { return }
    let (plain, otherPlain) = (
      ScriptLetters.plain(of: letter) ?? letter, ScriptLetters.plain(of: other) ?? other
    )
    if plain != letter || otherPlain != other { insert(.levels) }
    if plain == otherPlain { return }
    let (lower, otherLower) = (
      plain.properties.lowercaseMapping, otherPlain.properties.lowercaseMapping
    )
    if lower != otherLower { insert(.accents) }
    if plain.properties.isUppercase != otherPlain.properties.isUppercase { insert(.letterCase) }
  }

  /// Compares what is between two letters of the quote with what is between them in the passage.
  private mutating func compare(
    _ gap: ArraySlice<UInt16>, _ other: ArraySlice<UInt16>, isInWord: Bool
  ) {
    let (signs, others) = (QuoteSigns(gap), QuoteSigns(other))
    var found: QuoteDifference = []
    let isJoined = isInWord && !signs.hasBlank && !others.hasBlank
    if isJoined, signs.markup == [0x60], signs.quotes.isEmpty, others.quotes.count == 1 {
      // The key beside the 1 typed for an apostrophe.
      return formUnion(.apostropheForms)
    }
    if signs.quotes != others.quotes {
      let isSame =
        signs.quotes.count == others.quotes.count
        && zip(signs.quotes, others.quotes).allSatisfy(QuoteSign.areSame)
      switch (isSame, isJoined) {
      case (true, true): found.insert(.apostropheForms)
      case (true, false): found.insert(.quotationForms)
      case (false, true): found.insert(.apostrophes)
      case (false, false):
        found.insert(.quotationMarks)
        if others.quotes.isEmpty { found.insert(.lacksQuotationMarks) }
      }
    }
    if signs.dashes != others.dashes {
      found.insert(signs.dashes.isEmpty == others.dashes.isEmpty ? .dashForms : .dashes)
    }
    if signs.dots != others.dots {
      found.insert(signs.plainDots == others.plainDots ? .dotForms : .punctuation)
    }
    if signs.markup != others.markup {
      let caret: Set<UInt16> = [0x5E]
      // As in `5 * 3` for `5 × 3`.
      let isReplaced = signs.rest.count < others.rest.count
      found.insert(
        Set(signs.markup + others.markup) == caret
          ? .levels : isReplaced || signs.markup.count < others.markup.count ? .symbols : .markup)
    }
    if signs.notes != others.notes {
      let isMarkup = signs.areSource || others.notes.isEmpty
      found.insert(signs.notes.isEmpty ? .notes : isMarkup ? .markup : .punctuation)
    }
    if signs.accents != others.accents { found.insert(.accents) }
    if signs.rest != others.rest {
      let isPunctuation = (signs.rest + others.rest).contains(where: QuoteSign.isPunctuation)
      found.insert(isPunctuation ? .punctuation : .symbols)
    }
    if found.isEmpty, isInWord, signs.hasBlank != others.hasBlank { found.insert(.blanks) }
    formUnion(found)
  }

  /// A phrase such as `in another case and with other apostrophes`; nil if there is no difference
  /// to report.
  ///
  /// - Parameter markup: the phrase for the marks that only the quote has.
  func phrase(markup: () -> String) -> String? {
    let names: [(QuoteDifference, String)] = [
      (
        contains(.lacksQuotationMarks) ? .quotationForms : [.quotationForms, .quotationMarks],
        "quotation marks"
      ),
      ([.apostropheForms, .apostrophes], "apostrophes"), ([.dashForms, .dashes], "dashes"),
      (.dotForms, "dots"), (.accents, "accents"),
      (.blanks, "blanks"), (.punctuation, "punctuation"), (.symbols, "symbols"),
    ]
    let others = names.filter { !isDisjoint(with: $0.0) }.map(\.1)
    var parts: [String] = []
    if contains(.letterCase) { parts.append("in another case") }
    if !others.isEmpty { parts.append("with other \(others.listed)") }
    if contains(.levels) { parts.append("with raised or lowered letters") }
    if contains(.lacksQuotationMarks) { parts.append("without quotation marks") }
    if contains(.notes) { parts.append("with the numbers of notes") }
    if contains(.markup) { parts.append(markup()) }
    return parts.isEmpty ? nil : parts.listed
  }
}

/// The kind of a character that is neither a letter nor a digit.
enum QuoteSign {
  case blank, quote, dash, dot, markup, accent, ignored, other

  init(_ unit: UInt16) {
    switch unit {
    case 0...32, 0xA0, 0x2000...0x200A, 0x2028, 0x2029, 0x202F, 0x3000: self = .blank
    case 0x22, 0x27, 0xAB, 0xB4, 0xBB, 0x2018...0x201F, 0x2032, 0x2033, 0x2039, 0x203A:
      self = .quote
    case 0x2D, 0x2010...0x2015, 0x2212: self = .dash
    case 0x2E, 0x2026: self = .dot
    case 0x23, 0x2A, 0x3D, 0x3E, 0x5B...0x60, 0x7C, 0x7E, 0x2022, 0x2502: self = .markup
    case 0xAD, 0x200B...0x200D, 0x2060, 0xFEFF: self = .ignored
    case 0x80...0xD7FF, 0xE000...0xFFFF:
      self = TextFolding.fold(UInt32(unit)).kind == .mark ? .accent : .other
    default: self = .other
    }
  }

  /// Returns whether a mark may be in the place of another one: a form of it, another quotation
  /// mark, or other punctuation of a sentence.
  static func areAlike(_ mark: UInt16, _ other: UInt16) -> Bool {
    func endsClause(_ unit: UInt16) -> Bool {
      [0x21, 0x2C, 0x2E, 0x3A, 0x3B, 0x3F, 0x2026, 0x3001, 0x3002].contains(unit)
    }
    return areSame(mark, other) || QuoteSign(mark) == .quote && QuoteSign(other) == .quote
      || endsClause(mark) && endsClause(other)
  }

  /// Returns whether two marks are forms of the same one, such as " and “.
  static func areSame(_ mark: UInt16, _ other: UInt16) -> Bool {
    if mark == other { return true }
    switch (QuoteSign(mark), QuoteSign(other)) {
    case (.quote, .quote): return isSingle(mark) == isSingle(other)
    case (.dash, .dash), (.dot, .dot): return true
    default: return false
    }
  }

  /// Whether a mark divides or ends sentences, or is another mark of writing, not a symbol.
  static func isPunctuation(_ mark: UInt16) -> Bool {
    switch mark {
    case 0x21, 0x26, 0x28...0x2C, 0x2F, 0x3A, 0x3B, 0x3F, 0xA1, 0xA7, 0xB7, 0xBF, 0x2000...0x206F,
      0x3000...0x303F, 0xFF00...0xFF65:
      true
    default: false
    }
  }

  private static func isSingle(_ mark: UInt16) -> Bool {
    switch mark {
    case 0x27, 0xB4, 0x2018...0x201B, 0x2032, 0x2039, 0x203A: true
    default: false
    }
  }

  private static let closings: [UInt16: UInt16] = [
    0x201C: 0x201D, 0x2018: 0x2019, 0xAB: 0xBB, 0x300A: 0x300B, 0x300C: 0x300D, 0x300E: 0x300F,
  ]

  /// Returns whether a mark before a passage opens a quotation that ends in the passage.
  static func opens(_ mark: UInt16, _ passage: ArraySlice<UInt16>) -> Bool {
    guard let closing = closings[mark] else { return false }
    let first = passage.indices.first { index in
      let unit = passage[index]
      // An apostrophe within a word is the same character as a closing mark.
      let isInWord =
        index > passage.startIndex && index + 1 < passage.endIndex
        && QuoteSign(passage[index - 1]) == .other && QuoteSign(passage[index + 1]) == .other
      return unit == mark || unit == closing && !isInWord
    }
    return first.map { passage[$0] == closing } ?? false
  }

  /// Returns whether a mark after a passage closes a quotation that begins in the passage.
  static func closes(_ mark: UInt16, _ passage: ArraySlice<UInt16>) -> Bool {
    guard let opening = closings.first(where: { $0.value == mark })?.key else { return false }
    return passage.last { $0 == opening || $0 == mark } == opening
  }
}

/// The characters between two letters, by their kind.
struct QuoteSigns {
  var quotes: [UInt16] = []
  var dashes: [UInt16] = []
  var dots: [UInt16] = []
  var markup: [UInt16] = []
  var accents: [UInt16] = []
  var rest: [UInt16] = []
  /// The references to notes, such as `[1]`.
  var notes: [[UInt16]] = []
  var hasBlank = false

  init(_ units: ArraySlice<UInt16>) {
    let units = Array(units)
    var index = 0
    while index < units.count {
      let length = LetterText.noteReference(at: index, in: units)
      if length > 0 {
        notes.append(Array(units[index..<index + length]))
        index += length
        continue
      }
      let unit = units[index]
      index += 1
      switch QuoteSign(unit) {
      case .blank: hasBlank = true
      case .quote: quotes.append(unit)
      // Several hyphens are a dash.
      case .dash: if unit != 0x2D || dashes.last != unit { dashes.append(unit) }
      case .dot: dots.append(unit)
      case .markup: markup.append(unit)
      case .accent: accents.append(unit)
      case .ignored: break
      case .other: rest.append(unit)
      }
    }
  }

  /// The dots with an ellipsis as three of them.
  var plainDots: Int { dots.reduce(0) { $0 + ($1 == 0x2026 ? 3 : 1) } }

  /// Whether the notes are written as in the source.
  var areSource: Bool { notes.contains { $0.dropFirst().first == 0x5E } }
}
