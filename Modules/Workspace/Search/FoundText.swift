package import Model

/// Matches in a part of a text, as byte ranges, before any line is copied into a string. The value
/// is valid only during the call to which it is passed.
package struct FoundText {
  package let document: Document
  /// The whole rendered text, in valid UTF-8.
  package let text: UnsafeBufferPointer<UInt8>
  /// The matches in ascending order.
  package let matches: [Match]

  /// A match, in bytes and in UTF-16 units of the text.
  package struct Match {
    /// The bytes of the match, which may extend beyond its line.
    package let range: Range<Int>
    /// The bytes of the line in which the match begins, without the line feed.
    package let line: Range<Int>
    /// The UTF-16 units of the match.
    package let units: TextRange
    /// The UTF-16 units of the match relative to the start of its line, cut off at the end of the
    /// line.
    package let lineUnits: TextRange
    /// The position of the match's start in the Markdown source.
    package let position: LinePosition
  }

  /// Returns the matches at some indexes with their lines as strings. Matches of one line share its
  /// string. O(total length of the lines).
  package func results(_ indexes: Range<Int>) -> [SearchResult.Match] {
    var results: [SearchResult.Match] = []
    results.reserveCapacity(indexes.count)
    var line = (start: -1, text: "")
    for match in matches[indexes] {
      if line.start != match.line.lowerBound {
        let bytes = UnsafeBufferPointer(rebasing: text[match.line])
        line = (match.line.lowerBound, String(decoding: bytes, as: UTF8.self))
      }
      results.append(
        SearchResult.Match(
          place: .text, highlight: nil, range: match.units, position: match.position,
          line: line.text, lineRange: match.lineUnits))
    }
    return results
  }
}

/// Writes the matches in a text as bytes. It is called on the searching threads, so that several
/// documents can be formatted at the same time.
package protocol MatchFormatter: Sendable {
  /// Appends the output for the matches from index `first` on, in order, until `bytes` has at least
  /// `size` bytes.
  ///
  /// - Returns: the index of the first match that was not written, greater than `first`.
  func append(_ found: FoundText, from first: Int, to bytes: inout [UInt8], until size: Int) -> Int
}
