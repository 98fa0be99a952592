public import Model

/// A way to look through texts.
public protocol SearchStrategy: Strategy where Example == SearchExample {
  /// Makes ready to look for a query in any number of texts.
  ///
  /// - Throws: `PatternError` when the query is none for this strategy.
  func searcher(for query: SearchQuery) throws(PatternError) -> any TextSearcher
}

/// A query made ready. It keeps no state, so that several threads may search with it at once.
public protocol TextSearcher: Sendable {
  /// What a text must hold to be worth looking through.
  var filter: TextFilter { get }
  /// The most bytes that decide about a match, itself included; nil when only the whole text does.
  var reach: Int? { get }
  /// Looks through UTF-8.
  ///
  /// - Parameters:
  ///   - text: valid UTF-8.
  ///   - start: where to begin; what stands before it may still decide about a word's border.
  ///   - watch: is asked now and then whether to go on.
  ///   - found: is given the bytes of each match, in order, never empty and without overlaps;
  ///     false ends the search.
  func search(
    _ text: UnsafeBufferPointer<UInt8>, from start: Int, watch: SearchWatch,
    found: (Range<Int>) -> Bool
  ) -> SearchOutcome
}

extension TextSearcher {
  /// Only the whole text, unless a searcher knows better.
  public var reach: Int? { nil }
}

/// Says when to stop.
public struct SearchWatch: Sendable {
  /// When the search times out; nil for never.
  package var deadline: ContinuousClock.Instant?
  /// Whether nobody wants the result any more.
  package var isCancelled: @Sendable () -> Bool

  /// Never stops unless something else is said.
  public init(
    deadline: ContinuousClock.Instant? = nil,
    isCancelled: @escaping @Sendable () -> Bool = { false }
  ) {
    self.deadline = deadline
    self.isCancelled = isCancelled
  }

  /// Why to stop now; nil to go on.
  public var reasonToStop: SearchOutcome? {
    if isCancelled() { return .cancelled }
    if let deadline, ContinuousClock.now >= deadline { return .timedOut }
    return nil
  }
}

extension SearchStrategy {
  /// Looks for a query in UTF-16 units.
  ///
  /// - Parameter found: is given each match; false ends the search.
  /// - Throws: `PatternError` when the query is none for this strategy.
  public func search(_ query: SearchQuery, in text: [UInt16], found: (Match) -> Bool)
    throws(PatternError) -> SearchOutcome
  {
    let utf8 = Array(String(decoding: text, as: UTF16.self).utf8)
    return try searcher(for: query).search(utf8, found: found)
  }

  /// All matches.
  public func matches(_ query: SearchQuery, in text: [UInt16]) throws(PatternError) -> [Match] {
    var matches: [Match] = []
    _ = try search(query, in: text) {
      matches.append($0)
      return true
    }
    return matches
  }
}

extension TextSearcher {
  /// Looks through UTF-8 and gives matches in UTF-16 units.
  public func search(
    _ utf8: [UInt8], watch: SearchWatch = SearchWatch(), found: (Match) -> Bool
  ) -> SearchOutcome {
    utf8.withUnsafeBufferPointer { bytes in
      var units = UnitCounter()
      return search(bytes, from: 0, watch: watch) { range in
        found(Match(range: units.range(range, in: bytes)))
      }
    }
  }
}

extension Registry where Element == any SearchStrategy {
  /// Appends a strategy.
  package mutating func register<S: SearchStrategy>(_ strategy: S) {
    register(strategy, as: S.self)
  }
}

/// An example of what a search strategy finds.
public struct SearchExample: Sendable {
  /// What it shows.
  public var title: String
  /// The query.
  public var query: String
  /// The text with all matches between `«` and `»`.
  public var text: String
  /// Whether only whole words count.
  package var wholeWords: Bool
  /// Whether diacritics are left out of account.
  package var ignoresDiacritics: Bool

  /// Makes an example of its parts.
  public init(
    _ title: String, query: String, text: String, wholeWords: Bool = false,
    ignoresDiacritics: Bool = false
  ) {
    self.title = title
    self.query = query
    self.text = text
    self.wholeWords = wholeWords
    self.ignoresDiacritics = ignoresDiacritics
  }
}

/// Turns places in UTF-8 into places in UTF-16, going forward through one text.
public struct UnitCounter: Sendable {
  private var byte = 0
  private var unit = 0

  /// Starts at the beginning of a text.
  public init() {}

  /// The UTF-16 units before a byte, which must not lie before the last one asked for.
  /// O(bytes between the two).
  public mutating func units(before target: Int, in text: UnsafeBufferPointer<UInt8>) -> Int {
    precondition(target >= byte && target <= text.count, "places come in order")
    guard let base = text.baseAddress else { return 0 }
    let bytes = UnsafeRawPointer(base)
    var count = 0
    var index = byte
    let tops: UInt64 = 0x8080_8080_8080_8080
    while index < target {
      // Each byte of ASCII is a unit: 32 at a time, then eight, then the rest.
      if index + 32 <= target {
        let words = bytes.loadUnaligned(fromByteOffset: index, as: SIMD4<UInt64>.self)
        if ((words[0] | words[1]) | (words[2] | words[3])) & tops == 0 {
          count += 32
          index += 32
          continue
        }
      }
      if index + 8 <= target {
        if bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self) & tops == 0 {
          count += 8
          index += 8
          continue
        }
      } else if target >= 8 {
        let word = bytes.loadUnaligned(fromByteOffset: target - 8, as: UInt64.self)
        let left = target - index
        if UInt64(littleEndian: word) & (tops << UInt64(64 - 8 * left)) == 0 {
          count += left
          break
        }
      }
      // A unit for each byte that begins a character, one more for those beyond the first plane.
      let value = base[index]
      count += (value & 0xC0 != 0x80 ? 1 : 0) + (value >= 0xF0 ? 1 : 0)
      index += 1
    }
    (byte, unit) = (target, unit + count)
    return unit
  }

  /// A range of bytes in UTF-16 units.
  public mutating func range(_ range: Range<Int>, in text: UnsafeBufferPointer<UInt8>) -> TextRange
  {
    let start = units(before: range.lowerBound, in: text)
    return TextRange(utf16: start..<units(before: range.upperBound, in: text))
  }
}
