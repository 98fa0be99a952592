import Model

/// Finds a quote with its context in a text by words alone.
struct QuoteSearch {
  /// A place with what speaks for it.
  struct Finding {
    var range: Range<Int>
    var evidence: Evidence
  }

  private let tokens: [Token]
  private let index: GramIndex

  /// How many surroundings are looked at, and the least that they must have of the best one's votes.
  private static let mostWindows = 5
  private static let leastShare = 0.35
  /// Votes that fall this near each other count for the same place, in tokens.
  private static let bucket = 24
  /// How many more tokens than the query are looked at on each side of a place.
  private static let margin = 40

  /// Indexes a text. O(tokens).
  init(_ tokens: [Token]) {
    self.tokens = tokens
    index = GramIndex(tokens)
  }

  /// The only place at which the quote stands word for word, with all that is known of its context;
  /// nil when there is none or more than one. O(query) expected.
  func undisturbed(_ query: QuoteQuery) -> Range<Int>? {
    // Half a word at a cut end is no evidence.
    let first =
      query.quote.lowerBound > query.firstWhole ? query.firstWhole : query.quote.lowerBound
    let last = query.quote.upperBound < query.endWhole ? query.endWhole : query.quote.upperBound
    let length = last - first
    guard query.isLong(first..<last), tokens.count >= length else { return nil }
    let findings = index.grams(of: query.tokens, in: tokens).filter {
      $0.query >= first && $0.query + GramIndex.gramLength <= last
    }
    guard let rarest = findings.min(by: { $0.places.count < $1.places.count }) else { return nil }
    var found: Int?
    for place in rarest.places {
      let start = Int(place) - (rarest.query - first)
      guard start >= 0, start + length <= tokens.count,
        (0..<length).allSatisfy({ tokens[start + $0].hash == query.tokens[first + $0].hash })
      else { continue }
      if found != nil { return nil }
      found = start
    }
    guard let found else { return nil }
    let offset = found - first
    let firstQuote = query.tokens[query.quote.lowerBound]
    let lastQuote = query.tokens[query.quote.upperBound - 1]
    let start =
      Int(tokens[offset + query.quote.lowerBound].start)
      + max(0, query.units.lowerBound - Int(firstQuote.start))
    let end =
      Int(tokens[offset + query.quote.upperBound - 1].end)
      - max(0, Int(lastQuote.end) - query.units.upperBound)
    return start < end ? start..<end : nil
  }

  /// The places of what is left of the quote where rare words of it and its context stand together.
  func similar(_ query: QuoteQuery) -> [Finding] {
    guard !query.quote.isEmpty else { return [] }
    var findings: [Finding] = []
    for start in windows(for: query) {
      let window =
        max(
          0, start - Self.margin)..<min(
          tokens.count, max(0, start) + query.tokens.count + Self.margin)
      guard !window.isEmpty else { continue }
      let map = TokenMap(passage: query.tokens, Array(tokens[window]))
      guard let placement = Placement(of: query.units, tokens: query.quote, through: map),
        !findings.contains(where: { $0.range == placement.range })
      else { continue }
      findings.append(Finding(range: placement.range, evidence: placement.evidence))
    }
    return findings
  }

  /// The tokens at which the query most likely begins, best first.
  private func windows(for query: QuoteQuery) -> [Int] {
    var findings = index.grams(of: query.tokens, in: tokens)
    if findings.isEmpty { findings = index.words(of: query.tokens, in: tokens) }
    var votes: [Int: Double] = [:]
    for finding in findings {
      let weight =
        (query.quote.contains(finding.query) ? 1.5 : 1) / Double(finding.places.count)
      for place in finding.places {
        let bucket = (Double(Int(place) - finding.query) / Double(Self.bucket)).rounded()
        votes[Int(bucket), default: 0] += weight
      }
    }
    let best = votes.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(Self.mostWindows)
    let least = max(0.5, (best.first?.value ?? 0) * Self.leastShare)
    return best.prefix { $0.value >= least }.map { $0.key * Self.bucket }
  }
}

/// The quote with its context, as tokens.
struct QuoteQuery {
  var tokens: [Token]
  /// The quote's units among those of the context.
  var units: Range<Int>
  /// The tokens that the quote touches.
  var quote: Range<Int>
  /// The tokens that are surely whole: the first and the last of a context may be cut.
  var firstWhole: Int
  var endWhole: Int

  /// Takes a selector apart.
  init(_ selector: Selector, tokenizer: inout Tokenizer) {
    let prefix = Array(selector.prefix.utf16)
    let exact = Array(selector.exact.utf16)
    let units = prefix + exact + Array(selector.suffix.utf16)
    tokens = tokenizer.tokens(of: units, in: units.indices)
    self.units = prefix.count..<prefix.count + exact.count
    quote = tokens.touched(by: self.units)
    firstWhole = prefix.isEmpty ? 0 : min(1, tokens.count)
    endWhole = selector.suffix.isEmpty ? tokens.count : max(0, tokens.count - 1)
  }

  /// Whether a part of it is long enough that nothing else is like it but by being a copy.
  func isLong(_ range: Range<Int>) -> Bool {
    range.count >= 12 && range.reduce(0) { $0 + Int(tokens[$1].weight) } >= 40
  }
}
