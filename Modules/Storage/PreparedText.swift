import FoundationEssentials

/// A rendered text made ready to be stored: what takes time and needs no database.
package struct PreparedText: Sendable {
  /// The text's UTF-8, compressed.
  let frame: Data
  /// Its length in UTF-8.
  let size: Int
  let terms: (words: String, trigrams: String)
  /// Where the text stands in its source, in a form of the caller's.
  let positions: [UInt8]
}

/// Makes texts ready one after the other in the same memory; one for each thread.
package final class TextPreparation {
  private let compressor = Compressor()
  private let terms = IndexTerms()

  /// Takes memory.
  package init() {}

  /// Compresses a text and makes its index terms. O(bytes).
  ///
  /// - Parameter positions: where the text stands in its source, in a form of the caller's.
  package func prepare(_ text: String, positions: [UInt8]) -> PreparedText {
    var text = text
    return text.withUTF8 { bytes in
      terms.read(bytes)
      return PreparedText(
        frame: compressor.compress(bytes), size: bytes.count, terms: terms.strings,
        positions: positions)
    }
  }
}
