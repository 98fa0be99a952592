import CSodium
import Model

/// The body of an object that only members of the vault can read. It consists of compressed
/// chapters, padded and encrypted in blocks; no block can be removed, reordered or replaced
/// unnoticed.
///
/// The plaintext begins with the number of chapters. Each chapter follows: the size of its content,
/// the space that it occupies, the size of its Zstandard frame, and the frame. The rest is zeros.
/// Outsiders learn only the total size, rounded up.
enum SealedStream {
  private static let blockSize = 64 << 10
  private static let tagSize = 17
  private static let headerSize = 24
  private static let chapterHeaderSize = 12

  // MARK: - Writing

  /// Compresses and encrypts chapters.
  ///
  /// - Parameter header: The bytes that precede the body, which are authenticated with it.
  /// - Returns: The header, followed by the body.
  static func seal(_ chapters: [[UInt8]], after header: [UInt8], key: Secret) -> [UInt8] {
    seal(chapters.map { Chapter($0) }, after: header, key: key)
  }

  /// Encrypts chapters that are compressed already.
  static func seal(_ chapters: [Chapter], after header: [UInt8], key: Secret) -> [UInt8] {
    let size = chapters.reduce(4) { $0 + chapterHeaderSize + $1.reservedSize }
    var writer = ByteWriter(capacity: paddedSize(size))
    writer.fixed(UInt32(chapters.count))
    for chapter in chapters {
      for size in [chapter.size, chapter.reservedSize, chapter.frame.count] {
        writer.fixed(UInt32(size))
      }
      writer.raw(chapter.frame)
      writer.raw(repeatElement(0, count: chapter.reservedSize - chapter.frame.count))
    }
    writer.raw(repeatElement(0, count: paddedSize(size) - size))
    return encrypt(writer.bytes, after: header, key: key)
  }

  /// Returns the size to which the content is padded: 256 bytes, 1, 4, 16 or 64 KiB, or a multiple
  /// of 4 KiB.
  static func paddedSize(_ size: Int) -> Int {
    [256, 1 << 10, 4 << 10, 16 << 10, 64 << 10].first { size <= $0 } ?? (size + 4095) & ~4095
  }

  static func encrypt(_ plain: [UInt8], after header: [UInt8], key: Secret) -> [UInt8] {
    precondition(Sodium.isReady)
    var state = crypto_secretstream_xchacha20poly1305_state()
    defer { wipe(&state) }
    let blocks = max(1, (plain.count + blockSize - 1) / blockSize)
    let size = headerSize + plain.count + blocks * tagSize
    // Reserve space for the hash and the signature, so that the caller can append them without
    // copying the bytes.
    let capacity = header.count + size + SignedFile.trailerSize
    return [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
      guard let start = buffer.baseAddress else { return }
      start.initialize(from: header, count: header.count)
      let sealed = start + header.count
      var filled = 0
      var status = key.withBytes {
        crypto_secretstream_xchacha20poly1305_init_push(&state, sealed, $0)
      }
      filled = headerSize
      for block in 0..<blocks {
        let range = block * blockSize..<min(plain.count, (block + 1) * blockSize)
        let isLast = block == blocks - 1
        let tag =
          isLast
          ? crypto_secretstream_xchacha20poly1305_tag_final()
          : crypto_secretstream_xchacha20poly1305_tag_message()
        let data = block == 0 ? header : []
        status |= plain.withUnsafeBufferPointer {
          crypto_secretstream_xchacha20poly1305_push(
            &state, sealed + filled, nil, $0.baseAddress.map { $0 + range.lowerBound },
            UInt64(range.count), data, UInt64(data.count), UInt8(tag))
        }
        filled += range.count + tagSize
      }
      precondition(status == 0 && filled == size)
      count = header.count + size
    }
  }

  private static func wipe(_ state: inout crypto_secretstream_xchacha20poly1305_state) {
    withUnsafeMutableBytes(of: &state) {
      if let first = $0.baseAddress { sodium_memzero(first, $0.count) }
    }
  }

  // MARK: - Reading

  /// Decrypts a body and returns its chapters, still compressed. All of it is authenticated first.
  ///
  /// - Throws: ``SegmentError``:
  ///   - `badSeal` if `key` doesn't match or the body was changed
  ///   - `tooShort` if the body is shorter than its own header
  ///   - `tooLarge` if a chapter exceeds `Wire.plainLimit`
  ///   - `badContent` if the chapters or the padding are malformed.
  static func open(_ body: ArraySlice<UInt8>, header: [UInt8], key: Secret)
    throws(SegmentError) -> [Chapter]
  {
    let plain = try decrypt(body, header: header, key: key)
    var reader = ByteReader(plain)
    let count = Int(try reader.fixed(UInt32.self))
    guard count <= reader.left / chapterHeaderSize else { throw .badContent("it is cut short") }
    var chapters: [Chapter] = []
    for _ in 0..<count {
      let size = Int(try reader.fixed(UInt32.self))
      let reservedSize = Int(try reader.fixed(UInt32.self))
      let frame = Int(try reader.fixed(UInt32.self))
      guard frame <= reservedSize, size <= reservedSize * Wire.ratioLimit else {
        throw .badContent("its sizes are inconsistent")
      }
      guard size <= Wire.plainLimit else { throw .tooLarge(size: size, limit: Wire.plainLimit) }
      chapters.append(Chapter(size: size, frame: try reader.raw(frame)))
      try skipZeros(reservedSize - frame, &reader)
    }
    let left = reader.left
    guard plain.count == paddedSize(plain.count - left) else {
      throw .badContent("its padding has the wrong size")
    }
    try skipZeros(left, &reader)
    return chapters
  }

  /// A compressed chapter.
  struct Chapter: Sendable {
    /// The size of its content in bytes.
    let size: Int
    let frame: ArraySlice<UInt8>

    init(size: Int, frame: ArraySlice<UInt8>) { (self.size, self.frame) = (size, frame) }

    /// Compresses a chapter.
    init(_ content: [UInt8]) { self.init(size: content.count, frame: Packing.pack(content)[...]) }

    /// The number of bytes that it occupies. A frame that compresses very well occupies extra
    /// space, so that the content is never more than `Wire.ratioLimit` times as large as the file.
    var reservedSize: Int { max(frame.count, (size + Wire.ratioLimit - 1) / Wire.ratioLimit) }

    func unpacked() throws(SegmentError) -> [UInt8] {
      try Packing.unpack(frame, size: size, limit: Wire.plainLimit)
    }
  }

  private static func skipZeros(_ count: Int, _ reader: inout ByteReader) throws(SegmentError) {
    guard try reader.raw(count).allSatisfy({ $0 == 0 }) else {
      throw .badContent("its padding is not empty")
    }
  }

  private static func decrypt(_ body: ArraySlice<UInt8>, header: [UInt8], key: Secret)
    throws(SegmentError) -> [UInt8]
  {
    precondition(Sodium.isReady)
    guard body.count >= headerSize + tagSize else { throw .tooShort }
    var state = crypto_secretstream_xchacha20poly1305_state()
    defer { wipe(&state) }
    let plain = body.withUnsafeBufferPointer { body -> [UInt8]? in
      guard let sealed = body.baseAddress,
        key.withBytes({ crypto_secretstream_xchacha20poly1305_init_pull(&state, sealed, $0) }) == 0
      else { return nil }
      var isWhole = false
      let plain = [UInt8](unsafeUninitializedCapacity: body.count) { buffer, filled in
        guard let plain = buffer.baseAddress else { return }
        var index = headerSize
        while index < body.count {
          let size = min(blockSize + tagSize, body.count - index)
          let data = index == headerSize ? header : []
          var tag: UInt8 = 0
          guard size >= tagSize,
            crypto_secretstream_xchacha20poly1305_pull(
              &state, plain + filled, nil, &tag, sealed + index, UInt64(size), data,
              UInt64(data.count)) == 0
          else { return }
          filled += size - tagSize
          index += size
          let isLast = index == body.count
          let isFinal = tag == UInt8(crypto_secretstream_xchacha20poly1305_tag_final())
          guard isLast == isFinal else { return }
          isWhole = isLast
        }
      }
      return isWhole ? plain : nil
    }
    guard let plain else { throw .badSeal }
    return plain
  }
}
