extension StringProtocol {
  /// A line of text that Markdown shows as it is: what would begin or end something has a backslash.
  public var escapedForMarkdown: String {
    var result = ""
    let number = prefix { $0.isASCII && $0.isNumber }
    for (index, character) in zip(indices, self) {
      // A list begins at the start of a line alone.
      let beginsList =
        index == startIndex && "-+".contains(character)
        || !number.isEmpty && index == number.endIndex && ".)".contains(character)
      if beginsList || "\\`*_[]<>#|~=$".contains(character) { result.append("\\") }
      result.append(character)
    }
    return result
  }
}
