import FoundationEssentials

/// A rendered text that is ready to be stored: everything that can be computed without the
/// database.
package struct PreparedText: Sendable {
  /// The UTF-8 text as a Zstandard frame.
  let frame: Data
  /// The length of the uncompressed UTF-8 in bytes.
  let size: Int
  let terms: (words: String, trigrams: String)
  /// The map from the text to its source, in the caller's format.
  let positions: [UInt8]
}

/// Prepares texts for storing, one after the other in the same memory. Use one instance for each
/// thread.
package final class TextPreparation {
  private let compressor = Compressor()
  private let terms = IndexTerms()

  /// Allocates the memory that all texts share.
  package init() {}

  /// Compresses a text and generates its index terms. O(bytes).
  ///
  /// - Parameter positions: the map from the text to its source, in the caller's format.
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
