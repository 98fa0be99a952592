import CICU
public import Model

/// Divides text into words with ICU: by the rules of Unicode Annex 29, and by dictionaries for
/// scripts without spaces between words (Chinese, Japanese, Thai, Lao, Khmer, Burmese). Emoji count
/// as words, because users select them like words. Sentences are those of ``PropertySegmenter``.
public struct DictionarySegmenter: TextSegmenter {
  /// Creates a segmenter. It has no settings.
  public init() {}

  /// Returns the words in order, without the white space and punctuation between them. O(text);
  /// about 32 ms per million units. Uses ``PropertySegmenter`` if ICU can't create an iterator.
  public func words(in text: [UInt16]) -> [TextRange] {
    // ICU's positions are 32-bit.
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

  /// Returns the sentences in order. O(text).
  public func sentences(in text: [UInt16]) -> [TextRange] {
    PropertySegmenter().sentences(in: text)
  }

  private static func isEmoji(_ units: Slice<UnsafeBufferPointer<UInt16>>) -> Bool {
    guard let first = units.first, first > 0x7F else { return false }
    let scalars = String(units: UnsafeBufferPointer(rebasing: units)).unicodeScalars
    return scalars.contains { $0.properties.isEmojiPresentation || $0 == "\u{FE0F}" }
  }
}

extension TextSegmenter where Self == DictionarySegmenter {
  /// The segmenter that all front-ends use.
  package static var standard: DictionarySegmenter { DictionarySegmenter() }
}
