import CZstd
import FoundationEssentials

/// Compresses texts to Zstandard frames with a checksum. Prose shrinks to about a third, at a few
/// milliseconds per megabyte.
enum Compression {
  /// The maximum size of a rendered text in bytes. A source file has at most 64 MiB, and each
  /// invalid byte of it is rendered as U+FFFD, which takes three bytes.
  private static let sizeLimit = 3 * 64 << 20

  /// Compresses the UTF-8 of a text to a frame.
  static func compress(_ text: String) -> Data {
    var text = text
    return text.withUTF8(compress)
  }

  /// Compresses bytes to a frame.
  static func compress(_ bytes: UnsafeBufferPointer<UInt8>) -> Data {
    Compressor().compress(bytes)
  }

  /// Decompresses a frame. Returns nil if it is damaged, or if it does not decompress to exactly
  /// `size` bytes.
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

  /// Decompresses the text in a frame. Returns nil if the frame is damaged.
  ///
  /// - Parameter size: the length of the text in UTF-8 bytes. The frame header must contain the
  ///   same size, so that a damaged frame cannot allocate more memory than the longest text needs.
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

  /// Whether the size in a frame's header is `size`, and is a possible size of a text.
  static func isPlausible(_ frame: Data, size: Int) -> Bool {
    let named = frame.withUnsafeBytes { ZSTD_getFrameContentSize($0.baseAddress, $0.count) }
    return (0...sizeLimit).contains(size) && named == UInt64(size)
  }
}

/// Compresses texts, one after the other in the same memory. Use one instance for each thread.
final class Compressor {
  private let context: OpaquePointer
  private var room: [UInt8] = []

  /// Creates a compressor.
  ///
  /// - Parameter dictionary: typical bytes of the texts; nil for none. Frames can only be
  ///   decompressed with the same dictionary.
  init(dictionary: UnsafeRawBufferPointer? = nil) {
    guard let context = ZSTD_createCCtx() else { preconditionFailure("out of memory") }
    ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1)
    if let dictionary {
      // Readers know which dictionary to use, so the frame does not store its identifier.
      ZSTD_CCtx_setParameter(context, ZSTD_c_dictIDFlag, 0)
      ZSTD_CCtx_loadDictionary(context, dictionary.baseAddress, dictionary.count)
    }
    self.context = context
  }

  deinit { ZSTD_freeCCtx(context) }

  /// The length in bytes of the longest text that is compressed at once. A longer one is compressed
  /// in pieces, so that no memory is needed for the longest possible frame.
  private static let wholeLimit = 4 << 20
  /// The room for a piece of a frame, in bytes.
  private static let pieceSize = 1 << 20

  /// Compresses bytes to a frame with a checksum.
  func compress(_ bytes: UnsafeBufferPointer<UInt8>) -> Data {
    guard bytes.count <= Self.wholeLimit else { return compressInPieces(bytes) }
    let bound = ZSTD_compressBound(bytes.count)
    if room.count < bound { room = [UInt8](repeating: 0, count: bound) }
    let count = room.withUnsafeMutableBytes {
      ZSTD_compress2(context, $0.baseAddress, $0.count, bytes.baseAddress, bytes.count)
    }
    // The buffer has room for the worst case, so there is no other reason to fail.
    precondition(ZSTD_isError(count) == 0, "zstd could not compress")
    return room.withUnsafeBytes { Data($0.prefix(count)) }
  }
  /// Compresses bytes to the same frame as at once, in memory that grows with the frame.
  private func compressInPieces(_ bytes: UnsafeBufferPointer<UInt8>) -> Data {
    ZSTD_CCtx_reset(context, ZSTD_reset_session_only)
    ZSTD_CCtx_setPledgedSrcSize(context, UInt64(bytes.count))
    if room.count < Self.pieceSize { room = [UInt8](repeating: 0, count: Self.pieceSize) }
    var frame = Data()
    var input = ZSTD_inBuffer(src: bytes.baseAddress, size: bytes.count, pos: 0)
    var rest = 0
    repeat {
      room.withUnsafeMutableBytes { room in
        var output = ZSTD_outBuffer(dst: room.baseAddress, size: room.count, pos: 0)
        rest = ZSTD_compressStream2(context, &output, &input, ZSTD_e_end)
        frame.append(contentsOf: room.prefix(output.pos))
      }
      precondition(ZSTD_isError(rest) == 0, "zstd could not compress")
    } while rest > 0
    return frame
  }
}
