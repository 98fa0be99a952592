package import Model

/// The matches in a part of one text as bytes of it, before a string is made of any line. It is valid
/// only during the call that it is given to.
package struct FoundText {
  /// The document whose rendered text it is.
  package let document: Document
  /// All of the text, in valid UTF-8.
  package let text: UnsafeBufferPointer<UInt8>
  /// The matches in order.
  package let matches: [Match]

  /// A match in bytes of the text and in UTF-16 units.
  package struct Match {
    /// The bytes of the match, which may go beyond its line.
    package let range: Range<Int>
    /// The bytes of the line that contains its start, without the line feed.
    package let line: Range<Int>
    /// The units of the match.
    package let units: TextRange
    /// The units of the match inside its line; cut at its end.
    package let lineUnits: TextRange
    /// The place in the source.
    package let position: LinePosition
  }

  /// Matches with the lines around them as strings, of which those of one line share one. O(lines).
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

/// Writes the matches of a text as bytes. It is called on the threads that search, so that several
/// documents are written at once.
package protocol MatchFormatter: Sendable {
  /// Appends the output for the matches from an index on, in order, until `bytes` has a size.
  ///
  /// - Returns: the index of the first match that was not written, greater than `first`.
  func append(_ found: FoundText, from first: Int, to bytes: inout [UInt8], until size: Int) -> Int
}
