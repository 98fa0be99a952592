extension StringProtocol {
  /// The text in one line: what stands between words, blanks, line ends and control characters, is one
  /// space, and none is at its ends.
  package var oneLine: String {
    split { $0.isWhitespace || $0.unicodeScalars.first?.properties.generalCategory == .control }
      .joined(separator: " ")
  }
}
