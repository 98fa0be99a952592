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
  ///   same size, so that a damaged frame takes no more memory than the longest text.
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

  /// Decompresses the text in a frame to UTF-16 units. Returns nil if the frame is damaged. A long
  /// text is decompressed in pieces, so that its UTF-8 takes no memory.
  ///
  /// - Parameter size: the length of the text in UTF-8 bytes.
  static func units(from frame: Data, size: Int) -> [UInt16]? {
    guard size > Compressor.wholeLimit else {
      return text(from: frame, size: size).map { Array($0.utf16) }
    }
    guard isPlausible(frame, size: size), let context = ZSTD_createDCtx() else { return nil }
    defer { ZSTD_freeDCtx(context) }
    var units: [UInt16] = []
    units.reserveCapacity(size)
    var buffer = [UInt8](repeating: 0, count: ZSTD_DStreamOutSize())
    // The first bytes of `buffer` are the start of a character whose end is in the next piece.
    var (begun, total) = (0, 0)
    let isWhole = frame.withUnsafeBytes { frame in
      var input = ZSTD_inBuffer(src: frame.baseAddress, size: frame.count, pos: 0)
      var rest = 1
      while rest > 0 {
        let place = input.pos
        var filled = begun
        buffer.withUnsafeMutableBytes {
          var output = ZSTD_outBuffer(dst: $0.baseAddress, size: $0.count, pos: begun)
          rest = ZSTD_decompressStream(context, &output, &input)
          filled = output.pos
        }
        guard ZSTD_isError(rest) == 0, filled > begun || input.pos > place || rest == 0 else {
          return false
        }
        total += filled - begun
        let end = rest == 0 ? filled : buffer.endOfCharacters(before: filled)
        guard total <= size, append(buffer[..<end], to: &units) else { return false }
        begun = filled - end
        for index in 0..<begun { buffer[index] = buffer[end + index] }
      }
      return input.pos == frame.count
    }
    return isWhole && total == size ? units : nil
  }

  /// Appends a part of a text in UTF-8 as UTF-16 units. Returns false if it is not valid.
  private static func append(_ bytes: ArraySlice<UInt8>, to units: inout [UInt16]) -> Bool {
    bytes.withUnsafeBufferPointer { bytes in
      if bytes.allSatisfy({ $0 < 0x80 }) {
        units.append(contentsOf: bytes.lazy.map(UInt16.init))
        return true
      }
      guard let text = String(validating: bytes, as: UTF8.self) else { return false }
      units.append(contentsOf: text.utf16)
      return true
    }
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
  private var buffer: [UInt8] = []

  /// Creates a compressor.
  ///
  /// - Parameter dictionary: typical bytes of the texts; nil to use no dictionary. Frames can only
  ///   be decompressed with the same dictionary.
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

  /// The maximum length in bytes of a text that is compressed in one call. A longer text is
  /// compressed in pieces, so that no memory is needed for the longest possible frame.
  fileprivate static let wholeLimit = 4 << 20
  /// The size of the buffer for a piece of a frame, in bytes.
  private static let pieceSize = 1 << 20

  /// Compresses bytes to a frame with a checksum.
  func compress(_ bytes: UnsafeBufferPointer<UInt8>) -> Data {
    guard bytes.count <= Self.wholeLimit else { return compressInPieces(bytes) }
    let bound = ZSTD_compressBound(bytes.count)
    if buffer.count < bound { buffer = [UInt8](repeating: 0, count: bound) }
    let count = buffer.withUnsafeMutableBytes {
      ZSTD_compress2(context, $0.baseAddress, $0.count, bytes.baseAddress, bytes.count)
    }
    // The buffer is large enough for the worst case, so there is no other reason to fail.
    precondition(ZSTD_isError(count) == 0, "zstd could not compress")
    return buffer.withUnsafeBytes { Data($0.prefix(count)) }
  }
  /// Compresses bytes in pieces. The frame is the same as from one call, but the memory that is
  /// used grows only with the frame.
  private func compressInPieces(_ bytes: UnsafeBufferPointer<UInt8>) -> Data {
    ZSTD_CCtx_reset(context, ZSTD_reset_session_only)
    ZSTD_CCtx_setPledgedSrcSize(context, UInt64(bytes.count))
    if buffer.count < Self.pieceSize { buffer = [UInt8](repeating: 0, count: Self.pieceSize) }
    var frame = Data()
    var input = ZSTD_inBuffer(src: bytes.baseAddress, size: bytes.count, pos: 0)
    var rest = 0
    repeat {
      buffer.withUnsafeMutableBytes { buffer in
        var output = ZSTD_outBuffer(dst: buffer.baseAddress, size: buffer.count, pos: 0)
        rest = ZSTD_compressStream2(context, &output, &input, ZSTD_e_end)
        frame.append(contentsOf: buffer.prefix(output.pos))
      }
      precondition(ZSTD_isError(rest) == 0, "zstd could not compress")
    } while rest > 0
    return frame
  }
}

extension [UInt8] {
  /// Returns the end of the last whole character of UTF-8 before an index. Invalid bytes count as
  /// whole characters.
  fileprivate func endOfCharacters(before end: Int) -> Int {
    // The last character begins in the last four bytes.
    for start in stride(from: end - 1, through: Swift.max(0, end - 4), by: -1) {
      let byte = self[start]
      if byte & 0xC0 == 0x80 { continue }
      let length = byte < 0xC0 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4
      return start + length <= end ? end : start
    }
    return end
  }
}
