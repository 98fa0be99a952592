import MarkdownParse
import Model

/// The letters and digits of a text without case, accents and all other characters, with their
/// places in the text.
///
/// Two texts with equal letters are similar: they differ only in what a copied or typed quote often
/// lacks, such as typographic marks, apostrophes, line breaks and Markdown's marks.
/// ``QuoteDifference`` names these differences.
struct LetterText {
  /// What is between two letters.
  enum Gap: UInt8 {
    /// Nothing, or marks that divide no word, such as an apostrophe.
    case joined
    /// A hyphen, which may divide a word.
    case hyphen
    /// Blanks or punctuation.
    case separated
  }

  /// The text in Unicode's normal form C.
  let units: [UInt16]
  private let canonical: CanonicalText<UInt16>?
  /// The folded letters and digits.
  private(set) var letters: [UInt32] = []
  /// The index in `units` of each letter.
  private(set) var places: [Int32] = []
  /// What precedes each letter.
  private var gaps: [Gap] = []
  /// Whether each letter is of a script without blanks between words, such as Chinese.
  private var isUnspaced: [Bool] = []

  /// O(text).
  init(_ text: [UInt16]) {
    canonical = CanonicalText(text)
    units = canonical?.units ?? text
    letters.reserveCapacity(units.count)
    places.reserveCapacity(units.count)
    var index = 0
    var end = 0
    while index < units.count {
      let note = Self.noteReference(at: index, in: units)
      if note > 0 {
        index += note
        continue
      }
      let (scalar, length) = Self.scalar(at: index, in: units)
      defer { index += length }
      if let letters = Self.ligatures[scalar] {
        for letter in letters.utf8 {
          append(UInt32(letter), at: index, after: end, isUnspaced: false)
          end = index
        }
        end = index + length
        continue
      }
      let folded = TextFolding.fold(TextFolding.base(of: scalar))
      guard folded.kind == .word || folded.kind == .single, scalar != 0x5F else { continue }
      append(folded.scalar, at: index, after: end, isUnspaced: folded.kind == .single)
      end = index + length
    }
  }

  /// The letters that are drawn as one, as in texts copied from PDF files.
  static let ligatures: [UInt32: String] = [
    0xFB00: "ff", 0xFB01: "fi", 0xFB02: "fl", 0xFB03: "ffi", 0xFB04: "ffl", 0xFB05: "st",
    0xFB06: "st",
  ]

  /// Appends a folded letter.
  ///
  /// - Parameter end: the end of the letter before it.
  private mutating func append(_ letter: UInt32, at index: Int, after end: Int, isUnspaced: Bool) {
    gaps.append(
      end == index && !letters.isEmpty
        ? .joined : Self.gap(units[end..<index], between: letters.last, letter))
    letters.append(letter)
    places.append(Int32(truncatingIfNeeded: index))
    self.isUnspaced.append(isUnspaced)
  }

  /// Returns the scalar at an index, and its number of units. A lone surrogate is returned as it is.
  static func scalar(at index: Int, in units: [UInt16]) -> (value: UInt32, length: Int) {
    let unit = units[index]
    guard UTF16.isLeadSurrogate(unit), index + 1 < units.count,
      UTF16.isTrailSurrogate(units[index + 1])
    else { return (UInt32(unit), 1) }
    return (0x10000 + (UInt32(unit & 0x3FF) << 10 | UInt32(units[index + 1] & 0x3FF)), 2)
  }

  /// Returns the length of a reference to a note or link, such as `[12]` or `[^a]`; 0 if there is
  /// none at the index.
  static func noteReference(at index: Int, in units: [UInt16]) -> Int {
    guard units[index] == 0x5B else { return 0 }
    let label = units[(index + 1)...].prefix(24)
    guard let close = label.firstIndex(of: 0x5D), close > index + 1 else { return 0 }
    let isNote = label.first == 0x5E && close > index + 2
    let isNumber = units[index + 1..<close].allSatisfy { (0x30...0x39).contains($0) }
    return isNote || isNumber ? close + 1 - index : 0
  }

  private static func isDigit(_ letter: UInt32?) -> Bool {
    letter.map { (0x30...0x39).contains($0) } ?? false
  }

  private static func gap(_ units: ArraySlice<UInt16>, between before: UInt32?, _ after: UInt32)
    -> Gap
  {
    let areDigits = isDigit(before) && isDigit(after)
    var gap = Gap.joined
    for index in units.indices {
      switch units[index] {
      case 0x2D, 0x2010, 0x2011, 0x5F:
        // A word that is divided at the end of a line, which may be a blank in rendered text.
        let rest = units[(index + 1)...]
        if rest.count == 1, rest.first == 0x0A || rest.first == 32, !areDigits { return .hyphen }
        if areDigits || gap == .hyphen { return .separated }
        gap = .hyphen
      case 0x2E where !areDigits && !isDigit(after): gap = .hyphen
      case 0x21...0x2F where units[index] != 0x22 && units[index] != 0x27 && units[index] != 0x2A:
        return .separated
      case 0...32, 0x3A...0x40, 0x7B...0x7D, 0xA0, 0x2012...0x2015, 0x2026, 0x2000...0x200A,
        0x2028...0x202F, 0x2212, 0x3000...0x303F, 0xFF00...0xFF65:
        return .separated
      default: continue
      }
    }
    return gap
  }

  /// Returns whether the gaps before two letters may be the same one, written differently.
  private func fits(_ index: Int, _ other: LetterText, _ place: Int) -> Bool {
    let (gap, otherGap) = (gaps[index], other.gaps[place])
    if gap == otherGap || isUnspaced[index] || isUnspaced[index - 1] { return true }
    if Self.isDigit(letters[index]), Self.isDigit(letters[index - 1]) { return false }
    return gap == .hyphen || otherGap == .hyphen
  }

  /// Returns whether a word begins at a letter; true also for the index after the last letter.
  private func isBorder(_ index: Int) -> Bool {
    index == 0 || index == letters.count || gaps[index] != .joined || isUnspaced[index]
      || isUnspaced[index - 1]
  }

  /// A passage with the letters of a quote.
  struct Match {
    /// Its range in the original text.
    var range: Range<Int>
    var difference: QuoteDifference
  }

  /// Returns the passages with the letters of a quote that do not overlap, in order. A passage with
  /// more than slight differences consists of whole words. O(text + quote).
  func matches(of quote: LetterText) -> [Match] {
    let wanted = quote.letters
    var matches: [Match] = []
    var next = 0
    // Texts that repeat a letter could be compared again at each place.
    var budget = 16 * (letters.count + wanted.count)
    for start in Self.occurrences(of: wanted, in: letters) where start >= next && budget > 0 {
      let misfit = (1..<max(1, wanted.count)).first { !fits(start + $0, quote, $0) }
      budget -= misfit ?? 2 * wanted.count
      guard misfit == nil else { continue }
      let range = widened(start..<start + wanted.count, toMarksOf: quote)
      guard let difference = QuoteDifference(from: quote, to: LetterText(Array(units[range]))),
        difference.isSlight || isBorder(start) && isBorder(start + wanted.count)
      else { continue }
      matches.append(Match(range: canonical?.original(range) ?? range, difference: difference))
      next = start + wanted.count
    }
    return matches
  }

  /// The range of units of some letters.
  private func range(_ letters: Range<Int>) -> Range<Int> {
    let last = Int(places[letters.upperBound - 1])
    return Int(places[letters.lowerBound])..<last + Self.scalar(at: last, in: units).length
  }

  /// The units before the first letter and after the last.
  var margins: (before: ArraySlice<UInt16>, after: ArraySlice<UInt16>) {
    guard !letters.isEmpty else { return (units[...], []) }
    let inner = range(0..<letters.count)
    return (units[..<inner.lowerBound], units[inner.upperBound...])
  }

  /// The units between a letter and the one before it.
  func units(before letter: Int) -> ArraySlice<UInt16> {
    // The letters of a ligature are at the same place.
    let end = Int(places[letter])
    return units[min(range(letter - 1..<letter).upperBound, end)..<end]
  }

  /// Returns the units of some letters with the marks before and after them that the quote has
  /// there, too, and with a quotation mark whose counterpart is among them.
  private func widened(_ letters: Range<Int>, toMarksOf quote: LetterText) -> Range<Int> {
    var range = range(letters)
    let margins = quote.margins
    let before = Array(margins.before.reversed()).filter { QuoteSign($0) != .markup }
    let after = margins.after.filter { QuoteSign($0) != .markup }
    let start = walk(before, from: range.lowerBound - 1, step: -1) + 1
    let end = walk(Array(after), from: range.upperBound, step: 1)
    range = start..<end
    // The opening or closing mark of a pair that is partly in the passage. A quote with only one
    // mark of the pair gets no other.
    if range.lowerBound > 0 {
      let mark = units[range.lowerBound - 1]
      let isElision =
        mark == 0x2019 && !before.contains { QuoteSign($0) == .quote }
        && (range.lowerBound == 1 || units[range.lowerBound - 2] <= 32)
      if isElision || QuoteSign.opens(mark, units[range]) && quote.hasPairs(like: mark) {
        range = range.lowerBound - 1..<range.upperBound
      }
    }
    // A full stop may precede the closing mark.
    for end in [range.upperBound, range.upperBound + 1] where end < units.count {
      let isNext = end == range.upperBound || QuoteSign.endsClause(units[range.upperBound])
      if isNext, QuoteSign.closes(units[end], units[range]), quote.hasPairs(like: units[end]) {
        return range.lowerBound..<end + 1
      }
    }
    return range
  }

  /// Returns whether all quotation marks are in pairs. Only single marks are counted if `mark` is
  /// single, or only double marks otherwise. An apostrophe within a word is not a quotation mark.
  private func hasPairs(like mark: UInt16) -> Bool {
    let marks = units.indices.count { index in
      let unit = units[index]
      guard QuoteSign(unit) == .quote, QuoteSign.areSame(unit, mark) else { return false }
      return index == 0 || index == units.count - 1 || QuoteSign(units[index - 1]) != .other
        || QuoteSign(units[index + 1]) != .other
    }
    return marks.isMultiple(of: 2)
  }

  /// Returns the index after the last of some marks that the text has, too, from an index in a
  /// direction. Blanks may be of another kind, and a narrow one may be missing, as in « a ».
  private func walk(_ marks: [UInt16], from start: Int, step: Int) -> Int {
    var (end, index) = (start, start)
    var marks = marks[...]
    func skipBlanks(_ isSkipped: (UInt16) -> Bool) {
      while units.indices.contains(index), isSkipped(units[index]) { index += step }
    }
    // A blank before a symbol, as in `100 %`.
    func skipSpacedSymbol(_ mark: UInt16) {
      guard QuoteSign(mark) == .other, units.indices.contains(index),
        QuoteSign(units[index]) == .blank, units.indices.contains(index + step),
        units[index + step] == mark
      else { return }
      index += step
    }
    while let mark = marks.first {
      if QuoteSign(mark) == .blank {
        marks = marks.drop { QuoteSign($0) == .blank }
        skipBlanks { QuoteSign($0) == .blank }
        continue
      }
      skipBlanks { $0 == 0xA0 || $0 == 0x202F }
      skipSpacedSymbol(mark)
      guard units.indices.contains(index) else { return end }
      guard QuoteSign.areAlike(mark, units[index]) else {
        // A quotation mark that only one of both has.
        if QuoteSign(mark) == .quote {
          // A full stop may be on the other side of the closing mark.
          let isInside =
            step > 0 && index + 1 < units.count && QuoteSign.endsClause(units[index])
            && QuoteSign(units[index + 1]) == .quote
          if isInside { index += 1 } else { marks = marks.dropFirst() }
        } else if QuoteSign(units[index]) == .quote {
          index += step
        } else {
          return end
        }
        continue
      }
      // Three dots equal an ellipsis, and several hyphens a dash.
      let (quoted, found) = (marks.prefix { $0 == mark }.count, run(from: index, step))
      let isRun = mark == 0x2E || mark == 0x2D || units[index] == 0x2E || units[index] == 0x2D
      marks = marks.dropFirst(isRun ? quoted : 1)
      index += step * (isRun ? found : 1)
      end = index
    }
    return end
  }

  /// Returns the number of equal units from an index in a direction.
  private func run(from index: Int, _ step: Int) -> Int {
    var end = index
    while units.indices.contains(end), units[end] == units[index] { end += step }
    return abs(end - index)
  }

  /// Returns all indices at which a sequence of letters occurs. O(text + quote) (Knuth, Morris and
  /// Pratt 1977).
  private static func occurrences(of wanted: [UInt32], in text: [UInt32]) -> [Int] {
    guard !wanted.isEmpty, wanted.count <= text.count else { return [] }
    // For each number of letters from the start of `wanted`, the length of the longest proper
    // prefix of these that is also their suffix.
    var borders = [0]
    var length = 0
    for letter in wanted.dropFirst() {
      while length > 0, wanted[length] != letter { length = borders[length - 1] }
      if wanted[length] == letter { length += 1 }
      borders.append(length)
    }
    var found: [Int] = []
    length = 0
    for (index, letter) in text.enumerated() {
      while length > 0, wanted[length] != letter { length = borders[length - 1] }
      if wanted[length] == letter { length += 1 }
      if length == wanted.count {
        found.append(index + 1 - length)
        length = borders[length - 1]
      }
    }
    return found
  }
}
