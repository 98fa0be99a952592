import Model
import SystemSupport

/// Compares texts by their runs of four consecutive words.
///
/// ```swift
/// let similarity = TextSimilarity(oldText)
/// similarity.score(newText)  // 1 for equal texts, 0 for unrelated ones
/// ```
package struct TextSimilarity {
  private let shingles: Set<UInt64>

  /// Computes the runs of a text. O(text).
  package init(_ text: String) { shingles = Self.shingles(of: text) }

  /// Returns the Jaccard index, 0...1: the number of runs in both texts divided by the number of
  /// runs in either.
  func score(_ other: String) -> Double { score(TextSimilarity(other)) }

  /// Returns the Jaccard index, 0...1, with a text whose runs are already computed.
  package func score(_ other: TextSimilarity) -> Double { measure(other).jaccard }

  /// Whether the Jaccard index can reach a value, judging by the numbers of runs alone.
  package func canReach(_ score: Double, with other: TextSimilarity) -> Bool {
    let (a, b) = (shingles.count, other.shingles.count)
    return Double(min(a, b)) >= score * Double(max(a, b))
  }

  /// Returns the similarity, 0...1, to a text in a file of the same name.
  ///
  /// A file that was moved and then extended still contains nearly all of the old text. Four fifths
  /// of its runs count as a score of 0.6.
  package func scoreOfNamesake(_ other: String) -> Double { scoreOfNamesake(TextSimilarity(other)) }

  /// Returns the similarity, 0...1, to a text in a file of the same name, whose runs are already
  /// computed.
  package func scoreOfNamesake(_ other: TextSimilarity) -> Double {
    let (jaccard, containment) = measure(other)
    return max(jaccard, 0.75 * containment)
  }

  private func measure(_ other: TextSimilarity) -> (jaccard: Double, containment: Double) {
    let theirs = other.shingles
    let (few, many) = shingles.count < theirs.count ? (shingles, theirs) : (theirs, shingles)
    let common = Double(few.count { many.contains($0) })
    if common == 0 { return (0, 0) }
    return (
      common / (Double(shingles.count + theirs.count) - common), common / Double(shingles.count)
    )
  }

  private static func shingles(of text: String) -> Set<UInt64> {
    // Four words form a run; a shorter text is a single run.
    var words: [UInt64] = []
    var hash = StableHash()
    var isInWord = false
    for byte in text.utf8 {
      if byte <= 32 {
        if isInWord { words.append(hash.value) }
        (hash, isInWord) = (StableHash(), false)
      } else {
        hash.add(byte)
        isInWord = true
      }
    }
    if isInWord { words.append(hash.value) }
    let length = min(4, words.count)
    guard length > 0 else { return [] }
    var runs: Set<UInt64> = []
    for start in 0...words.count - length {
      runs.insert(words[start..<start + length].reduce(0) { ($0 &* 0x9E37_79B9_7F4A_7C15) ^ $1 })
    }
    return runs
  }
}
