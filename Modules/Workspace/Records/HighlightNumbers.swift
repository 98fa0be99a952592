/// Several numbers of highlights in one word, such as `4-6`, `4..6` or `4,8`. Commands expect them
/// in separate words.
package struct HighlightNumbers: Hashable, Sendable {
  /// The numbers, one a word: `4`, `5`, `6`.
  package var words: [String]

  /// The maximum count of numbers in a word that is understood.
  private static let limit = 20

  /// Parses a word. Returns nil if it isn't several numbers, or too many.
  package init?(_ word: String) {
    guard word.utf8.count <= 200 else { return nil }
    let listed = word.split(separator: ",", omittingEmptySubsequences: false)
    var numbers: [Int] = []
    for part in listed {
      guard let range = Self.range(part), range.count <= Self.limit else { return nil }
      numbers += range
    }
    guard (2...Self.limit).contains(numbers.count) else { return nil }
    words = numbers.map(String.init)
  }

  /// Parses `4`, `4-6`, `4–6` or `4..6`.
  private static func range(_ part: Substring) -> ClosedRange<Int>? {
    func number(_ text: Substring) -> Int? {
      guard text.utf8.allSatisfy({ (48...57).contains($0) }), let value = Int(text) else {
        return nil
      }
      return value > 0 ? value : nil
    }
    if let one = number(part) { return one...one }
    for separator in ["..", "-", "–", "…"] {
      guard let found = part.firstRange(of: separator) else { continue }
      guard let first = number(part[..<found.lowerBound]),
        let last = number(part[found.upperBound...]), first <= last
      else { return nil }
      return first...last
    }
    return nil
  }
}
