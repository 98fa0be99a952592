package import MarkdownParse
package import Model
import Search

/// The passage of a text most similar to a quote that the text doesn't contain, and how they
/// differ.
package struct NearPassage: Hashable, Sendable {
  /// The range of the passage in the rendered text.
  package var range: TextRange
  /// The difference, as a phrase to follow “the nearest passage”: `in another case`.
  package var difference: String

  /// The maximum length of a quote that is compared, in UTF-16 units. For a longer quote there is
  /// no near passage.
  private static let longest = 4_000

  /// The maximum number of occurrences of one word in the quote that are compared with the text.
  private static let repeats = 4

  /// Searches for the passage. Nil if nothing is similar or the quote is too long.
  ///
  /// A passage with the same letters is the nearest. Otherwise the quote's words are searched in
  /// order, of which more than half must match, or half if the others are misspelt; a misspelt word
  /// counts half. O(text + quote), plus one comparison for each misspelt word and each distinct word
  /// of the text.
  package init?(to quote: String, in document: ParsedDocument) {
    guard quote.utf16.count <= Self.longest else { return nil }
    if let found = Self.places(of: quote, in: document).first {
      range = found
      difference = Self.difference(quote, found, in: document) ?? "with other blanks"
      return
    }
    let readings = Self.readings(of: quote, in: document)
    let words = FoldedWords(document.text.utf16, .accents).words
    if let found = Self.misspelt(quote, in: words, document) {
      range = found
      let word = document.text.substring(found)
      difference = "with '\(word)' instead of '\(quote.prefix(40))'"
      return
    }
    // Markdown's marks don't count as words.
    let plain = readings.count > 1 ? Self.withoutPageMarks(readings[1]) : quote
    for quote in [quote, plain] {
      guard let found = Self.mostWords(of: quote, in: words, document) else { continue }
      range = document.wholeGraphemes(TextRange(utf16: found))
      difference = Self.wordDifference(plain, document.text.substring(range))
      return
    }
    return nil
  }

  /// Returns the possible readings of a quote, the likeliest first, without equal ones: the quote
  /// itself, then without the quotation marks around it, which may be the user's own, then as
  /// Markdown in the document's dialect. The next is the rendered Markdown without the marks that
  /// only Diple's pages show, and the last is the quote without any marks.
  private static func readings(of quote: String, in document: ParsedDocument) -> [String] {
    let shown = rendered(quote, like: document)
    var readings = [quote]
    if let inner = inner(of: quote) { readings.append(inner) }
    for reading in [shown, withoutPageMarks(shown), withoutMarks(quote)]
    where !readings.contains(reading) { readings.append(reading) }
    return readings
  }

  /// Returns the quote without the double quotation marks around it; nil if it has none.
  static func inner(of quote: String) -> String? {
    guard quote.count > 2, let first = quote.first, let last = quote.last,
      "\"“".contains(first), "\"”".contains(last)
    else { return nil }
    return String(quote.dropFirst().dropLast())
  }

  /// Returns the rendered text of Markdown in a document's dialect. O(text).
  static func rendered(_ text: String, like document: ParsedDocument) -> String {
    let source = MarkdownSource(String(text.drop(while: \.isWhitespace)))
    return ParsedDocument(parsing: source, options: document.options).text.string
  }

  /// The maximum length in characters of a word for which similarly spelt words are searched.
  private static let longestWord = 40

  /// The maximum number of words of a quote for which similarly spelt words are searched.
  private static let mostMisspelt = 8

  /// Returns the words of a text that are spelt similarly to a word, by the measure of
  /// ``Spelling``. Each word is returned once, at its first occurrence. Returns nothing for a word
  /// of less than three letters. O(text), plus one comparison for each distinct word of similar
  /// length.
  private static func similar(
    to word: String, in words: [FoldedWords.Word], _ document: ParsedDocument
  ) -> [(word: FoldedWords.Word, difference: Int)] {
    guard (3...longestWord).contains(word.count), word.allSatisfy(\.isLetter) else { return [] }
    let letters = Array(UnmarkedText.string(word.lowercased()))
    let limit = Spelling.mostEdits(letters.count)
    var seen: Set<UInt64> = []
    return words.compactMap { other in
      guard abs(other.range.count - word.utf16.count) <= limit, seen.insert(other.hash).inserted
      else { return nil }
      let range = document.wholeGraphemes(TextRange(utf16: other.range))
      let written = Array(UnmarkedText.string(document.text.substring(range).lowercased()))
      return Spelling.difference(of: letters, from: written).map { (other, $0) }
    }
  }

  /// Returns the first occurrence of the word for which a single word may be misspelt. O(text).
  private static func misspelt(
    _ quote: String, in words: [FoldedWords.Word], _ document: ParsedDocument
  ) -> TextRange? {
    guard quote.count > 3 else { return nil }
    return similar(to: quote, in: words, document).min { $0.difference < $1.difference }
      .map { document.wholeGraphemes(TextRange(utf16: $0.word.range)) }
  }

  /// Returns the passages with the letters of a quote that are nearest to it, in order. The quote
  /// may also be written as Markdown. O(text + quote).
  ///
  /// ``QuoteDifference`` defines which passages are nearer: other forms of quotation marks, dashes
  /// and dots are ignored, and differences of case count less than a missing apostrophe. Of a quote
  /// with one or two letters, punctuation is a part: `C++` is not `C`.
  static func places(of quote: String, in document: ParsedDocument) -> [TextRange] {
    guard quote.utf16.count <= longest else { return [] }
    let text = LetterText(document.text.utf16)
    var nearest: (distance: Int, matches: [LetterText.Match])?
    for (index, reading) in readings(of: quote, in: document).enumerated() {
      let letters = LetterText(Array(reading.utf16))
      guard !letters.letters.isEmpty else { continue }
      let matches = text.matches(of: letters).filter {
        letters.letters.count > 2 || $0.difference.isDisjoint(with: [.punctuation, .symbols])
      }
      let isWritten = index == 0 || reading == inner(of: quote)
      let added = isWritten ? 0 : QuoteDifference.markup.distance
      guard let best = matches.map({ $0.difference.distance | added }).min(),
        best < nearest?.distance ?? .max
      else { continue }
      nearest = (best, matches.filter { $0.difference.distance | added == best })
    }
    if let nearest {
      // Words that occur often, with a symbol that the text lacks, are not a passage of it.
      if nearest.matches.count > 1, nearest.matches[0].difference.lacksSymbols { return [] }
      return nearest.matches.map { document.wholeGraphemes(TextRange(utf16: $0.range)) }
    }
    // A quote without letters, such as an arrow.
    let folded = FoldedWords(document.text.utf16, .keepsCase)
    let wanted = FoldedWords(Array(quote.utf16), .keepsCase).trimmed
    return folded.all(wanted).filter { isWhole($0, wanted, document) }
      .map { document.wholeGraphemes(TextRange(utf16: $0)) }
  }

  /// Returns the occurrences of a text of whole words, if apostrophes and quotation marks are
  /// ignored. A text that consists of nothing else does not occur. O(text).
  package static func occurrences(
    withoutQuotesOf quote: String, keepingCase: Bool, in document: ParsedDocument
  ) -> [TextRange] {
    var allowed: QuoteDifference = [.forms, .apostrophes, .quotationMarks]
    if !keepingCase { allowed.insert(.letterCase) }
    return LetterText(document.text.utf16).matches(of: LetterText(Array(quote.utf16)))
      .filter { $0.difference.isWithin(allowed) }
      .map { document.wholeGraphemes(TextRange(utf16: $0.range)) }
      .filter(document.isWholeWords)
  }

  /// Whether a passage divides no grapheme, except between a letter and marks that the folding
  /// ignores.
  private static func isWhole(
    _ range: Range<Int>, _ wanted: ArraySlice<UInt16>, _ document: ParsedDocument
  ) -> Bool {
    let whole = document.wholeGraphemes(TextRange(utf16: range)).utf16
    return whole == range
      || FoldedWords(Array(document.text.utf16[whole]), .keepsCase).trimmed == wanted
  }

  /// Returns a phrase that names the differences between a quote and the passage that
  /// ``places(of:in:)`` found for it; nil if there is none to report. O(quote).
  static func difference(_ quote: String, _ range: TextRange, in document: ParsedDocument)
    -> String?
  {
    let found = document.text.substring(range)
    let passage = LetterText(Array(found.utf16))
    var nearest: QuoteDifference?
    for (index, reading) in readings(of: quote, in: document).enumerated() {
      guard var difference = QuoteDifference(from: LetterText(Array(reading.utf16)), to: passage)
      else { continue }
      if index > 0, reading != inner(of: quote) { difference.insert(.markup) }
      if difference.distance < nearest?.distance ?? .max { nearest = difference }
    }
    return nearest.map { $0.phrase { markDifference(quote, found) } }
      ?? "with other quotation marks, dashes or dots"
  }

  /// Returns a phrase that names the Markdown marks, and the marks of Diple's pages, that the quote
  /// contains and the text doesn't show.
  private static func markDifference(_ quote: String, _ found: String) -> String {
    func lacks(_ sign: Regex<Substring>) -> Bool {
      quote.matches(of: sign).contains { !found.contains($0.output) }
    }
    var parts: [String] = []
    let names = #/&#?[A-Za-z0-9]+;|:[a-z0-9_+-]+:/#
    if lacks(names) { parts.append("with characters in place of their names") }
    if lacks(#/\[[0-9]+\]/#) { parts.append("without the numbers of links") }
    let rest = quote.replacing(names, with: "").replacing(#/\[[0-9]+\]/#, with: "")
    let marks = { (text: String) in text.count { "*_`~[]#>=^\\│•|".contains($0) } }
    if parts.isEmpty || marks(rest) > marks(found) { parts.append("without the marks of Markdown") }
    return parts.listed
  }

  /// Returns a phrase with the first words that differ in more than their case.
  private static func wordDifference(_ quote: String, _ found: String) -> String {
    /// Words of the quote and the words of the passage in their place.
    var changes: [(old: String, new: String)] = []
    var isAfterChange = false
    for run in WordChanges(from: quote, to: found, ignoresCase: true).runs {
      defer { isAfterChange = run.kind != .kept }
      if run.kind == .kept { continue }
      if !isAfterChange { changes.append(("", "")) }
      let last = changes.count - 1
      if run.kind == .removed {
        changes[last].old += " " + run.words
      } else {
        changes[last].new += " " + run.words
      }
    }
    // Other forms of a mark are no reason why the quote is not found.
    func letters(_ words: String) -> [UInt32] { LetterText(Array(words.utf16)).letters }
    changes = changes.filter { letters($0.old) != letters($0.new) }
    guard let first = changes.first else { return "with other marks between the words" }
    let more = changes.count > 1 ? " and other differences" : ""
    let (old, new) = (first.old.trimmed.prefix(40), first.new.trimmed.prefix(40))
    if old.isEmpty { return "with '\(new)' in it" + more }
    if new.isEmpty { return "without '\(old)'" + more }
    return "with '\(new)' instead of '\(old)'" + more
  }

  /// Returns the quote without the source marks of styles, links and headings, and without the
  /// marks of Diple's pages: bars, bullets, link numbers and the brackets of highlights
  /// (`[Y:words]`).
  private static func withoutMarks(_ quote: String) -> String {
    var result = ""
    // The box of a task.
    var rest = quote.replacing(#/^\s*\[[ xX]\]\s+/#, with: "")[...]
    while let character = rest.first {
      rest.removeFirst()
      switch character {
      case "\\":
        if let next = rest.popFirst() { result.append(next) }
      case "[":
        if let shown = rest.prefixMatch(of: pageMark) { rest = rest[shown.range.upperBound...] }
      case "*", "_", "`", "~", "#", ">", "=", "^": continue
      case "│", "•": continue
      case "]":
        // Skip the address, or the label, after a link's text.
        let close: Character
        switch rest.first {
        case "(": close = ")"
        case "[": close = "]"
        default: continue
        }
        guard let end = rest.firstIndex(of: close) else { continue }
        rest = rest[rest.index(after: end)...]
      default: result.append(character)
      }
    }
    return result
  }

  /// Returns the text without link numbers, footnote references, bars and bullets.
  private static func withoutPageMarks(_ text: String) -> String {
    text.replacing(#/\[[0-9]+\]|\[\^[^\]\s]*\]|[│•]/#, with: "")
  }

  /// The text after a bracket that a page shows: a link's number and its closing bracket, or the
  /// letter of a highlight's colour.
  private static var pageMark: Regex<Substring> { /[0-9]+\]|[A-Z]\*?:/ }

  /// The number of votes of a word of the text that equals a word of the quote. A similarly spelt
  /// word has fewer votes.
  private static let votesOfEqual = 8

  /// Returns the range that matches most of a quote's words in their order. Each word of the text
  /// votes for the position where the quote would begin if the word were part of it.
  private static func mostWords(
    of quote: String, in words: [FoldedWords.Word], _ document: ParsedDocument
  ) -> Range<Int>? {
    let quoteUnits = Array(quote.utf16)
    let wanted = FoldedWords(quoteUnits, .accents).words
    guard wanted.count > 1 else { return nil }
    // For each word of the text, the words of the quote to which it may correspond.
    var places: [UInt64: [(index: Int, votes: Int)]] = [:]
    for (index, word) in wanted.enumerated() where places[word.hash, default: []].count < repeats {
      places[word.hash, default: []].append((index, votesOfEqual))
    }
    let present = Set(words.lazy.map(\.hash)).intersection(places.keys)
    let absent = wanted.indices.filter { !present.contains(wanted[$0].hash) }
    for index in absent.prefix(mostMisspelt) {
      let word = String(units: quoteUnits[wanted[index].range])
      for (other, difference) in similar(to: word, in: words, document)
      where places[other.hash, default: []].count < repeats {
        places[other.hash, default: []].append((index, max(1, votesOfEqual - difference)))
      }
    }
    // The votes for each start, limited to a window that moves with the words.
    var votes: [Int: (votes: Int, halves: Int, words: Int)] = [:]
    var best: (start: Int, votes: Int, halves: Int, words: Int)?
    for (index, word) in words.enumerated() {
      guard let found = places[word.hash] else { continue }
      for place in found {
        let start = index - place.index
        var count = votes[start, default: (0, 0, 0)]
        count.votes += place.votes
        count.words += 1
        // A word with another letter may be a different word, such as "line" and "link".
        count.halves += max(0, min(2, place.votes - votesOfEqual + 3))
        votes[start] = count
        if count.votes > best?.votes ?? 0 {
          best = (start, count.votes, count.halves, count.words)
        }
      }
      if votes.count > 4 * wanted.count * repeats {
        votes = votes.filter { $0.key + wanted.count > index }
      }
    }
    // Half of the words suffice only if the others are similar: “the fox” is not near “the dog”.
    guard let best, best.halves > wanted.count - (best.words == wanted.count ? 1 : 0) else {
      return nil
    }
    let first = words[max(0, best.start)]
    let last = words[min(words.count, best.start + wanted.count) - 1]
    return first.range.lowerBound..<last.range.upperBound
  }
}

/// A text without differences of case, quotation marks, dashes, dots, white space, and raised or
/// lowered letters. The original index of each of its units is stored.
struct FoldedWords {
  /// Additional differences to remove, or differences to keep.
  struct Options: OptionSet {
    let rawValue: Int
    /// Keeps the case of letters.
    static let keepsCase = Options(rawValue: 1)
    /// Removes accents and other diacritics.
    static let accents = Options(rawValue: 2)
  }

  /// The folded UTF-16 units.
  private(set) var units: [UInt16] = []
  private var places: [Int32] = []

  /// Folds a text in Unicode's normal form C. O(units).
  init(_ text: [UInt16], _ options: Options = []) {
    guard let canonical = CanonicalText(text) else {
      fold(text, options)
      return
    }
    fold(canonical.units, options)
    for index in places.indices {
      let unit = Int(places[index])
      places[index] = Int32(canonical.original(unit..<unit + 1).lowerBound)
    }
  }

  private mutating func fold(_ text: [UInt16], _ options: Options) {
    let keepsCase = options.contains(.keepsCase)
    let dropsAccents = options.contains(.accents)
    units.reserveCapacity(text.count)
    places.reserveCapacity(text.count)
    for (index, unit) in text.enumerated() {
      let plain = dropsAccents ? Self.withoutAccents(unit) : unit
      guard let plain, let folded = Self.fold(plain, keepsCase) else { continue }
      if folded == 32, units.last == 32 { continue }
      // An ellipsis counts as three dots.
      for _ in 0..<(unit == 0x2026 ? 3 : 1) {
        units.append(folded)
        places.append(Int32(truncatingIfNeeded: index))
      }
    }
  }

  /// The folded units without leading and trailing white space.
  var trimmed: ArraySlice<UInt16> {
    var slice = units[...]
    if slice.first == 32 { slice.removeFirst() }
    if slice.last == 32 { slice.removeLast() }
    return slice
  }

  /// Returns the unit of a letter without its diacritics, or nil for a separate mark.
  private static func withoutAccents(_ unit: UInt16) -> UInt16? {
    if unit < 0x80 || (0xD800...0xDFFF).contains(unit) { return unit }
    let scalar = UInt32(unit)
    if TextFolding.fold(scalar).kind == .mark { return nil }
    return UInt16(exactly: TextFolding.base(of: scalar)) ?? unit
  }

  private static func fold(_ unit: UInt16, _ keepsCase: Bool) -> UInt16? {
    switch unit {
    case 0...32, 0xA0, 0x2000...0x200A, 0x2028, 0x2029, 0x202F, 0x3000: return 32
    case 0x41...0x5A: return keepsCase ? unit : unit + 32
    case 0..<0x80: return unit
    case 0xAD, 0x200B...0x200D, 0x2060, 0xFEFF: return nil
    case 0x2018...0x201B, 0x2032, 0xB4: return 0x27
    case 0x201C...0x201F, 0x2033, 0xAB, 0xBB: return 0x22
    case 0x2010...0x2015, 0x2212: return 0x2D
    case 0x2026: return 0x2E
    case 0xD800...0xDFFF: return unit
    default:
      guard let scalar = Unicode.Scalar(unit) else { return unit }
      if let plain = ScriptLetters.plain(of: scalar) {
        return fold(UInt16(truncatingIfNeeded: plain.value), keepsCase)
      }
      if keepsCase { return unit }
      let lower = scalar.properties.lowercaseMapping.utf16
      return lower.count == 1 ? lower.first : unit
    }
  }

  /// Returns the range in the original of some folded units.
  private func original(_ range: Range<Int>) -> Range<Int> {
    Int(places[range.lowerBound])..<Int(places[range.upperBound - 1]) + 1
  }

  /// Returns all matches that don't overlap, as ranges of the original. O(text) expected.
  func all(_ wanted: ArraySlice<UInt16>) -> [Range<Int>] {
    var found: [Range<Int>] = []
    var place = 0
    while let next = index(of: wanted, from: place) {
      found.append(original(next..<next + wanted.count))
      place = next + wanted.count
    }
    return found
  }

  /// Returns the first index at or after `place` at which the units match; nil if they never do.
  private func index(of wanted: ArraySlice<UInt16>, from place: Int) -> Int? {
    guard let start = wanted.first, wanted.count <= units.count else { return nil }
    return units.withUnsafeBufferPointer { text in
      wanted.withUnsafeBufferPointer { wanted in
        var index = place
        while index + wanted.count <= text.count {
          if text[index] == start {
            var length = 1
            while length < wanted.count, text[index + length] == wanted[length] { length += 1 }
            if length == wanted.count { return index }
          }
          index += 1
        }
        return nil
      }
    }
  }

  /// A word: a run of letters and digits.
  struct Word {
    /// The hash of its folded units.
    var hash: UInt64
    /// Its range in the original.
    var range: Range<Int>
  }

  /// The words in order. O(units).
  var words: [Word] {
    var words: [Word] = []
    var (start, hash) = (-1, StableHash())
    for (index, unit) in units.enumerated() {
      let isWord =
        unit >= 0x80 || (0x30...0x39).contains(unit) || (0x41...0x5A).contains(unit)
        || (0x61...0x7A).contains(unit)
      if isWord {
        if start < 0 { (start, hash) = (index, StableHash()) }
        hash.add(unit)
      } else if start >= 0 {
        words.append(Word(hash: hash.value, range: original(start..<index)))
        start = -1
      }
    }
    if start >= 0 { words.append(Word(hash: hash.value, range: original(start..<units.count))) }
    return words
  }
}
