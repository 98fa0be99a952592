import CICU
public import Model

/// Divides words by ICU: the rules of Unicode's Annex 29, and dictionaries for scripts that write
/// no blanks between words (Chinese, Japanese, Thai, Lao, Khmer, Burmese). Emoji count as words,
/// because people select them like words. Sentences are those of `PropertySegmenter`.
public struct DictionarySegmenter: TextSegmenter {
  /// Makes the segmenter.
  public init() {}

  /// The words in order. O(text); about 32 ms a million units.
  public func words(in text: [UInt16]) -> [TextRange] {
    // Positions are 32-bit in ICU, and no text is that long.
    precondition(text.count < Int32.max)
    var words: [TextRange] = []
    text.withUnsafeBufferPointer { units in
      guard let iterator = icu_words_open(units.baseAddress, Int32(units.count)) else {
        words = PropertySegmenter().words(in: text)
        return
      }
      defer { icu_words_close(iterator) }
      var start = 0
      while true {
        let end = Int(icu_words_next(iterator))
        guard end >= 0 else { break }
        let isWord = icu_words_is_word(iterator) != 0 || Self.isEmoji(units[start..<end])
        if isWord { words.append(TextRange(utf16: start..<end)) }
        start = end
      }
    }
    return words
  }

  /// The sentences in order. O(text).
  public func sentences(in text: [UInt16]) -> [TextRange] {
    PropertySegmenter().sentences(in: text)
  }

  private static func isEmoji(_ units: Slice<UnsafeBufferPointer<UInt16>>) -> Bool {
    guard let first = units.first, first > 0x7F else { return false }
    let scalars = String(decoding: units, as: UTF16.self).unicodeScalars
    return scalars.contains { $0.properties.isEmojiPresentation || $0 == "\u{FE0F}" }
  }
}

extension TextSegmenter where Self == DictionarySegmenter {
  /// The segmenter of all front-ends.
  package static var standard: DictionarySegmenter { DictionarySegmenter() }
}
