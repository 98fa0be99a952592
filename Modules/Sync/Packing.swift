import CZstd
import Model

/// Compresses to Zstandard frames and decompresses frames whose content size is known in advance.
enum Packing {
  /// Returns the compression level for a size in bytes. Small contents are compressed more
  /// thoroughly, which saves about a tenth. For large ones, level 12 would save 6 % and take three
  /// times as long as level 6.
  private static func level(_ size: Int) -> Int32 { size <= 64 << 10 ? 19 : 6 }

  /// Compresses bytes into a frame.
  static func pack(_ bytes: [UInt8]) -> [UInt8] {
    guard let context = ZSTD_createCCtx() else { preconditionFailure("out of memory") }
    defer { ZSTD_freeCCtx(context) }
    let bound = ZSTD_compressBound(bytes.count)
    return [UInt8](unsafeUninitializedCapacity: bound) { buffer, filled in
      let count = ZSTD_compressCCtx(
        context, buffer.baseAddress, bound, bytes, bytes.count, level(bytes.count))
      // The buffer fits the worst case, so compression can't fail.
      precondition(ZSTD_isError(count) == 0, "zstd could not compress")
      filled = count
    }
  }

  /// Decompresses a frame whose header must state `size` as the content size.
  ///
  /// - Parameter limit: The maximum `size` in bytes. Nothing is allocated for a larger size.
  /// - Throws: `SegmentError.tooLarge` if `size` exceeds the limit, `.badContent` if the frame is
  ///   invalid.
  static func unpack(_ frame: ArraySlice<UInt8>, size: Int, limit: Int) throws(SegmentError)
    -> [UInt8]
  {
    guard size <= limit else { throw .tooLarge(size: size, limit: limit) }
    let bytes = frame.withUnsafeBytes { frame -> [UInt8]? in
      guard ZSTD_getFrameContentSize(frame.baseAddress, frame.count) == UInt64(size),
        ZSTD_findFrameCompressedSize(frame.baseAddress, frame.count) == frame.count
      else { return nil }
      let bytes = [UInt8](unsafeUninitializedCapacity: max(size, 1)) { buffer, filled in
        let count = ZSTD_decompress(buffer.baseAddress, size, frame.baseAddress, frame.count)
        filled = ZSTD_isError(count) == 0 ? count : 0
      }
      return bytes.count == size ? bytes : nil
    }
    guard let bytes else { throw .badContent("it cannot be unpacked") }
    return bytes
  }
}
