extension StringProtocol {
  /// The text on one line. Each run of whitespace and control characters becomes one space, and
  /// there is none at the ends.
  package var oneLine: String {
    split { $0.isWhitespace || $0.unicodeScalars.first?.properties.generalCategory == .control }
      .joined(separator: " ")
  }
}
