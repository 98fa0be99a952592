import Model

/// Places for quotes without the old text and without context: only the words are known, or the
/// words and their position, as in highlights imported from other programs.
extension AnchorContext {
  /// The scores of a quote that occurs verbatim at its stored position: with its whole context, and
  /// without context in the selector.
  private static let onRecord = (inContext: 1.0, alone: 0.97)
  /// The score of the only verbatim occurrence of a quote without context.
  private static let only = 0.96
  /// The scores of the occurrences of a quote without context that occurs several times: of the
  /// occurrence nearest to the old position, and of all others.
  private static let severalNearest = 0.6
  private static let severalOthers = 0.3

  /// The only place of a quote has its full score if at most the share `fewErrors` of the letters
  /// differs, and the minimum accepted score if at most `someErrors` differs. A quote with
  /// differing letters must have at least `lettersOfSure` letters.
  private static let fewErrors = 0.06
  private static let someErrors = 0.1
  private static let lettersOfSure = 16
  /// The minimum difference in the share of errors between the best and the second-best place.
  private static let margin = 0.05

  /// Returns whether the quote is the only evidence: the selector has no context, and the old text
  /// isn't available.
  func isLone(_ subject: AnchorSubject) -> Bool {
    subject.selector.prefix.isEmpty && subject.selector.suffix.isEmpty
      && !isCompared(subject)
  }

  // MARK: - By position

  /// Returns the quote's stored position if the quote and its whole context occur there. This is
  /// the case for nearly all quotes. Nil if they don't, or if stored positions don't apply to this
  /// text. O(quote and context).
  func placeOnRecord(for subject: AnchorSubject) -> Candidate? {
    guard !isCompared(subject), Self.hasPosition(subject.selector),
      isVerbatim(subject.selector), positionsHold
    else { return nil }
    let score = isLone(subject) ? Self.onRecord.alone : Self.onRecord.inContext
    return verified(subject.selector.position.utf16, subject, score: score, isMoved: false)
  }

  /// Returns whether a selector has a position. A selector without a position has the offset 0.
  static func hasPosition(_ selector: Selector) -> Bool {
    selector.position.utf16.lowerBound > 0 || selector.textDigest != nil
  }

  /// Returns whether the quote and its context occur at the stored position.
  func isVerbatim(_ selector: Selector) -> Bool {
    let range = selector.position.utf16
    guard range.count == selector.exact.utf16.count, range.upperBound <= text.units.count,
      text.units[range].elementsEqual(selector.exact.utf16)
    else { return false }
    return Self.begins(
      text.units[..<range.lowerBound].lazy.reversed(), with: selector.prefix.utf16.reversed())
      && Self.begins(text.units[range.upperBound...], with: selector.suffix.utf16)
  }

  /// Returns whether some units begin with others, ignoring blanks. O(number of equal units).
  private static func begins(_ units: some Sequence<UInt16>, with start: some Sequence<UInt16>)
    -> Bool
  {
    var units = units.lazy.filter { !isSpace($0) }.makeIterator()
    return start.lazy.filter { !isSpace($0) }.allSatisfy { $0 == units.next() }
  }

  // MARK: - By the quote alone

  /// Returns the places of a quote without context, best first: its verbatim occurrences. If there
  /// are none, the places where its letters occur.
  func places(ofLone subject: AnchorSubject) -> [Candidate] {
    let query = query(for: subject)
    let near = subject.selector.position.utf16.lowerBound
    let equal = verbatimPlaces(of: query, near: near)
    if equal.count == 1 {
      return candidates([(equal[0], Self.only)], subject)
    }
    if !equal.isEmpty {
      let sorted = equal.sorted { abs($0.lowerBound - near) < abs($1.lowerBound - near) }
      return candidates(
        sorted.enumerated().map { ($1, $0 == 0 ? Self.severalNearest : Self.severalOthers) },
        subject)
    }
    let alike = foldedPlaces(of: subject.selector.exact)
    guard let best = alike.first else { return [] }
    let rival = alike.count > 1 ? alike[1].errors - best.errors : 1
    let letters = FoldedText(Array(subject.selector.exact.utf16)).letters.count
    var score = Self.severalNearest
    if rival >= Self.margin, best.errors == 0 || letters >= Self.lettersOfSure {
      if best.errors <= Self.fewErrors {
        score = Self.only
      } else if best.errors <= Self.someErrors {
        score = Anchorer.sureScore
      }
    }
    return candidates(
      alike.enumerated().map { ($1.range, $0 == 0 ? score : Self.severalOthers) }, subject)
  }

  private func candidates(_ places: [(range: Range<Int>, score: Double)], _ subject: AnchorSubject)
    -> [Candidate]
  {
    var found = places.compactMap {
      verified($0.range, subject, score: $0.score, isMoved: false)
    }
    if found.count > 1 { found[0].runnerUp = found[1].score }
    return found
  }
}
