public import MarkdownParse
public import Model
import Search

extension SelectionSpec {
  /// Returns the matches of a regular expression, in order.
  package typealias Matches = (String) throws(SelectionError) -> [TextRange]

  /// Returns the selected passage of a document. It is never empty.
  ///
  /// If a quote isn't found exactly, it is searched with white space folded, because text copied
  /// from a wrapped page has other line ends.
  ///
  /// - Parameters:
  ///   - highlight: returns the range of the highlight with an id; nil if there is no such
  ///     highlight, or it is orphaned.
  ///   - matches: returns the matches of a regular expression in the document's text, in order.
  ///     Throws ``SelectionError/badPattern(_:)`` if the expression is invalid.
  /// - Throws: ``SelectionError``:
  ///   - `notFound` or `misquoted` if the document has no such passage
  ///   - `ambiguous` with the first matches if a quote or pattern has several
  ///   - `outOfBounds` if a range divides a character, or ends before it begins
  ///   - `empty` if the passage contains no text
  ///   - `badPattern` if an expression is invalid.
  package func resolve(
    in document: ParsedDocument, highlight: (String) -> TextRange? = { _ in nil },
    matches: Matches = { (_) throws(SelectionError) in
      throw .badPattern("patterns are not available here")
    }
  ) throws(SelectionError) -> TextRange {
    if document.text.count == 0 { throw .empty("the document has no text") }
    let range = try find(in: document, highlight: highlight, matches: matches)
    guard !range.isEmpty else { throw .empty("\(description) selects no text") }
    return range
  }

  private func find(
    in document: ParsedDocument, highlight: (String) -> TextRange?, matches: Matches
  ) throws(SelectionError) -> TextRange {
    switch form {
    case .all: return TextRange(utf16: 0..<document.text.count)
    case .words(let numbers):
      return try pick(numbers, of: DictionarySegmenter().words(in: document.text.utf16), "word")
    case .paragraphs(let numbers):
      return try pick(numbers, of: document.paragraphs, "paragraph")
    case .rows: throw .notFound("\(description) selects rows of a page, but there is no page")
    case .lines(let numbers): return try lines(numbers, in: document)
    case .heading(let name): return try heading(name, in: document).text
    case .section(let name): return try section(name, in: document)
    case .quote(let quote, let occurrence):
      let found = try places(of: quote, in: document, otherMarks: allowsOtherMarks)
      let isExact = document.text.substring(found[0]).hasSameWords(as: quote)
      return try one(
        of: found, occurrence, isExact ? "'\(quote)'" : "a passage like '\(quote)'",
        written: Self.written(quote), isExact: isExact, in: document)
    case .match(let pattern, let occurrence):
      let written = "match:/\(pattern)/"
      return try one(
        of: try matches(pattern), occurrence, written, written: written, in: document)
    case .span(let first, let occurrence, let last):
      return try span(first, occurrence, last, in: document)
    case .units(let units): return try checked(units, in: document)
    case .highlight(let id):
      guard let range = highlight(id) else { throw .notFound("no highlight '\(id)' has a place") }
      return range
    }
  }

  private func pick(_ numbers: ClosedRange<Int>, of ranges: [TextRange], _ name: String)
    throws(SelectionError) -> TextRange
  {
    guard numbers.upperBound <= ranges.count else {
      throw .notFound("there is no \(name) \(numbers.upperBound): the last is \(ranges.count)")
    }
    return TextRange(
      ranges[numbers.lowerBound - 1].lowerBound, ranges[numbers.upperBound - 1].upperBound)
  }

  private func lines(_ numbers: ClosedRange<Int>, in document: ParsedDocument)
    throws(SelectionError) -> TextRange
  {
    let lines = document.sourceLines
    guard let first = lines.bytes(ofLine: numbers.lowerBound),
      let last = lines.bytes(ofLine: numbers.upperBound)
    else {
      throw .notFound("there is no line \(numbers.upperBound): the last is \(lines.count)")
    }
    let bytes = first.bytes.lowerBound..<last.bytes.upperBound
    return document.map.text(of: SourceRange(bytes: bytes))
  }

  // MARK: - Headings

  private func heading(_ name: String, in document: ParsedDocument) throws(SelectionError) -> Block
  {
    let headings = document.headings(named: name)
    guard let first = headings.first else {
      throw .notFound("there is no heading '\(name)'; \(document.offer(insteadOfHeading: name))")
    }
    guard headings.count == 1 else {
      throw document.ambiguous("the heading '\(name)'", headings.map(\.text))
    }
    return first
  }

  private func section(_ name: String, in document: ParsedDocument) throws(SelectionError)
    -> TextRange
  {
    let heading = try heading(name, in: document)
    guard case .heading(let level) = heading.kind else { return heading.text }
    var end = document.text.count
    for block in document.blocks where block.text.lowerBound > heading.text.lowerBound {
      if case .heading(let other) = block.kind, other <= level {
        end = block.text.utf16.lowerBound
        break
      }
    }
    while end > heading.text.utf16.upperBound, document.text.utf16[end - 1] <= 32 { end -= 1 }
    return TextRange(utf16: heading.text.utf16.lowerBound..<end)
  }

  // MARK: - Quotes and patterns

  /// Returns the selected one of the ranges that were found. Without a number, it must be the only
  /// range.
  ///
  /// - Parameters:
  ///   - written: the SPEC for each range, without the `#` and number at the end.
  ///   - isExact: whether the ranges have the words of the SPEC.
  private func one(
    of found: [TextRange], _ occurrence: Int?, _ name: String, written: String,
    isExact: Bool = true, in document: ParsedDocument
  ) throws(SelectionError) -> TextRange {
    guard !found.isEmpty else { throw .notFound("\(name) is not in the text") }
    guard let occurrence else {
      if found.count == 1 || takesFirst { return found[0] }
      let all = isExact ? anyCase(found.count, in: document) : nil
      throw document.ambiguous(name, found, anyCase: all) { "\(written)#\($0)" }
    }
    return try pick(occurrence, of: found, name, written: written, in: document)
  }

  /// Returns the range with a number.
  ///
  /// - Parameters:
  ///   - found: the ranges, never empty.
  ///   - written: the SPEC for each range, without the `#` and number at the end.
  private func pick(
    _ occurrence: Int, of found: [TextRange], _ name: String, written: String,
    in document: ParsedDocument
  ) throws(SelectionError) -> TextRange {
    guard occurrence <= found.count else {
      throw .noSuchOccurrence(
        "there is no #\(occurrence): \(name) occurs \(SelectionError.times(found.count))",
        document.candidates(found) { "\(written)#\($0)" }, count: found.count)
    }
    return found[occurrence - 1]
  }

  /// Returns the number of matches of a quote if case is ignored, counted as the `find` command
  /// does; nil if it isn't larger than `count`.
  private func anyCase(_ count: Int, in document: ParsedDocument) -> Int? {
    guard case .quote(let quote, _) = form else { return nil }
    let all = FoldedWords(document.text.utf16).all(FoldedWords(Array(quote.utf16)).trimmed).count
    return all > count ? all : nil
  }

  /// Returns a phrase that describes how a quote or heading differs from the passage that it was
  /// matched to. Returns nil if they differ only in white space, and for other selections.
  /// O(quote).
  package func difference(from range: TextRange, in document: ParsedDocument) -> String? {
    let passage = document.text.substring(range)
    switch form {
    case .quote(let quote, _):
      return passage.hasSameWords(as: quote)
        ? nil : NearPassage.difference(quote, range, in: document)
    case .span(let first, _, let last):
      for quote in [first, last] where document.occurrences(of: quote).isEmpty {
        guard let range = NearPassage.places(of: quote, in: document).first else { continue }
        return NearPassage.difference(quote, range, in: document)
      }
      return nil
    case .heading(let name), .section(let name):
      guard let heading = document.headings(named: name).first else { return nil }
      let title = document.text.substring(heading.text)
      return title.hasSameWords(as: name)
        ? nil : NearPassage.difference(name, heading.text, in: document)
    default: return nil
    }
  }

  /// Returns the matches of a quote. The array is never empty.
  ///
  /// - Throws: ``SelectionError/misquoted(_:_:_:)`` with the most similar passage;
  ///   ``SelectionError/notFound(_:)`` if no passage is similar.
  private func places(of quote: String, in document: ParsedDocument, otherMarks: Bool = false)
    throws(SelectionError) -> [TextRange]
  {
    var found = document.occurrences(of: quote)
    // The quotation marks around the whole quote may be the user's own.
    let inner = NearPassage.inner(of: quote)
    if found.isEmpty, let inner { found = document.occurrences(of: inner) }
    if found.isEmpty, otherMarks { found = NearPassage.places(of: quote, in: document) }
    guard !found.isEmpty else {
      let message = "'\(inner ?? quote)' is not in the text"
      if let meant = meantSpec(quote, in: document) {
        throw .unquoted(message, meant)
      }
      // Words that begin with a quotation mark are rather a passage than a SPEC.
      let isSpec = problem != nil && inner == nil && !"\"“".contains(quote.first ?? " ")
      if !isSpec, let near = NearPassage(to: quote, in: document) {
        let words = Self.written(near.range, in: document)
        throw .misquoted(message, near, document.candidates([near.range]) { _ in words }[0])
      }
      if inner == nil, let problem {
        throw .notFound("\(message), nor is it a valid SPEC: \(problem)")
      }
      throw .notFound(message)
    }
    guard wholeWords else { return found }
    let whole = found.filter(document.isWholeWords)
    guard !whole.isEmpty else {
      throw .notFound(
        "'\(quote)' occurs \(SelectionError.times(found.count)), but never as whole words")
    }
    return whole
  }

  /// Returns a quote as a SPEC in quotation marks.
  private static func written(_ quote: String) -> String {
    let escaped = quote.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
    return "\"\(escaped)\""
  }

  /// The maximum length of a passage that is offered by its words, in UTF-16 units.
  private static let mostOffered = 60

  /// Returns a short passage as a quote if it occurs once, otherwise as a range of units.
  private static func written(_ range: TextRange, in document: ParsedDocument) -> String {
    let words = document.text.substring(range)
    let isShort = range.utf16.count <= mostOffered && !words.contains(where: \.isNewline)
    return isShort && document.occurrences(of: words) == [range]
      ? written(words) : range.description
  }

  /// Returns the SPEC that the user probably meant by a quote that is not in the text, if only its
  /// quotation marks are missing: `"the cat"#3` for `the cat#3`, or `"one"…"two"` for `one…two`. Nil
  /// if that selects nothing either.
  private func meantSpec(_ quote: String, in document: ParsedDocument) -> SelectionSpec? {
    guard problem == nil else { return nil }
    var meant = ""
    if let parts = quote.wholeMatch(of: #/(.+?)\s*#([0-9]+)/#) {
      meant = "\(Self.written(String(parts.1)))#\(parts.2)"
    } else if let parts = quote.wholeMatch(of: #/(.+?)\s*(?:…|\.\.\.?)\s*(.+)/#) {
      meant = "\(Self.written(String(parts.1)))…\(Self.written(String(parts.2)))"
    }
    guard let spec = try? SelectionSpec(parsing: meant),
      (try? spec.resolve(in: document)) != nil
    else { return nil }
    return spec
  }

  /// Returns the range from the first words to the next occurrence of the last words.
  ///
  /// - Parameter occurrence: the number of the occurrence of the first words.
  /// - Throws: `noSuchOccurrence` if the first words occur less often; `outOfBounds` if the last words
  ///   occur only before the first; `ambiguous` if there are several such ranges; otherwise the errors
  ///   of `places`.
  private func span(
    _ first: String, _ occurrence: Int?, _ last: String, in document: ParsedDocument
  ) throws(SelectionError) -> TextRange {
    var starts = try places(of: first, in: document, otherMarks: allowsOtherMarks)
    if let occurrence {
      starts = [
        try pick(
          occurrence, of: starts, "'\(first)'", written: Self.written(first), in: document)
      ]
    }
    let ends = try places(of: last, in: document, otherMarks: allowsOtherMarks)
    let forward = Self.spans(from: starts, to: ends, isSameQuote: first == last)
    if let only = forward.first, forward.count == 1 { return only }
    if forward.isEmpty {
      throw .outOfBounds("'\(last)' is only before '\(first)'; write \"\(last)\"…\"\(first)\"")
    }
    // Each start before the last end has a range.
    throw document.ambiguous("'\(first)'…'\(last)'", forward) {
      "\(Self.written(first))#\($0)…\(Self.written(last))"
    }
  }

  /// Returns the ranges from each start to the next end that doesn't begin before it. Starts
  /// without an end are omitted. Both collections must be sorted. O(starts + ends).
  ///
  /// - Parameter isSameQuote: whether starts and ends match the same quote. A start is its own end
  ///   only if the quote occurs once.
  static func spans(
    from starts: some Collection<TextRange>, to ends: some RandomAccessCollection<TextRange>,
    isSameQuote: Bool
  ) -> [TextRange] {
    var spans: [TextRange] = []
    var next = ends.startIndex
    for start in starts {
      while next < ends.endIndex, ends[next].lowerBound < start.lowerBound {
        next = ends.index(after: next)
      }
      var end = next
      let isOwnEnd = isSameQuote && ends.count == 1
      if !isOwnEnd, end < ends.endIndex, ends[end] == start { end = ends.index(after: end) }
      guard end < ends.endIndex else { break }
      spans.append(TextRange(start.lowerBound, max(start.upperBound, ends[end].upperBound)))
    }
    return spans
  }

  private func checked(_ units: Range<Int>, in document: ParsedDocument) throws(SelectionError)
    -> TextRange
  {
    let count = document.text.count
    guard units.upperBound <= count else {
      throw .notFound("the text ends at \(count), before \(units.upperBound)")
    }
    let range = TextRange(utf16: units)
    let whole = document.wholeGraphemes(range)
    guard whole == range else {
      throw .outOfBounds("\(range) divides a character; \(whole) does not")
    }
    return range
  }
}

extension ParsedDocument {
  /// Returns the headings with a name, ignoring case. If no heading has it, only letters and digits
  /// are compared, so that an emoji before the words is ignored too.
  fileprivate func headings(named name: String) -> [Block] {
    let all = blocks.filter { if case .heading = $0.kind { true } else { false } }
    for folded in [{ $0.lowercased() }, Self.wordsAlone] as [(String) -> String] {
      // The name may also be written as Markdown, as in the source.
      for name in [name, NearPassage.rendered(name, like: self)] {
        let wanted = folded(name)
        let found = all.filter { folded(text.substring($0.text)) == wanted }
        if !wanted.isEmpty, !found.isEmpty { return found }
      }
    }
    return []
  }

  private static func wordsAlone(_ title: String) -> String {
    title.lowercased().split { !$0.isLetter && !$0.isNumber }.joined(separator: " ")
  }

  /// The maximum number of headings to suggest for an unknown heading.
  private static let offeredHeadings = 3

  /// Returns a phrase with the headings that contain some words. If no heading does, it names the
  /// most similar heading, or else the first ones.
  fileprivate func offer(insteadOfHeading words: String) -> String {
    let all = blocks.compactMap { block -> String? in
      guard case .heading = block.kind, !block.text.isEmpty else { return nil }
      return text.substring(block.text)
    }
    guard !all.isEmpty else { return "the text has no headings" }
    let wanted = words.lowercased()
    var found = all.filter { $0.lowercased().contains(wanted) }
    if found.isEmpty {
      let short = all.filter { abs($0.count - words.count) <= words.count / 3 + 1 }
      found = Spelling.nearest(to: words, among: short).map { [$0] } ?? all
    }
    let shown = found.prefix(Self.offeredHeadings).map { "\"\($0)\"" }
    let others = found.count - shown.count
    return (found.count == 1 ? "there is " : "there are ")
      + (shown + (others > 0 ? ["\(others) more"] : [])).listed
  }

  /// The ranges of the leaf blocks with text, in order.
  package var paragraphs: [TextRange] {
    blocks.filter { $0.firstChild < 0 && !$0.text.isEmpty }.map(\.text)
  }

  /// Returns the exact occurrences of a quote. If there are none, returns the occurrences with
  /// white space folded. Canonically equivalent texts are equal: it doesn't matter whether a letter
  /// and its marks are encoded together or separately. No occurrence divides a grapheme.
  /// O(text × quote) at worst, O(text) in practice.
  public func occurrences(of quote: String) -> [TextRange] {
    let quote = Canonical.normalized(quote)
    let canonical = Canonical.hasOtherForms(quote) ? CanonicalText(text.utf16) : nil
    let units = canonical?.units ?? text.utf16
    func original(_ found: [Range<Int>]) -> [TextRange] {
      Graphemes.whole(found.map { canonical?.original($0) ?? $0 }, in: text.utf16)
        .map { TextRange(utf16: $0) }
    }
    let exact = original(Self.occurrences(of: Array(quote.utf16), in: units))
    if !exact.isEmpty { return exact }
    var folded: [UInt16] = []
    var places: [Int] = []
    for (index, unit) in units.enumerated() {
      let isSpace = unit <= 32 || unit == 0xA0
      if isSpace, folded.last == 32 { continue }
      folded.append(isSpace ? 32 : unit)
      places.append(index)
    }
    let words = quote.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    return original(
      Self.occurrences(of: Array(words.utf16), in: folded).map {
        places[$0.lowerBound]..<places[$0.upperBound - 1] + 1
      })
  }

  private static func occurrences(of quote: [UInt16], in text: [UInt16]) -> [Range<Int>] {
    guard let first = quote.first, quote.count <= text.count else { return [] }
    var found: [Range<Int>] = []
    var index = 0
    text.withUnsafeBufferPointer { text in
      while index + quote.count <= text.count {
        if text[index] == first, (1..<quote.count).allSatisfy({ text[index + $0] == quote[$0] }) {
          found.append(index..<index + quote.count)
        }
        index += 1
      }
    }
    return found
  }

  /// Returns the range widened to whole graphemes.
  package func wholeGraphemes(_ range: TextRange) -> TextRange {
    let start = Graphemes.border(at: range.utf16.lowerBound, orBefore: text.utf16)
    return TextRange(
      utf16: start..<Graphemes.border(at: range.utf16.upperBound, orAfter: text.utf16))
  }

  /// Returns whether neither end of a range is inside a word.
  func isWholeWords(_ range: TextRange) -> Bool {
    // Only 64 units on each side are checked. A longer run without a boundary isn't a word.
    let around = wholeGraphemes(
      TextRange(
        utf16: max(0, range.utf16.lowerBound - 64)..<min(text.count, range.utf16.upperBound + 64)))
    let before = TextRange(around.lowerBound, range.lowerBound)
    let start = text.substring(before).utf8.count
    let length = text.substring(range).utf8.count
    var words = text.substring(around)
    return words.withUTF8 { WordBorder.surrounds(start..<start + length, in: $0) }
  }

  /// The maximum number of candidates in an error.
  private static let shownCandidates = 20

  /// Returns the error for several matching passages, with the first of them.
  ///
  /// - Parameters:
  ///   - anyCase: the number of matches when case is ignored, if it is larger.
  ///   - spec: returns the SPEC of the passage with a number, from 1; nil for its range.
  func ambiguous(
    _ what: String, _ ranges: [TextRange], anyCase: Int? = nil, spec: ((Int) -> String)? = nil
  ) -> SelectionError {
    .ambiguous(what, candidates(ranges, spec: spec), count: ranges.count, anyCase: anyCase)
  }

  /// Returns the first of some passages as candidates for the user to choose from.
  ///
  /// - Parameter spec: returns the SPEC of the passage with a number, from 1; nil for its range.
  func candidates(_ ranges: [TextRange], spec: ((Int) -> String)? = nil) -> [SelectionCandidate] {
    let lines = sourceLines
    let headings = blocks.filter { if case .heading = $0.kind { true } else { false } }
    return ranges.prefix(Self.shownCandidates).enumerated().map { index, range in
      let start = max(0, range.utf16.lowerBound - 24)
      let end = min(text.count, range.utf16.upperBound + 24)
      let around = wholeGraphemes(TextRange(utf16: start..<end))
      let words = text.substring(around).split(whereSeparator: \.isWhitespace)
      let excerpt =
        (around.utf16.lowerBound > 0 ? "…" : "") + words.joined(separator: " ")
        + (around.utf16.upperBound < text.count ? "…" : "")
      return SelectionCandidate(
        ordinal: index + 1, spec: spec?(index + 1) ?? range.description,
        range: range,
        position: lines.position(of: map.sourceOffset(of: range.lowerBound, bias: .trailing)),
        excerpt: excerpt,
        section: headings.last { $0.text.lowerBound <= range.lowerBound }
          .map { text.substring($0.text) })
    }
  }
}

extension String {
  /// Whether two texts are the same, except for white space.
  fileprivate func hasSameWords(as other: String) -> Bool {
    split(whereSeparator: \.isWhitespace) == other.split(whereSeparator: \.isWhitespace)
  }
}
