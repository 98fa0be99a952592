package import Model

/// The bytes of a Markdown file, unchanged.
public struct MarkdownSource: Hashable, Sendable {
  /// The bytes as stored in the file, including a byte order mark.
  package let bytes: [UInt8]

  /// Creates a source from the bytes of a file. They need not be valid UTF-8.
  package init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Creates a source from a text.
  public init(_ text: String) { bytes = Array(text.utf8) }

  /// The length of the byte order mark, which isn't part of the first line: 3 or 0.
  package var byteOrderMark: Int { bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0 }

  /// The whole source as text, without a byte order mark. Invalid UTF-8 becomes U+FFFD.
  package var text: String { text(in: SourceRange(bytes: byteOrderMark..<bytes.count)) }

  /// Returns the text of a range, which must be in bounds. Invalid UTF-8 becomes U+FFFD.
  package func text(in range: SourceRange) -> String {
    String(decoding: bytes[range.bytes], as: UTF8.self)
  }
}
