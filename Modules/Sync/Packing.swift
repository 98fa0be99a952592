import CZstd
import Model

/// Zstandard frames of a size that is known before.
enum Packing {
  /// The level for a size: what is small takes the time that a tenth less is worth.
  private static func level(_ size: Int) -> Int32 { size <= 256 << 10 ? 19 : 12 }

  /// A frame of some bytes.
  static func pack(_ bytes: [UInt8]) -> [UInt8] {
    guard let context = ZSTD_createCCtx() else { preconditionFailure("out of memory") }
    defer { ZSTD_freeCCtx(context) }
    let bound = ZSTD_compressBound(bytes.count)
    return [UInt8](unsafeUninitializedCapacity: bound) { buffer, filled in
      let count = ZSTD_compressCCtx(
        context, buffer.baseAddress, bound, bytes, bytes.count, level(bytes.count))
      // There is room for the worst case, so nothing is left that could fail.
      precondition(ZSTD_isError(count) == 0, "zstd could not compress")
      filled = count
    }
  }

  /// The bytes of a frame, which must say that they are `size`.
  ///
  /// - Parameter limit: the most that are taken; nothing is allocated for more.
  static func unpack(_ frame: ArraySlice<UInt8>, size: Int, limit: Int) throws(SegmentProblem)
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
