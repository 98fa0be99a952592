import CZstd
import FoundationEssentials

/// Decompresses stored texts, one after the other into the same memory. Use one instance for each
/// thread.
package final class StoredTextReader {
  private let context: OpaquePointer
  private var buffer: [UInt8] = []

  /// Allocates the decompression context. The buffer grows with the longest text.
  package init() {
    guard let context = ZSTD_createDCtx() else { preconditionFailure("out of memory") }
    self.context = context
  }

  deinit { ZSTD_freeDCtx(context) }

  /// Calls `body` with the UTF-8 of a text and returns its result; nil if the text is damaged.
  ///
  /// The buffer is valid only during the call.
  package func withUTF8<T>(of text: StoredText, _ body: (UnsafeBufferPointer<UInt8>) -> T) -> T? {
    guard Compression.isPlausible(text.frame, size: text.size) else { return nil }
    if buffer.count < text.size {
      buffer = [UInt8](repeating: 0, count: max(text.size, 2 * buffer.count))
    }
    return buffer.withUnsafeMutableBytes { buffer in
      let count = text.frame.withUnsafeBytes {
        ZSTD_decompressDCtx(context, buffer.baseAddress, text.size, $0.baseAddress, $0.count)
      }
      // The frame's checksum was correct, so these are the bytes that were stored. They were valid
      // UTF-8.
      guard ZSTD_isError(count) == 0, count == text.size else { return nil }
      return body(
        UnsafeBufferPointer(rebasing: buffer.bindMemory(to: UInt8.self)[..<text.size]))
    }
  }
}
