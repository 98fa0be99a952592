import Model

/// Quotes of which nothing is known but themselves, or besides them only where they stood: as other
/// programs give them.
extension AnchorContext {
  /// The confidence in a quote that stands word for word at its position: in its whole context, and
  /// without any.
  private static let onRecord = (inContext: 1.0, alone: 0.97)
  /// The confidence in the only place of a quote without context.
  private static let only = 0.96
  /// The confidence in the one that is nearest to the old position of several equal places, and in
  /// the others.
  private static let severalNearest = 0.6
  private static let severalOthers = 0.3

  /// Up to which share of letters that differ the only place is relied upon, with quotes of at least
  /// so many letters.
  private static let fewErrors = 0.06
  private static let someErrors = 0.1
  private static let lettersOfSure = 16
  /// The least difference from the next-best place.
  private static let margin = 0.05

  /// Whether nothing but the quote speaks for a place.
  func isLone(_ subject: AnchorSubject) -> Bool {
    subject.selector.prefix.isEmpty && subject.selector.suffix.isEmpty
      && (subject.last == nil || snapshot == nil)
  }

  // MARK: - By position

  /// The quote's own position, when it stands there in its whole context and the text is plainly the
  /// one that positions are of: nearly all quotes stand at theirs. O(quote and context).
  func placeOnRecord(for subject: AnchorSubject) -> Candidate? {
    guard subject.last == nil || snapshot == nil, Self.hasPosition(subject.selector),
      stands(subject.selector), positionsHold
    else { return nil }
    let score = isLone(subject) ? Self.onRecord.alone : Self.onRecord.inContext
    return verified(subject.selector.position.utf16, subject, score: score, isMoved: false)
  }

  /// Whether a selector tells a position; the start of the text is what stands there for none.
  static func hasPosition(_ selector: Selector) -> Bool {
    selector.position.utf16.lowerBound > 0 || selector.textDigest != nil
  }

  /// Whether the quote stands at its position, and around it its context, whatever blanks are in that.
  func stands(_ selector: Selector) -> Bool {
    let range = selector.position.utf16
    guard range.count == selector.exact.utf16.count, range.upperBound <= text.units.count,
      text.units[range].elementsEqual(selector.exact.utf16)
    else { return false }
    return Self.begins(
      text.units[..<range.lowerBound].lazy.reversed(), with: selector.prefix.utf16.reversed())
      && Self.begins(text.units[range.upperBound...], with: selector.suffix.utf16)
  }

  /// Whether some units begin with others, apart from blanks. O(units that are equal).
  private static func begins(_ units: some Sequence<UInt16>, with start: some Sequence<UInt16>)
    -> Bool
  {
    var units = units.lazy.filter { !isSpace($0) }.makeIterator()
    return start.lazy.filter { !isSpace($0) }.allSatisfy { $0 == units.next() }
  }

  // MARK: - By the quote alone

  /// The places of a quote without context, best first: where it stands word for word, or, when it
  /// does so nowhere, where its letters do.
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
