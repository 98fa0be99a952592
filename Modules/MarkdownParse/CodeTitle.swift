package import Model

extension ParsedDocument {
  /// The title of a block of code, which its info string says where the dialect knows one:
  /// `title="main.js"`, `filename="main.js"`. O(info string).
  package func codeTitle(in info: SourceRange) -> String? {
    guard options.codeTitles else { return nil }
    return source.bytes.withUnsafeBufferPointer { bytes in
      // The first word is a language, and as good as a tag's name.
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
