extension String {
  /// Returns the text in the case of other words: all capitals, an initial capital, or lower case.
  /// Returns it unchanged if the words mix cases in another way or contain no letters.
  package func withCase(of words: String) -> String {
    let letters = words.filter(\.isCased)
    guard let first = letters.first else { return self }
    let hasUpper = letters.contains(where: \.isUppercase)
    let hasLower = letters.contains(where: \.isLowercase)
    switch (hasUpper, hasLower) {
    case (true, false) where letters.count > 1: return uppercased()
    case (false, true): return lowercased()
    case (true, _) where first.isUppercase && !letters.dropFirst().contains(where: \.isUppercase):
      guard let index = firstIndex(where: \.isCased) else { return self }
      return self[..<index] + self[index].uppercased() + self[self.index(after: index)...]
    default: return self
    }
  }
}
