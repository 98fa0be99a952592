package import Model

extension ParsedDocument {
  /// Returns the title of a code block from its info string, such as `title="main.js"` or
  /// `filename="main.js"`; nil if not found or the dialect has no code titles. O(info string).
  package func codeTitle(in info: SourceRange) -> String? {
    guard options.codeTitles else { return nil }
    return source.bytes.withUnsafeBufferPointer { bytes in
      // The first word is the language. The scanner skips it like the name of a tag.
      let tag = info.bytes.lowerBound..<info.bytes.upperBound + 1
      for name in ["title", "filename"] as [StaticString] {
        if let value = HTMLTokens.attribute(name, in: tag, of: bytes), !value.isEmpty {
          return String(decoding: bytes[value], as: UTF8.self)
        }
      }
      return nil
    }
  }
}
