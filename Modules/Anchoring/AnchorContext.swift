public import Model

/// What all highlights of one document share while they are looked for: the two texts, and what
/// strategies compute from them, each once and only when it is asked for.
///
/// Used by one thread; not `Sendable`.
public final class AnchorContext {
  /// The text in which the highlights last stood; nil when it is not known.
  public let snapshot: AnchorText?
  /// The text in which they are looked for.
  public let text: AnchorText
  /// The edits that led from the snapshot to the text, when Diple made them itself.
  public let edits: [TextEdit]?

  /// Makes the context of a document.
  public init(snapshot: AnchorText?, text: AnchorText, edits: [TextEdit]? = nil) {
    self.snapshot = snapshot
    self.text = text
    self.edits = edits
  }

  private lazy var textTokens = Tokenizer.tokens(of: text.units[...])
  private lazy var grams = GramIndex(textTokens)

  private lazy var map: TokenMap? = {
    guard let snapshot else { return nil }
    var map = TokenMap(Tokenizer.tokens(of: snapshot.units[...]), textTokens)
    map.findMoves()
    return map
  }()

  /// How much of the quote's length, in units, makes it long enough to be told from a look-alike
  /// when its own place in the old text is known to be gone.
  private static let tellingLength = 20

  // MARK: - With the old text

  /// Where the snapshot's comparison with the text puts a passage. O(log tokens + passage) after
  /// the first call.
  public func candidateFromSnapshot(for subject: AnchorSubject) -> Candidate? {
    guard let snapshot, let last = subject.last?.utf16, last.upperBound <= snapshot.units.count
    else { return nil }
    if snapshot == text { return verified(last, subject, score: 1, isMoved: false) }
    guard let map, let placement = Placement(of: last, through: map) else { return nil }
    let old = snapshot.units[last]
    let isEqual = Self.equalIgnoringSpace(old, text.units[placement.range])
    let score = Confidence.fromSnapshot(placement, length: old.count, isEqual: isEqual)
    return verified(placement.range, subject, score: score, isMoved: placement.isMoved)
  }

  // MARK: - With the quote alone

  /// The places at which the quote stands word for word.
  public func occurrences(of subject: AnchorSubject, limit: Int) -> [TextRange] {
    let quote = Array(subject.selector.exact.utf16)
    guard !quote.isEmpty, quote.count <= text.units.count else { return [] }
    var found: [TextRange] = []
    text.units.withUnsafeBufferPointer { units in
      var index = 0
      let last = units.count - quote.count
      while index <= last, found.count < limit {
        if units[index] == quote[0],
          (1..<quote.count).allSatisfy({ units[index + $0] == quote[$0] })
        {
          found.append(TextRange(utf16: index..<index + quote.count))
        }
        index += 1
      }
    }
    return found
  }

  /// The quote with its context, as tokens.
  private struct Query {
    var tokens: [Token]
    var quote: Range<Int>
    var length: Int
    /// The tokens of the quote itself.
    var quoteTokens: Range<Int>

    init(_ selector: Selector) {
      let prefix = Array(selector.prefix.utf16)
      let exact = Array(selector.exact.utf16)
      let units = prefix + exact + Array(selector.suffix.utf16)
      tokens = Tokenizer.tokens(of: units[...])
      quote = prefix.count..<prefix.count + exact.count
      length = exact.count
      let first = tokens.firstIndex { Int($0.end) > prefix.count } ?? tokens.count
      let end = tokens.firstIndex { Int($0.start) >= prefix.count + exact.count } ?? tokens.count
      quoteTokens = first..<max(first, end)
    }
  }

  /// The best places for the quote among the surroundings of some places of the text, best first.
  public func candidates(for subject: AnchorSubject, near places: [TextRange]) -> [Candidate] {
    let query = Query(subject.selector)
    let windows = places.map { place -> Range<Int> in
      let start = tokenIndex(at: place.utf16.lowerBound) - query.quoteTokens.lowerBound - 40
      return max(0, start)..<min(textTokens.count, start + query.tokens.count + 80)
    }
    return ranked(subject, query, windows)
  }

  /// The best places for the quote where rare words of it and its context stand together, best
  /// first.
  public func similarPlaces(for subject: AnchorSubject) -> [Candidate] {
    let query = Query(subject.selector)
    guard query.tokens.count <= 4_096 else { return [] }
    let windows = grams.windows(for: query.tokens, quote: query.quoteTokens).map { start in
      max(0, start - 40)..<min(textTokens.count, max(0, start) + query.tokens.count + 40)
    }
    return ranked(subject, query, windows)
  }

  private func ranked(_ subject: AnchorSubject, _ query: Query, _ windows: [Range<Int>])
    -> [Candidate]
  {
    var found: [(rank: Double, candidate: Candidate)] = []
    for window in windows where !window.isEmpty {
      let map = TokenMap(query.tokens, Array(textTokens[window]))
      guard let placement = Placement(of: query.quote, through: map) else { continue }
      guard isFree(placement.range, subject) else { continue }
      let isEqual = Self.equalIgnoringSpace(
        Array(subject.selector.exact.utf16)[...], text.units[placement.range])
      let score = Confidence.fromQuote(placement, length: query.length, isEqual: isEqual)
      guard
        let candidate = verified(placement.range, subject, score: score, isMoved: false)
      else { continue }
      let distance = abs(
        placement.range.lowerBound - subject.selector.position.utf16.lowerBound)
      let nearness = 1 - min(1, Double(distance) / Double(max(1, text.units.count)))
      let rank =
        2 * placement.survival + 1.6 * placement.context + 0.15 * nearness
        - 0.1 * max(0, placement.spread - 1)
      found.append((rank, candidate))
    }
    found.sort { $0.rank > $1.rank }
    guard var best = found.first?.candidate else { return [] }
    let other = found.first { !$0.candidate.range.overlaps(best.range) }
    best.runnerUp = other?.candidate.score ?? 0
    // Two places as good as each other: neither may be called sure.
    if let other, let first = found.first, first.rank - other.rank < 0.02 {
      best.score = min(best.score, 0.6)
    }
    return [best]
      + found.dropFirst().map(\.candidate).filter { !$0.range.overlaps(best.range) }
  }

  /// Whether a place may be the highlight's though the old text says that it is gone: only when the
  /// quote is long enough to be telling, and when most of the place came from nowhere else in the
  /// old text. This keeps a deleted passage from coming back at a look-alike.
  private func isFree(_ range: Range<Int>, _ subject: AnchorSubject) -> Bool {
    guard subject.last != nil, let map else { return true }
    let quote = subject.selector.exact
    let words = Tokenizer.tokens(of: Array(quote.utf16)[...]).count { $0.weight > 0 }
    guard quote.utf16.count >= Self.tellingLength, words >= 3 else { return false }
    let first = tokenIndex(at: range.lowerBound)
    let end = max(first + 1, tokenIndex(at: range.upperBound))
    let inside = first..<min(end, textTokens.count)
    let claimed = inside.count { map.isClaimed[$0] }
    return Double(claimed) <= 0.4 * Double(inside.count)
  }

  // MARK: - Verification

  /// A candidate for a place, with its borders on graphemes and its state by a comparison with the
  /// quote; nil for a place that holds nothing.
  public func verified(
    _ range: Range<Int>, _ subject: AnchorSubject, score: Double, isMoved: Bool
  ) -> Candidate? {
    let whole = wholeGraphemes(range)
    guard !whole.isEmpty else { return nil }
    let quote = Array(subject.selector.exact.utf16)
    let isEqual = Self.equalIgnoringSpace(quote[...], text.units[whole])
    let state: AnchorState = isEqual ? (isMoved ? .moved : .exact) : .edited
    return Candidate(range: TextRange(utf16: whole), score: score, state: state)
  }

  /// The range without half characters at its ends: it grows to the borders of graphemes.
  private func wholeGraphemes(_ range: Range<Int>) -> Range<Int> {
    let units = text.units
    guard range.upperBound <= units.count, !range.isEmpty else { return range.clamped(to: 0..<0) }
    let start = graphemeBorder(range.lowerBound, forward: false)
    return start..<graphemeBorder(range.upperBound, forward: true)
  }

  private func graphemeBorder(_ offset: Int, forward: Bool) -> Int {
    guard offset > 0, offset < text.units.count else { return offset }
    // Between ASCII characters there is a border, except inside CR LF.
    if text.units[offset] < 0x80, text.units[offset] != 10 { return offset }
    let start = max(0, offset - 32)
    let near = text.string(start..<min(text.units.count, offset + 32))
    var position = start
    for character in near {
      let next = position + character.utf16.count
      if position == offset { return offset }
      if position < offset, offset < next { return forward ? next : position }
      position = next
    }
    return offset
  }

  private func tokenIndex(at unit: Int) -> Int {
    var low = 0
    var high = textTokens.count
    while low < high {
      let middle = (low + high) / 2
      if Int(textTokens[middle].end) > unit { high = middle } else { low = middle + 1 }
    }
    return low
  }

  /// Whether two texts differ in nothing but white space.
  static func equalIgnoringSpace(_ a: ArraySlice<UInt16>, _ b: ArraySlice<UInt16>) -> Bool {
    if a.elementsEqual(b) { return true }
    let isSpace: (UInt16) -> Bool = { $0 <= 32 || $0 == 0xA0 }
    return a.lazy.filter { !isSpace($0) }.elementsEqual(b.lazy.filter { !isSpace($0) })
  }
}
