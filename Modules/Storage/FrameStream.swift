import CZstd
import Glibc

/// Compresses and decompresses a file as a single Zstandard frame, in pieces of 128 KiB.
///
/// The frame has a checksum and states the size of its content.
enum FrameStream {
  private static let piece = 1 << 17

  /// The frame is truncated, corrupt, or has another content size than it declares.
  struct Damage: Error {}

  /// Compresses the whole input file to the output file.
  ///
  /// - Throws: `SystemError` if the input cannot be read or the output cannot be written; `Damage`
  ///   if Zstandard reports an error.
  static func compress(_ input: Int32, to output: Int32) throws {
    guard let context = ZSTD_createCCtx() else { throw SystemError(ENOMEM) }
    defer { ZSTD_freeCCtx(context) }
    var status = stat()
    guard fstat(input, &status) == 0 else { throw SystemError() }
    ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1)
    ZSTD_CCtx_setPledgedSrcSize(context, UInt64(status.st_size))
    var buffer = [UInt8](repeating: 0, count: ZSTD_CStreamOutSize())
    var offset = 0
    while true {
      let bytes = try read(input, at: offset)
      offset += bytes.count
      let mode = bytes.isEmpty ? ZSTD_e_end : ZSTD_e_continue
      var isDone = false
      try bytes.withUnsafeBytes { bytes in
        var source = ZSTD_inBuffer(src: bytes.baseAddress, size: bytes.count, pos: 0)
        while !isDone {
          let (left, count) = try buffer.withUnsafeMutableBytes { buffer in
            var target = ZSTD_outBuffer(dst: buffer.baseAddress, size: buffer.count, pos: 0)
            let left = ZSTD_compressStream2(context, &target, &source, mode)
            guard ZSTD_isError(left) == 0 else { throw Damage() }
            return (left, target.pos)
          }
          try write(buffer[..<count], to: output)
          isDone = mode == ZSTD_e_end ? left == 0 : source.pos == source.size
        }
      }
      if mode == ZSTD_e_end { return }
    }
  }

  /// Returns the content size that the frame's header declares, in bytes; nil if it declares none
  /// or the file is not a Zstandard frame.
  ///
  /// - Throws: `SystemError` if the file cannot be read.
  static func contentSize(of input: Int32) throws -> Int? {
    let start = try read(input, at: 0, count: 18)
    let size = start.withUnsafeBytes { ZSTD_getFrameContentSize($0.baseAddress, $0.count) }
    return size < 1 << 62 ? Int(size) : nil
  }

  /// Decompresses the whole input file and passes each piece to `body`.
  ///
  /// - Parameter size: the expected content size in bytes.
  /// - Throws: `Damage` if the file is not exactly one valid frame with content of that size;
  ///   `SystemError` if it cannot be read; and the error of `body`.
  static func expand(
    _ input: Int32, size: Int, _ body: (ArraySlice<UInt8>) throws -> Void
  ) throws {
    guard let context = ZSTD_createDCtx() else { throw SystemError(ENOMEM) }
    defer { ZSTD_freeDCtx(context) }
    var buffer = [UInt8](repeating: 0, count: ZSTD_DStreamOutSize())
    var (offset, total) = (0, 0)
    var isAtEnd = false
    while true {
      let bytes = try read(input, at: offset)
      if bytes.isEmpty { break }
      offset += bytes.count
      try bytes.withUnsafeBytes { bytes in
        var source = ZSTD_inBuffer(src: bytes.baseAddress, size: bytes.count, pos: 0)
        var isFull = false
        while source.pos < source.size || isFull {
          guard !isAtEnd else { throw Damage() }
          let count = try buffer.withUnsafeMutableBytes { buffer in
            var target = ZSTD_outBuffer(dst: buffer.baseAddress, size: buffer.count, pos: 0)
            let left = ZSTD_decompressStream(context, &target, &source)
            guard ZSTD_isError(left) == 0 else { throw Damage() }
            isAtEnd = left == 0
            isFull = !isAtEnd && target.pos == target.size
            return target.pos
          }
          total += count
          guard total <= size else { throw Damage() }
          try body(buffer[..<count])
        }
      }
    }
    guard isAtEnd, total == size else { throw Damage() }
  }

  /// Writes all bytes at the file's position, and repeats the call after a partial write.
  ///
  /// - Throws: `SystemError` if the bytes cannot be written, with `ENOSPC` if the system accepts no
  ///   more bytes.
  static func write(_ bytes: ArraySlice<UInt8>, to output: Int32) throws {
    try bytes.withUnsafeBytes { bytes in
      var done = 0
      while done < bytes.count {
        let count = Glibc.write(output, bytes.baseAddress! + done, bytes.count - done)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { throw SystemError(count == 0 ? ENOSPC : errno) }
        done += count
      }
    }
  }

  /// Reads up to `count` bytes from an offset. The result is shorter only at the end of the file.
  ///
  /// - Throws: `SystemError` if the file cannot be read.
  static func read(_ input: Int32, at offset: Int, count: Int = piece) throws -> [UInt8] {
    var failure: Int32 = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      while filled < count {
        let got = pread(input, buffer.baseAddress! + filled, count - filled, off_t(offset + filled))
        if got < 0, errno == EINTR { continue }
        if got < 0 { failure = errno }
        guard got > 0 else { return }
        filled += got
      }
    }
    guard failure == 0 else { throw SystemError(failure) }
    return bytes
  }
}
