package import Model

/// The bytes of a Markdown file, unchanged.
public struct MarkdownSource: Hashable, Sendable {
  /// The bytes as they lie in the file, a byte order mark included.
  package let bytes: [UInt8]

  /// Takes the bytes of a file; any bytes will do.
  package init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Takes a text.
  public init(_ text: String) { bytes = Array(text.utf8) }

  /// How many bytes the byte order mark takes, which is no part of the first line: 3 or 0.
  package var byteOrderMark: Int { bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0 }

  /// The bytes of a range as text; what is not UTF-8 becomes U+FFFD.
  package func text(in range: SourceRange) -> String {
    String(decoding: bytes[range.bytes], as: UTF8.self)
  }
}
