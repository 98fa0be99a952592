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
  /// Beside ``dashes``: they are hyphens within words.
  private static let hyphens = QuoteDifference(rawValue: 1 << 15)

  /// The differences themselves, without the details that only ``phrase(markup:)`` reads.
  private static let kinds = (1 << 15) - 1

  /// Beside a kind of mark: the quote has such marks where the passage has none.
  private static func lacking(_ marks: QuoteDifference) -> QuoteDifference {
    QuoteDifference(rawValue: marks.rawValue << 16)
  }

  /// Beside a kind of mark: the passage has such marks where the quote has none.
  private static func adding(_ marks: QuoteDifference) -> QuoteDifference {
    QuoteDifference(rawValue: marks.rawValue << 32)
  }

  /// Whether the quote has symbols that the passage lacks.
  var lacksSymbols: Bool { contains(Self.lacking(.symbols)) }

  /// Other forms of the same characters.
  static let forms: QuoteDifference = [
    .quotationForms, .apostropheForms, .dashForms, .dotForms, .levels, .blanks,
  ]

  init(rawValue: Int) { self.rawValue = rawValue }

  /// How far the passage is from the quote. A passage without the quote's apostrophes is farther
  /// than any that differs only in case and marks. Beside accents, the case doesn't matter.
  var distance: Int {
    subtracting(contains(.accents) ? [Self.forms, .letterCase] : Self.forms).rawValue & Self.kinds
  }

  /// Whether a part of a word may be found with these differences.
  var isSlight: Bool { isWithin([Self.forms, .markup, .notes, .letterCase]) }

  /// Whether all differences are among the given ones.
  func isWithin(_ allowed: QuoteDifference) -> Bool {
    rawValue & Self.kinds & ~allowed.rawValue == 0
  }

  /// Compares a quote with a passage. Nil if their letters differ. O(quote).
  init?(from quote: LetterText, to passage: LetterText) {
    guard quote.letters == passage.letters else { return nil }
    self = []
    guard !quote.letters.isEmpty else {
      compare(quote.units[...], passage.units[...], isInWord: false)
      return
    }
    var pairs = SinglePairs()
    let (before, otherBefore) = (quote.margins.before, passage.margins.before)
    // As in ’tis.
    let isElision = before.isEmpty && otherBefore.elementsEqual([0x2019])
    if !isElision { pairs.add(before, or: otherBefore, isFirst: true) }
    compare(before, otherBefore, isInWord: false, hasApostrophe: isElision)
    for index in quote.letters.indices {
      let letter = LetterText.scalar(at: Int(quote.places[index]), in: quote.units).value
      let other = LetterText.scalar(at: Int(passage.places[index]), in: passage.units).value
      if letter != other { compare(letter, other) }
      guard index > 0 else { continue }
      let (gap, otherGap) = (quote.units(before: index), passage.units(before: index))
      let isApostrophe = pairs.add(gap, or: otherGap)
      if gap != otherGap {
        compare(gap, otherGap, isInWord: true, hasApostrophe: isApostrophe)
      }
    }
    let (after, otherAfter) = (quote.margins.after, passage.margins.after)
    let isApostrophe = pairs.add(after, or: otherAfter)
    compare(after, otherAfter, isInWord: false, hasApostrophe: isApostrophe)
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
  ///
  /// - Parameter hasApostrophe: whether the first mark is an apostrophe at the end of a word.
  private mutating func compare(
    _ gap: ArraySlice<UInt16>, _ other: ArraySlice<UInt16>, isInWord: Bool,
    hasApostrophe: Bool = false
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
      switch (isSame, isJoined || hasApostrophe) {
      case (true, true): found.insert(.apostropheForms)
      case (true, false): found.insert(.quotationForms)
      case (false, true): found.insert(.apostrophes, signs.quotes, others.quotes)
      case (false, false): found.insert(.quotationMarks, signs.quotes, others.quotes)
      }
    }
    if signs.quotes.count == others.quotes.count, signs.order != others.order {
      // As in “Yes”. for “Yes.”
      found.insert(.punctuation)
    }
    if signs.dashes != others.dashes {
      if signs.dashes.isEmpty == others.dashes.isEmpty {
        found.insert(.dashForms)
      } else {
        found.insert(.dashes, signs.dashes, others.dashes)
        // A hyphen directly follows a letter.
        let first = (signs.dashes.isEmpty ? other : gap).first
        if isInWord, first == 0x2D || first == 0x2010 || first == 0x2011 {
          found.insert(Self.hyphens)
        }
      }
    }
    if signs.dots != others.dots {
      if signs.plainDots == others.plainDots {
        found.insert(.dotForms)
      } else {
        found.insert(.punctuation, signs.dots, others.dots)
      }
    }
    if signs.markup != others.markup {
      let caret: Set<UInt16> = [0x5E]
      // As in `5 * 3` for `5 × 3`.
      let isReplaced = signs.rest.count < others.rest.count
      if Set(signs.markup + others.markup) == caret {
        found.insert(.levels)
      } else if isReplaced || signs.markup.count < others.markup.count {
        found.insert(.symbols, signs.markup + signs.rest, others.markup + others.rest)
      } else {
        found.insert(.markup)
      }
    }
    if signs.notes != others.notes {
      let isMarkup = signs.areSource || others.notes.isEmpty
      found.insert(signs.notes.isEmpty ? .notes : isMarkup ? .markup : .punctuation)
    }
    if signs.accents != others.accents { found.insert(.accents) }
    if signs.rest != others.rest {
      let isPunctuation = (signs.rest + others.rest).contains(where: QuoteSign.isPunctuation)
      found.insert(isPunctuation ? .punctuation : .symbols, signs.rest, others.rest)
    }
    if found.isEmpty, isInWord, signs.hasBlank != others.hasBlank { found.insert(.blanks) }
    formUnion(found)
  }

  /// A phrase such as `in another case and with other apostrophes`; nil if there is no difference
  /// to report.
  ///
  /// - Parameter markup: the phrase for the marks that only the quote has.
  func phrase(markup: () -> String) -> String? {
    // Other forms of a mark, and the marks that only one of both has.
    let names: [(forms: QuoteDifference, marks: QuoteDifference, name: String)] = [
      (.quotationForms, .quotationMarks, "quotation marks"),
      (.apostropheForms, .apostrophes, "apostrophes"),
      (.dashForms, .dashes, contains(Self.hyphens) ? "hyphens" : "dashes"),
      (.dotForms, [], "dots"), (.accents, [], "accents"), (.blanks, [], "blanks"),
      ([], .punctuation, "punctuation"), ([], .symbols, "symbols"),
    ]
    var (others, added, lacked): ([String], [String], [String]) = ([], [], [])
    for (forms, marks, name) in names where !isDisjoint(with: forms.union(marks)) {
      let details = intersection(Self.lacking(marks).union(Self.adding(marks)))
      if !isDisjoint(with: forms) {
        others.append(name)
      } else if details == Self.lacking(marks) {
        lacked.append(name)
      } else if details == Self.adding(marks) {
        added.append(name)
      } else {
        others.append(name)
      }
    }
    var parts: [String] = []
    if contains(.letterCase) { parts.append("in another case") }
    if !others.isEmpty { parts.append("with other \(others.listed)") }
    if !added.isEmpty { parts.append("with \(added.listed)") }
    if contains(.levels) { parts.append("with raised or lowered letters") }
    if !lacked.isEmpty { parts.append("without \(lacked.listed)") }
    if contains(.notes) { parts.append("with the numbers of notes") }
    if contains(.markup) { parts.append(markup()) }
    return parts.isEmpty ? nil : parts.listed
  }
}

extension QuoteDifference {
  /// Inserts a kind of mark, with which of both has such marks between two letters.
  private mutating func insert(_ kind: QuoteDifference, _ marks: [UInt16], _ others: [UInt16]) {
    formUnion(kind)
    if others.count < marks.count {
      formUnion(others.isEmpty ? Self.lacking(kind) : [Self.lacking(kind), Self.adding(kind)])
    } else {
      formUnion(marks.isEmpty ? Self.adding(kind) : [Self.lacking(kind), Self.adding(kind)])
    }
  }
}

/// Distinguishes the closing mark of a quotation in single marks from an apostrophe at the end of a
/// word.
private struct SinglePairs {
  private var isOpen = false

  /// Continues with the characters between two letters, or before the first or after the last.
  ///
  /// - Parameter other: what the other text has there, for a quotation mark that the first lacks.
  /// - Returns: whether the first mark is an apostrophe.
  @discardableResult
  mutating func add(
    _ gap: ArraySlice<UInt16>, or other: ArraySlice<UInt16>, isFirst: Bool = false
  ) -> Bool {
    let gap = gap.contains(where: QuoteSign.isSingle) ? gap : other
    guard let first = gap.first, let last = gap.last else { return false }
    if isFirst || gap.count > 1, QuoteSign.isSingle(last) {
      isOpen = true
      return false
    }
    guard QuoteSign.isSingle(first) else {
      if gap.contains(where: QuoteSign.isSingle) { isOpen = false }
      return false
    }
    if gap.count == 1 { return !isOpen }
    defer { isOpen = false }
    return !isOpen
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
    areSame(mark, other) || QuoteSign(mark) == .quote && QuoteSign(other) == .quote
      || endsClause(mark) && endsClause(other)
  }

  /// Returns whether a mark ends a sentence or a part of it.
  static func endsClause(_ mark: UInt16) -> Bool {
    switch mark {
    case 0x21, 0x2C, 0x2E, 0x3A, 0x3B, 0x3F, 0x2026, 0x3001, 0x3002: true
    default: false
    }
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

  /// Whether a mark is an apostrophe or a single quotation mark.
  static func isSingle(_ mark: UInt16) -> Bool {
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
  /// Whether each mark is a quotation mark or ends a clause, in order.
  var order: [Bool] = []

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
      if QuoteSign.endsClause(unit), order.last != false { order.append(false) }
      switch QuoteSign(unit) {
      case .blank: hasBlank = true
      case .quote:
        quotes.append(unit)
        order.append(true)
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
