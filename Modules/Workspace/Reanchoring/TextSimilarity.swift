import Model
import SystemSupport

/// How much of one text stands in another, by its runs of four words.
struct TextSimilarity {
  private let shingles: Set<UInt64>

  /// Takes the text that is compared with others. O(text).
  init(_ text: String) { shingles = Self.shingles(of: text) }

  /// The share of runs that both texts have among those that either has (Jaccard index), 0 … 1.
  func score(_ other: String) -> Double { score(TextSimilarity(other)) }

  /// The same for a text that is compared with several.
  func score(_ other: TextSimilarity) -> Double { measure(other).jaccard }

  /// Whether a score can reach a limit, by the lengths alone.
  func canReach(_ score: Double, with other: TextSimilarity) -> Bool {
    let (a, b) = (shingles.count, other.shingles.count)
    return Double(min(a, b)) >= score * Double(max(a, b))
  }

  /// The same for a text that bears the same name: a file that was moved and then grew still holds
  /// nearly all of the old text (four fifths of its runs count like a score of 0.6).
  func scoreOfNamesake(_ other: String) -> Double { scoreOfNamesake(TextSimilarity(other)) }

  /// The same for a text that is compared with several.
  func scoreOfNamesake(_ other: TextSimilarity) -> Double {
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
    // FNV-1a over the bytes of each word; four words make a run, a shorter text one of all it has.
    var words: [UInt64] = []
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    var isInWord = false
    for byte in text.utf8 {
      if byte <= 32 {
        if isInWord { words.append(hash) }
        (hash, isInWord) = (0xcbf2_9ce4_8422_2325, false)
      } else {
        hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3
        isInWord = true
      }
    }
    if isInWord { words.append(hash) }
    let length = min(4, words.count)
    guard length > 0 else { return [] }
    var runs: Set<UInt64> = []
    for start in 0...words.count - length {
      runs.insert(words[start..<start + length].reduce(0) { ($0 &* 0x9E37_79B9_7F4A_7C15) ^ $1 })
    }
    return runs
  }
}
