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
  /// The first search ignores case, quotation marks, dashes, white space and Markdown's marks. The
  /// second also ignores accents. The last looks for the quote's words in order, of which more than
  /// half must match, or half if the others are misspelt; a misspelt word counts half.
  /// O(text + quote), plus one comparison for each misspelt word and each distinct word of the text.
  package init?(to quote: String, in document: ParsedDocument) {
    guard quote.utf16.count <= Self.longest else { return nil }
    let units = document.text.utf16
    let text = FoldedWords(units)
    let readings = Self.readings(of: quote, in: document)
    for folding in [[], .marks, [.marks, .accents]] as [FoldedWords.Options] {
      let text = folding.isEmpty ? text : FoldedWords(units, folding)
      for wanted in readings {
        let folded = FoldedWords(Array(wanted.utf16), folding).trimmed
        guard !folded.isEmpty, let found = text.first(folded) else { continue }
        range = document.wholeGraphemes(TextRange(utf16: found))
        difference = Self.difference(quote, document.text.substring(range))
        return
      }
    }
    let words = FoldedWords(units, .accents).words
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

  /// Returns the possible readings of a quote, the likeliest first. The first reading is literal,
  /// the second is Markdown in the document's dialect. The third is the second without the marks
  /// that only Diple's pages show, and the last is the quote without any marks. Equal readings are
  /// omitted.
  private static func readings(of quote: String, in document: ParsedDocument) -> [String] {
    let shown = rendered(quote, like: document)
    var readings = [quote]
    for reading in [shown, withoutPageMarks(shown), withoutMarks(quote)]
    where !readings.contains(reading) { readings.append(reading) }
    return readings
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

  /// Returns the occurrences of a quote. The quote may also be written as Markdown. Several
  /// searches are made until one finds something:
  ///
  /// 1. Quotation marks, dashes, dots and white space are ignored, then Markdown's marks too. All
  ///    occurrences are returned.
  /// 2. The same searches also ignore case. An occurrence is returned only if it is the only one.
  /// 3. Apostrophes and quotation marks may be missing on either side, as in `dont` for `don’t`. First
  ///    the case is kept, then it is ignored as in step 2.
  /// 4. Accents and case are ignored. All occurrences are returned, and the user chooses.
  /// 5. All punctuation and symbols are ignored, such as the bars of a table. An occurrence is
  ///    returned only if it is the only one.
  ///
  /// O(text + quote).
  static func places(of quote: String, in document: ParsedDocument) -> [TextRange] {
    guard quote.utf16.count <= longest else { return [] }
    let readings = readings(of: quote, in: document)
    for keepsCase in [true, false] {
      for dropsMarks in [false, true] {
        var folding: FoldedWords.Options = keepsCase ? .keepsCase : []
        if dropsMarks { folding.insert(.marks) }
        let text = FoldedWords(document.text.utf16, folding)
        for wanted in readings {
          let wanted = FoldedWords(Array(wanted.utf16), folding).trimmed
          let found = text.all(wanted).filter { isWhole($0, wanted, folding, document) }
          if found.count == 1 || (keepsCase && !found.isEmpty) {
            return found.map { document.wholeGraphemes(TextRange(utf16: $0)) }
          }
        }
      }
    }
    // Single quotation marks around the whole quote are left over from the shell's syntax.
    let isQuoted = quote.hasPrefix("'") && quote.hasSuffix("'")
    for keepsCase in isQuoted ? [] : [true, false] {
      let found = occurrences(withoutQuotesOf: quote, keepingCase: keepsCase, in: document)
      if found.count == 1 || (keepsCase && !found.isEmpty) { return found }
    }
    let text = FoldedWords(document.text.utf16, .accents)
    let wanted = FoldedWords(Array(quote.utf16), .accents).trimmed
    let found = text.all(wanted).filter { isWhole($0, wanted, .accents, document) }
      .map { document.wholeGraphemes(TextRange(utf16: $0)) }
    // Several matches that differ from the quote only in case are not returned, as in step 2.
    let haveAccents = found.allSatisfy { hasOtherAccents(quote, document.text.substring($0)) }
    if !found.isEmpty, haveAccents { return found }
    return onlyWords(of: quote, in: document).map { [$0] } ?? []
  }

  /// Returns the occurrences of a text of whole words, if apostrophes and quotation marks are
  /// ignored. A text that consists of nothing else does not occur. O(text).
  package static func occurrences(
    withoutQuotesOf quote: String, keepingCase: Bool, in document: ParsedDocument
  ) -> [TextRange] {
    let folding: FoldedWords.Options = keepingCase ? [.quotes, .keepsCase] : .quotes
    let wanted = FoldedWords(Array(quote.utf16), folding).trimmed
    return FoldedWords(document.text.utf16, folding).all(wanted)
      .filter { isWhole($0, wanted, folding, document) }
      .map { document.wholeGraphemes(TextRange(utf16: $0)) }
      .filter(document.isWholeWords)
  }

  /// Whether a passage divides no grapheme, except between a letter and marks that the folding
  /// ignores.
  private static func isWhole(
    _ range: Range<Int>, _ wanted: ArraySlice<UInt16>, _ folding: FoldedWords.Options,
    _ document: ParsedDocument
  ) -> Bool {
    let whole = document.wholeGraphemes(TextRange(utf16: range)).utf16
    return whole == range
      || FoldedWords(Array(document.text.utf16[whole]), folding).trimmed == wanted
  }

  /// Returns the only passage that consists of the words of a quote in their order, with any
  /// characters between them. Nil if there is no such passage or more than one, or if the quote is
  /// a single word of one or two letters, as in `C++`. O(text + quote).
  private static func onlyWords(of quote: String, in document: ParsedDocument) -> TextRange? {
    // Single quotation marks around the whole quote are left over from the shell's syntax.
    guard !quote.hasPrefix("'") || !quote.hasSuffix("'") else { return nil }
    let quoteWords = FoldedWords(Array(quote.utf16)).words
    guard quoteWords.count > 1 || quoteWords.first?.range.count ?? 0 > 2 else { return nil }
    let wanted = quoteWords.map(\.hash)
    let words = FoldedWords(document.text.utf16).words
    let places = occurrences(of: wanted, in: words.map(\.hash))
    guard places.count == 1 else { return nil }
    return document.wholeGraphemes(
      TextRange(
        utf16: words[places[0]].range
          .lowerBound..<words[places[0] + wanted.count - 1].range
          .upperBound))
  }

  /// Returns the first two indices at which a sequence of hashes occurs. O(text + quote) (Knuth,
  /// Morris and Pratt 1977).
  private static func occurrences(of wanted: [UInt64], in text: [UInt64]) -> [Int] {
    // For each number of hashes from the start of `wanted`, the length of the longest proper prefix
    // of these that is also their suffix.
    var borders = [0]
    var length = 0
    for hash in wanted.dropFirst() {
      while length > 0, wanted[length] != hash { length = borders[length - 1] }
      if wanted[length] == hash { length += 1 }
      borders.append(length)
    }
    var found: [Int] = []
    length = 0
    for (index, hash) in text.enumerated() where found.count < 2 {
      while length > 0, wanted[length] != hash { length = borders[length - 1] }
      if wanted[length] == hash { length += 1 }
      if length == wanted.count {
        found.append(index + 1 - length)
        length = borders[length - 1]
      }
    }
    return found
  }

  /// Returns a phrase that describes how two texts differ that are equal when folded.
  static func difference(_ quote: String, _ found: String) -> String {
    func differs(_ change: (String) -> String) -> Bool { change(quote) == change(found) }
    let spaced = { (text: String) in
      text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
    if differs(spaced) { return "with other blanks or line breaks" }
    if differs({ spaced($0).lowercased() }) { return "in another case" }
    let level = { (text: String) in
      String(
        String.UnicodeScalarView(
          text.unicodeScalars.lazy.filter { $0 != "^" }
            .map { ScriptLetters.plain(of: $0) ?? $0 }))
    }
    if differs({ spaced(level($0)) }) { return "with raised or lowered letters" }
    let marks = { (text: String) in
      String(decoding: FoldedWords(Array(text.utf16), .keepsCase).units, as: UTF16.self)
    }
    if differs(marks) { return "with other quotation marks, dashes or dots" }
    for (folding, phrase) in [
      ([.quotes, .keepsCase], "with"), (.quotes, "in another case and with"),
    ] as [(FoldedWords.Options, String)] {
      let folded = [quote, found].map { FoldedWords(Array($0.utf16), folding).trimmed }
      let isSameWithMarks =
        FoldedWords(Array(quote.utf16)).trimmed
        == FoldedWords(Array(found.utf16)).trimmed
      if folded[0] == folded[1], !isSameWithMarks {
        return "\(phrase) other apostrophes or quotation marks"
      }
    }
    if hasOtherAccents(quote, found) { return "with other accents" }
    if FoldedWords(Array(quote.utf16)).trimmed != FoldedWords(Array(found.utf16)).trimmed {
      return hasOtherPunctuation(quote, found)
        ? "with other punctuation" : markDifference(quote, found)
    }
    return "in another case and with other quotation marks, dashes or dots"
  }

  /// Returns whether two texts differ in accents, and otherwise only in what every folding ignores.
  private static func hasOtherAccents(_ quote: String, _ found: String) -> Bool {
    func folded(_ text: String, _ folding: FoldedWords.Options) -> ArraySlice<UInt16> {
      FoldedWords(Array(text.utf16), folding).trimmed
    }
    return folded(quote, []) != folded(found, [])
      && folded(quote, .accents) == folded(found, .accents)
  }

  /// Returns whether two texts have the same words, but differ in more than Markdown marks.
  private static func hasOtherPunctuation(_ quote: String, _ found: String) -> Bool {
    func words(_ text: String) -> [UInt64] { FoldedWords(Array(text.utf16)).words.map(\.hash) }
    func withoutBlanks(_ text: String) -> [UInt16] {
      FoldedWords(Array(text.utf16), .marks).units.filter { $0 != 32 }
    }
    return words(quote) == words(found)
      && withoutBlanks(withoutMarks(quote)) != withoutBlanks(withoutMarks(found))
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
    let marks = { (text: String) in text.count { "*_`~[]#>=^\\│•".contains($0) } }
    if marks(rest) > marks(found) { parts.append("without the marks of Markdown") }
    return parts.isEmpty
      ? "with other spaces or punctuation" : parts.joined(separator: " and ")
  }

  /// Returns a phrase with the first words that differ in more than their case.
  private static func wordDifference(_ quote: String, _ found: String) -> String {
    let changes = WordChanges(from: quote, to: found, ignoresCase: true).runs
      .filter { $0.kind != .kept }
    let removed = changes.first { $0.kind == .removed }?.words
    let added = changes.first { $0.kind == .added }?.words
    switch (removed, added) {
    case (let old?, let new?): return "with '\(new.prefix(40))' instead of '\(old.prefix(40))'"
    case (let old?, nil): return "without '\(old.prefix(40))'"
    case (nil, let new?): return "with '\(new.prefix(40))' in it"
    case (nil, nil): return "with other marks between the words"
    }
  }

  /// Returns the quote without the source marks of styles, links and headings, and without the
  /// marks of Diple's pages: bars, bullets, link numbers and the brackets of highlights
  /// (`[Y:words]`).
  private static func withoutMarks(_ quote: String) -> String {
    var result = ""
    var rest = quote[...]
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
      let word = String(decoding: quoteUnits[wanted[index].range], as: UTF16.self)
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
    /// Removes Markdown's marks, and numbers in brackets.
    static let marks = Options(rawValue: 2)
    /// Removes accents and other diacritics.
    static let accents = Options(rawValue: 4)
    /// Removes apostrophes and quotation marks.
    static let quotes = Options(rawValue: 8)
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
    let dropsMarks = options.contains(.marks)
    let dropsAccents = options.contains(.accents)
    let dropsQuotes = options.contains(.quotes)
    units.reserveCapacity(text.count)
    places.reserveCapacity(text.count)
    var kept = 0
    for (index, unit) in text.enumerated() {
      if dropsMarks {
        if index < kept { continue }
        kept = index + Self.mark(at: index, in: text)
        if kept > index { continue }
      }
      let plain = dropsAccents ? Self.withoutAccents(unit) : unit
      guard let plain, let folded = Self.fold(plain, keepsCase) else { continue }
      if folded == 32, units.last == 32 { continue }
      if dropsQuotes, folded == 0x27 || folded == 0x22 { continue }
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

  /// Returns the length of the mark at an index; 0 if there is no mark. Marks are `*`, `_`, a
  /// backtick, `~`, and a number in brackets.
  private static func mark(at index: Int, in text: [UInt16]) -> Int {
    switch text[index] {
    case 0x2A, 0x5F, 0x60, 0x7E: return 1
    case 0x5B:
      let digits = text[(index + 1)...].prefix(6).prefix { (0x30...0x39).contains($0) }
      let end = digits.endIndex
      return !digits.isEmpty && end < text.count && text[end] == 0x5D ? digits.count + 2 : 0
    default: return 0
    }
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

  /// Returns the first match as a range of the original; nil if nothing matches. O(text) expected.
  func first(_ wanted: ArraySlice<UInt16>) -> Range<Int>? {
    index(of: wanted, from: 0).map { original($0..<$0 + wanted.count) }
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
