/// Suggests words for misspelt ones.
package enum Spelling {
  /// Returns the question that suggests the nearest candidate, such as `did you mean 'red'?`; nil
  /// if no candidate is similar.
  ///
  /// - Parameter written: returns a candidate as the user types it.
  package static func suggestion(
    for word: String, among candidates: [String], written: (String) -> String = { $0 }
  ) -> String? {
    nearest(to: word, among: candidates).map { question(written($0)) }
  }

  /// Returns the question that suggests a name.
  package static func question(_ name: String) -> String { "did you mean '\(name)'?" }

  /// Returns the candidate that differs least from `word`; otherwise the shortest candidate that it
  /// abbreviates, such as `markdown` for `md`; otherwise the longest abbreviation of it, such as
  /// `md` for `markdwn`, which consists of at most three letters. Nil if no candidate is similar.
  /// Of equal candidates the first is returned. O(candidates × length²).
  package static func nearest(to word: String, among candidates: [String]) -> String? {
    let letters = Array(word)
    let similar = candidates.lazy
      .compactMap { candidate in
        difference(of: letters, from: Array(candidate)).map { (candidate, $0) }
      }
      .min { $0.1 < $1.1 }?.0
    return similar
      ?? candidates.filter { isAbbreviation(letters, of: $0) }.min { $0.count < $1.count }
      ?? candidates.filter {
        $0.count <= 3 && $0.allSatisfy(\.isLetter) && isAbbreviation(Array($0), of: word)
      }
      .min { $0.count > $1.count }
  }

  /// Returns whether a word consists of the first and some later letters of a longer one, and of at
  /// least a quarter of them. Names of several words have no abbreviations.
  private static func isAbbreviation(_ word: [Character], of other: String) -> Bool {
    guard word.count >= 2, other.count <= 4 * word.count, word.first == other.first,
      !other.contains(where: \.isWhitespace)
    else { return false }
    var rest = word[...]
    for letter in other where letter == rest.first { rest.removeFirst() }
    return rest.isEmpty
  }

  /// Returns the number of edits up to which a word of some length counts as similar.
  package static func mostEdits(_ length: Int) -> Int { max(1, length / 3) }

  /// Returns a measure of how much two words differ: twice the number of edits, minus one if both
  /// consist of the same letters, because exchanged letters are the most frequent mistake. It is 0
  /// for equal words, and nil for words that are not similar. O(length²).
  package static func difference(of word: [Character], from other: [Character]) -> Int? {
    let limit = mostEdits(word.count)
    guard abs(word.count - other.count) <= limit else { return nil }
    let edits = distance(word, other)
    guard edits > 0 else { return 0 }
    guard edits <= limit else { return nil }
    return 2 * edits - (word.sorted() == other.sorted() ? 1 : 0)
  }

  /// Returns the Damerau–Levenshtein distance in its restricted form (optimal string alignment):
  /// the number of letters to insert, delete or replace, and of neighbours to exchange.
  private static func distance(_ a: [Character], _ b: [Character]) -> Int {
    var rows = [Array(0...b.count)]
    for (i, x) in a.enumerated() {
      var row = [i + 1]
      for (j, y) in b.enumerated() {
        var best = min(rows[i][j] + (x == y ? 0 : 1), rows[i][j + 1] + 1, row[j] + 1)
        if i > 0, j > 0, x == b[j - 1], a[i - 1] == y { best = min(best, rows[i - 1][j - 1] + 1) }
        row.append(best)
      }
      rows.append(row)
    }
    return rows[a.count][b.count]
  }
}
