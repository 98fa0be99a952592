/// Finds a quote by the words of its line or table cell. Lines are compared by their words, without
/// markup, punctuation and case.
///
/// A line that moved no longer has its neighbours, but it still has all its words.
struct QuotedLines {
  /// A word, with the index of its token.
  private struct Word {
    var hash: UInt64
    var token: Int
  }

  private let tokens: [Token]
  private let words: [Word]
  /// The range of words of each line, and the index of each word's line.
  private let lines: [Range<Int>]
  private let lineOfWord: [Int32]
  /// The indices of the words with each hash, ascending.
  private let places: [UInt64: [Int32]]

  /// The maximum number of occurrences of a quote's rarest word. Quotes without such a rare word
  /// aren't searched for.
  private static let mostPlaces = 64
  /// The minimum share of the line's other words that must have surrounded the quote.
  private static let leastShare = 0.6

  /// Indexes a text. O(tokens).
  init(_ tokens: [Token], of text: [UInt16]) {
    let contents = LineContents(tokens, of: text)
    let words = Self.words(contents, tokens)
    var lines: [Range<Int>] = []
    var lineOfWord: [Int32] = []
    var next = 0
    for line in contents.all {
      let start = next
      while next < words.count, words[next].token < line.tokens.upperBound { next += 1 }
      lineOfWord += repeatElement(Int32(lines.count), count: next - start)
      lines.append(start..<next)
    }
    (self.tokens, self.words, self.lines, self.lineOfWord) = (tokens, words, lines, lineOfWord)
    places = words.indices.reduce(into: [:]) { $0[words[$1].hash, default: []].append(Int32($1)) }
  }

  private static func words(_ contents: LineContents, _ tokens: [Token]) -> [Word] {
    contents.all.flatMap { line in
      line.tokens.filter { tokens[$0].weight > 0 }.map {
        Word(hash: contents.hashOfWord($0), token: $0)
      }
    }
  }

  /// Returns the place of a quote in a line that matches the quote's original line. If the quote's
  /// words occur once, it is that occurrence, provided that most of the line surrounded the quote.
  /// If they occur several times, it is the only occurrence at which the whole line is equal. Nil
  /// in all other cases. O(places · line).
  ///
  /// - Parameter isWhole: whether the whole line must be equal in any case.
  func place(of query: QuoteQuery, isWhole: Bool = false) -> Range<Int>? {
    let contents = LineContents(query.tokens, of: query.text)
    let all = Self.words(contents, query.tokens)
    let quote =
      all.partition {
        $0.token >= query.quote.lowerBound
      }..<all.partition {
        $0.token >= query.quote.upperBound
      }
    let rarest = quote.min { count(all[$0]) < count(all[$1]) }
    guard let rarest, 1...Self.mostPlaces ~= count(all[rarest]) else { return nil }
    let found = places[all[rarest].hash]!.compactMap { place -> Range<Int>? in
      let start = Int(place) - (rarest - quote.lowerBound)
      let isEqual =
        start >= 0 && start + quote.count <= words.count
        && zip(all[quote], words[start...]).allSatisfy { $0.hash == $1.hash }
      return isEqual ? start..<start + quote.count : nil
    }
    let known = query.known
    let before = all[..<quote.lowerBound].filter { known.contains($0.token) }.map(\.hash)
    let after = all[quote.upperBound...].filter { known.contains($0.token) }.map(\.hash)
    var places = found
    if found.count == 1, !isWhole {
      guard isKnown(line(around: found[0]), but: found[0], before, after, Self.leastShare) else {
        return nil
      }
    } else {
      // Only a whole line can be compared, so both ends of the quote's original line must be known.
      let line = contents.all.filter { $0.tokens.overlaps(query.quote) }
      guard let first = line.first?.tokens.lowerBound, let last = line.last?.tokens.upperBound,
        first > known.lowerBound || known.lowerBound == 0, last < known.upperBound
      else { return nil }
      let counts = (
        quote.lowerBound - all.partition { $0.token >= first },
        all.partition { $0.token >= last } - quote.upperBound
      )
      places = found.filter { place in
        let line = self.line(around: place)
        return (place.lowerBound - line.lowerBound, line.upperBound - place.upperBound) == counts
          && isKnown(line, but: place, before, after, 1)
      }
    }
    guard places.count == 1 else { return nil }
    return Int(
      tokens[words[places[0].lowerBound].token].start)..<Int(
        tokens[words[places[0].upperBound - 1].token].end)
  }

  private func count(_ word: Word) -> Int { places[word.hash]?.count ?? 0 }

  /// Returns the words of the lines that contain the words of `place`.
  private func line(around place: Range<Int>) -> Range<Int> {
    let first = lines[Int(lineOfWord[place.lowerBound])]
    let last = lines[Int(lineOfWord[place.upperBound - 1])]
    return first.lowerBound..<last.upperBound
  }

  /// Returns whether at least `share` of the line's other words were at the same positions around
  /// the quote.
  private func isKnown(
    _ line: Range<Int>, but place: Range<Int>, _ before: [UInt64], _ after: [UInt64],
    _ share: Double
  ) -> Bool {
    let left = words[line.lowerBound..<place.lowerBound].map(\.hash)
    let right = words[place.upperBound..<line.upperBound].map(\.hash)
    let equal =
      zip(left.reversed(), before.reversed()).count { $0 == $1 }
      + zip(right, after).count { $0 == $1 }
    return Double(equal) >= share * Double(left.count + right.count)
  }
}
