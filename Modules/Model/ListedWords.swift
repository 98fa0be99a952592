extension Collection<String> {
  /// The words as in a sentence: `a, b and c`; empty if there are none.
  package var listed: String {
    let words = Array(self)
    guard let last = words.last, words.count > 1 else { return words.first ?? "" }
    return words.dropLast().joined(separator: ", ") + " and " + last
  }
}
