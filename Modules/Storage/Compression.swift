import CZstd
import FoundationEssentials

/// Texts as Zstandard frames with a checksum: prose takes a third of its size and a few milliseconds
/// a megabyte.
enum Compression {
  /// No rendered text is longer: a source has at most 64 MiB, and a byte that is not UTF-8 shows as
  /// three.
  private static let sizeLimit = 3 * 64 << 20

  /// The text's UTF-8, compressed.
  static func compress(_ text: String) -> Data {
    var text = text
    return text.withUTF8(compress)
  }

  /// Bytes, compressed.
  static func compress(_ bytes: UnsafeBufferPointer<UInt8>) -> Data {
    Compressor().compress(bytes)
  }

  /// The bytes of a frame; nil when it is damaged. `size` is what they must be, as for a text.
  static func bytes(from frame: Data, size: Int) -> [UInt8]? {
    let named = frame.withUnsafeBytes { ZSTD_getFrameContentSize($0.baseAddress, $0.count) }
    guard (0...sizeLimit).contains(size), named == UInt64(size) else { return nil }
    let bytes = [UInt8](unsafeUninitializedCapacity: size) { buffer, filled in
      let count = frame.withUnsafeBytes {
        ZSTD_decompress(buffer.baseAddress, size, $0.baseAddress, $0.count)
      }
      filled = ZSTD_isError(count) == 0 ? count : 0
    }
    return bytes.count == size ? bytes : nil
  }

  /// The text of a frame; nil when it is damaged.
  ///
  /// - Parameter size: the text's length in UTF-8, which the frame must name too: what is damaged
  ///   cannot ask for more memory than a text may take.
  static func text(from frame: Data, size: Int) -> String? {
    guard isPlausible(frame, size: size) else { return nil }
    guard size > 0 else { return "" }
    let text = String(unsafeUninitializedCapacity: size) { buffer in
      let count = frame.withUnsafeBytes {
        ZSTD_decompress(buffer.baseAddress, size, $0.baseAddress, $0.count)
      }
      return ZSTD_isError(count) == 0 && count == size ? size : 0
    }
    return text.utf8.count == size ? text : nil
  }

  /// Whether a frame says of itself that it holds a text of a size.
  static func isPlausible(_ frame: Data, size: Int) -> Bool {
    let named = frame.withUnsafeBytes { ZSTD_getFrameContentSize($0.baseAddress, $0.count) }
    return (0...sizeLimit).contains(size) && named == UInt64(size)
  }
}

/// Compresses one text after the other in the same memory; one for each thread.
final class Compressor {
  private let context: OpaquePointer
  private var room: [UInt8] = []

  /// - Parameter dictionary: bytes that the texts repeat, without which frames cannot be read.
  init(dictionary: UnsafeRawBufferPointer? = nil) {
    guard let context = ZSTD_createCCtx() else { preconditionFailure("out of memory") }
    ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1)
    if let dictionary {
      // Which one it is, each reader knows.
      ZSTD_CCtx_setParameter(context, ZSTD_c_dictIDFlag, 0)
      ZSTD_CCtx_loadDictionary(context, dictionary.baseAddress, dictionary.count)
    }
    self.context = context
  }

  deinit { ZSTD_freeCCtx(context) }

  /// Bytes as a frame with a checksum.
  func compress(_ bytes: UnsafeBufferPointer<UInt8>) -> Data {
    let bound = ZSTD_compressBound(bytes.count)
    if room.count < bound { room = [UInt8](repeating: 0, count: bound) }
    let count = room.withUnsafeMutableBytes {
      ZSTD_compress2(context, $0.baseAddress, $0.count, bytes.baseAddress, bytes.count)
    }
    // There is room for the worst case, so nothing is left that could fail.
    precondition(ZSTD_isError(count) == 0, "zstd could not compress")
    return room.withUnsafeBytes { Data($0.prefix(count)) }
  }
}
