public import Model

/// A plugin that searches texts.
public protocol SearchStrategy: Strategy where Example == SearchExample {
  /// Prepares a query, to search any number of texts.
  ///
  /// - Throws: ``PatternError`` if the strategy doesn't accept the query.
  func searcher(for query: SearchQuery) throws(PatternError) -> any TextSearcher
}

/// A prepared query. It is stateless, so several threads may search with it at once.
public protocol TextSearcher: Sendable {
  /// A condition that every text with a match meets.
  var filter: TextFilter { get }
  /// The maximum number of bytes that affect a match, including the match; nil if the whole text
  /// may affect it.
  var reach: Int? { get }
  /// Searches UTF-8 text.
  ///
  /// - Parameters:
  ///   - text: valid UTF-8.
  ///   - start: the offset at which the search begins. Text before it may still affect word
  ///     boundaries.
  ///   - watch: checked regularly to determine whether to continue.
  ///   - found: called with the range of each match in bytes. Matches must be in order, not empty
  ///     and disjoint. Returns false to end the search.
  func search(
    _ text: UnsafeBufferPointer<UInt8>, from start: Int, watch: SearchWatch,
    found: (Range<Int>) -> Bool
  ) -> SearchOutcome
}

extension TextSearcher {
  /// The default: the whole text may affect a match.
  public var reach: Int? { nil }
}

/// The conditions under which a search stops early.
public struct SearchWatch: Sendable {
  /// The time at which the search times out; nil for no limit.
  package var deadline: ContinuousClock.Instant?
  /// Returns whether the result is no longer needed.
  package var isCancelled: @Sendable () -> Bool

  /// Creates a watch. By default, the search never stops early.
  public init(
    deadline: ContinuousClock.Instant? = nil,
    isCancelled: @escaping @Sendable () -> Bool = { false }
  ) {
    self.deadline = deadline
    self.isCancelled = isCancelled
  }

  /// The reason to stop now; nil to continue.
  public var reasonToStop: SearchOutcome? {
    if isCancelled() { return .cancelled }
    if let deadline, ContinuousClock.now >= deadline { return .timedOut }
    return nil
  }
}

extension SearchStrategy {
  /// Searches UTF-16 text.
  ///
  /// - Parameter found: called for each match; returns false to end the search.
  /// - Throws: ``PatternError`` if the strategy doesn't accept the query.
  public func search(_ query: SearchQuery, in text: [UInt16], found: (Match) -> Bool)
    throws(PatternError) -> SearchOutcome
  {
    let utf8 = Array(String(units: text).utf8)
    return try searcher(for: query).search(utf8, found: found)
  }

  /// Returns all matches. Throws ``PatternError`` if the strategy doesn't accept the query.
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
  /// Searches UTF-8 text, and reports matches in UTF-16 units.
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
  /// Appends a strategy. Traps if its id is already registered.
  package mutating func register<S: SearchStrategy>(_ strategy: S) {
    register(strategy, as: S.self)
  }
}

/// A test case for a search strategy, which is also an example in its documentation.
public struct SearchExample: Sendable {
  /// A title for the example.
  public var title: String
  /// The query, in the syntax of the strategy.
  public var query: String
  /// The text, with all expected matches between `«` and `»`.
  public var text: String
  /// Whether only whole words match.
  package var wholeWords: Bool
  /// Whether diacritics are ignored.
  package var ignoresDiacritics: Bool

  /// Creates an example. `text` must mark all matches.
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

/// Converts UTF-8 offsets to UTF-16 offsets, forwards through one text.
public struct UnitCounter: Sendable {
  private var byte = 0
  private var unit = 0

  /// Creates a counter at the start of a text.
  public init() {}

  /// Returns the number of UTF-16 units before a byte. The byte must not be before the one of the
  /// previous call. O(bytes since the previous call).
  public mutating func units(before target: Int, in text: UnsafeBufferPointer<UInt8>) -> Int {
    precondition(target >= byte && target <= text.count, "places come in order")
    guard let base = text.baseAddress else { return 0 }
    let bytes = UnsafeRawPointer(base)
    var count = 0
    var index = byte
    let tops: UInt64 = 0x8080_8080_8080_8080
    while index < target {
      // Each ASCII byte is one unit. They are counted 32 at a time, then eight, then singly.
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
      // One unit for each byte that begins a character, and another one for characters beyond the
      // first plane.
      let value = base[index]
      count += (value & 0xC0 != 0x80 ? 1 : 0) + (value >= 0xF0 ? 1 : 0)
      index += 1
    }
    (byte, unit) = (target, unit + count)
    return unit
  }

  /// Converts a range of bytes to UTF-16 units.
  public mutating func range(_ range: Range<Int>, in text: UnsafeBufferPointer<UInt8>) -> TextRange
  {
    let start = units(before: range.lowerBound, in: text)
    return TextRange(utf16: start..<units(before: range.upperBound, in: text))
  }
}
