import CZstd
import FoundationEssentials
import Glibc
import Model

/// Encodes the values of operations for the database. An instance keeps its buffers, and only one
/// thread may use it at a time.
///
/// An absent value is stored as NULL, a flag as an integer, and a text as a text. Other values are
/// blobs, whose first byte is their type:
///
/// - 1, the identity of a record: the replica in 8 bytes, then the sequence in as few bytes as
///   possible; big-endian.
/// - 2, a passage, which consists of:
///   - a byte of `Layout`
///   - the 32 bytes of its text's hash, if it has one
///   - six LEB128 numbers: the start, the length, the version of the rendering rules, and the
///     lengths in UTF-8 bytes of the prefix, the passage and the suffix
///   - the prefix, the passage and the suffix, usually as a Zstandard frame
/// - 4, an origin: a Zstandard frame with `originDictionary`.
/// - 16 and greater: a value of a newer version of Diple.
final class OperationCoder {
  private lazy var compressor = Compressor()
  private lazy var originCompressor = Self.originDictionary.withUnsafeBytes(
    Compressor.init(dictionary:))
  /// The prepared dictionary for decompression; nil until it is first used.
  private var originTables: OpaquePointer?
  private var context: OpaquePointer?
  /// The name of a strategy or dialect that was read last; empty at the start.
  var lastName = ""

  /// Whether bytes are the name that was read last.
  func isLastName(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let other = bytes.baseAddress else { return false }
    return lastName.withUTF8 {
      guard let start = $0.baseAddress, $0.count == bytes.count, !$0.isEmpty else { return false }
      return memcmp(start, other, $0.count) == 0
    }
  }

  private var words: [UInt8] = []
  private var frameBuffer = UnsafeMutableRawBufferPointer(start: nil, count: 0)

  private enum Kind {
    static let record: UInt8 = 1
    static let passage: UInt8 = 2
    static let origin: UInt8 = 4
    /// The first of the types that are reserved for newer versions of Diple.
    static let firstUnknown: UInt8 = 16
  }

  private struct Layout: OptionSet {
    var rawValue: UInt8
    static let hasDigest = Layout(rawValue: 1)
    static let isCompressed = Layout(rawValue: 2)
  }

  deinit {
    if let context { ZSTD_freeDCtx(context) }
    if let originTables { ZSTD_freeDDict(originTables) }
    frameBuffer.deallocate()
  }

  // MARK: - Packing

  /// Typical bytes of origins, and the frequencies of their symbols. The dictionary is part of the
  /// format, because stored origins can only be decompressed with the same bytes. It is generated
  /// by `Tooling/generate-origin-dictionary.py`.
  private static let originDictionary: Data = {
    let text = """
      N6Qw7EdJUk8wEMiSpA3///////+XrS1r27eEQEtI8wchK2mpAfNyYTdc5opEdnfvlBKxkA933Q1C4wAYFAwSg+XsDgAA
      BGBGBENDyxIGh8yFsRlBlGcYhAE4BAAAGIAMDgAAAAAAAAAAZI9EkrEcDgiDwXBYFERBOYzCUGQAAAAAAQAAAAQAAAAI
      AAAAImF1dGhvciI6IiIsImNvbG9yIjoiI2ZmZDQwMCIsImNyZWF0ZWQiOiIyMDI2LTAxLTAxVDAwOjAwOjAwWiIsImVh
      cmxpZXJLZXlzIjpbIiJsb2NhdGlvbiI6InBhZ2UgMSDCtyBsb2NhdGlvbiAxIiwicXVvdGUiOiJodHRwczovL3d3dy4i
      Zm9ybWF0IjoibWFya2Rvd24iLCJmb3JtYXQiOiJyZWFkd2lzZSIsImZvcm1hdCI6ImtvcmVhZGVyIiwiZm9ybWF0Ijoi
      em90ZXJvIiwiZm9ybWF0Ijoia2luZGxlIiwia2V5IjoiIiwiZm9ybWF0IjoiaHlwb3RoZXNpcyIsImtleSI6ImlkOiIs
      InRhZ3MiOlsiIl0sInRpdGxlIjoiL2hvbWUvLm1kIiwidXBkYXRlZCI6IjIwMjYtMDEtMDFUMDA6MDA6MDBaIn17ImNy
      ZWF0ZWQiOiIyMDI2LTAxLTAxVDAwOjAwOjAwWiIsImZvcm1hdCI6InczYyIsImtleSI6ImlkOmh0dHBzOi8vIiwibWFy
      a2VkIjoiYmx1ZSIsIm5vdGUiOiIiIm1hcmtlZCI6InBpbmsiLCJtYXJrZWQiOiJncmVlbiIsIm1hcmtlZCI6InllbGxv
      dyIsInBhc3NhZ2VEaWdlc3QiOiIiLCJxdW90ZURpZ2VzdCI6IiIsInNvdXJjZSI6Ii9ob21lLy5tZCIsInRpdGxlIjoi
      L2hvbWUvLm1kIiwidXBkYXRlZCI6IjIwMjYtMDEtMDFUMDA6MDA6MDBaIn0=
      """
    guard let data = Data(base64Encoded: text.filter { !$0.isWhitespace }) else {
      preconditionFailure("the dictionary of origins is not in Base64")
    }
    return data
  }()

  /// Encodes a value for the database. Equal values of the same field have equal encodings.
  /// O(size).
  func stored(_ value: Operation.Value, of field: Operation.Field? = nil) -> (any Bindable)? {
    switch value {
    case .none: nil
    case .flag(let flag): flag
    case .text(let text) where field == .origin: packed(text) ?? text
    case .text(let text): text
    case .reference(let dot): Self.packed(dot)
    case .selector(let selector): packed(selector)
    case .other(let bytes): bytes
    }
  }

  /// Encodes the dots of operations: 8 bytes for each replica and 8 for each sequence, big-endian.
  static func packed(_ dots: [Dot]) -> [UInt8] {
    dots.flatMap { dot in
      [dot.replica.rawValue, UInt64(bitPattern: dot.sequence)].flatMap { number in
        stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> UInt64($0)) }
      }
    }
  }

  private static func packed(_ dot: Dot) -> [UInt8] {
    var bytes = [Kind.record]
    for shift in stride(from: 56, through: 0, by: -8) {
      bytes.append(UInt8(truncatingIfNeeded: dot.replica.rawValue >> UInt64(shift)))
    }
    let sequence = UInt64(bitPattern: dot.sequence)
    for shift in stride(from: 56, through: 0, by: -8) where sequence >> UInt64(shift) > 0 {
      bytes.append(UInt8(truncatingIfNeeded: sequence >> UInt64(shift)))
    }
    return bytes
  }

  /// Compresses an origin; nil if that does not save bytes.
  private func packed(_ text: String) -> [UInt8]? {
    var text = text
    return text.withUTF8 { bytes in
      let frame = originCompressor.compress(bytes)
      return frame.count + 1 < bytes.count ? [Kind.origin] + frame : nil
    }
  }

  /// The size in bytes from which compressing the words of a passage saves bytes.
  private static let compressedSize = 100

  private func packed(_ selector: Selector) -> [UInt8] {
    words.removeAll(keepingCapacity: true)
    for text in [selector.prefix, selector.exact, selector.suffix] {
      words.append(contentsOf: text.utf8)
    }
    let frame =
      words.count < Self.compressedSize ? nil : words.withUnsafeBufferPointer(compressor.compress)
    var layout: Layout = []
    if let frame, frame.count < words.count { layout.insert(.isCompressed) }
    if selector.textDigest != nil { layout.insert(.hasDigest) }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(64 + words.count)
    bytes.append(Kind.passage)
    bytes.append(layout.rawValue)
    if let digest = selector.textDigest { bytes += digest.bytes }
    for number in [
      selector.position.utf16.lowerBound, selector.position.utf16.count, selector.renderVersion,
      selector.prefix.utf8.count, selector.exact.utf8.count, selector.suffix.utf8.count,
    ] {
      var rest = UInt64(bitPattern: Int64(number))
      while rest >= 0x80 {
        bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
        rest >>= 7
      }
      bytes.append(UInt8(rest))
    }
    if let frame, layout.contains(.isCompressed) { bytes += frame } else { bytes += words }
    return bytes
  }

  // MARK: - Unpacking

  /// Decodes the value in a blob. Returns nil if no version of Diple can have written the blob.
  /// O(size).
  func value(_ bytes: UnsafeRawBufferPointer) -> Operation.Value? {
    switch bytes.first {
    case Kind.record: Self.dot(bytes).map(Operation.Value.reference)
    case Kind.passage: selector(bytes).map(Operation.Value.selector)
    case Kind.origin: origin(bytes).map(Operation.Value.text)
    case .some(Kind.firstUnknown...): .other(Array(bytes))
    default: nil
    }
  }

  private func origin(_ bytes: UnsafeRawBufferPointer) -> String? {
    if originTables == nil {
      originTables = Self.originDictionary.withUnsafeBytes {
        ZSTD_createDDict($0.baseAddress, $0.count)
      }
    }
    let frame = UnsafeRawBufferPointer(rebasing: bytes.dropFirst())
    let size = ZSTD_getFrameContentSize(frame.baseAddress, frame.count)
    guard size <= UInt64(DatabaseRow.textLimit) else { return nil }
    return expanded(frame, to: Int(size), originTables).flatMap {
      String(validating: $0, as: UTF8.self)
    }
  }

  private static func dot(_ bytes: UnsafeRawBufferPointer) -> Dot? {
    guard (10...17).contains(bytes.count), bytes[9] > 0 else { return nil }
    func number(_ bytes: Slice<UnsafeRawBufferPointer>) -> UInt64 {
      bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }
    let sequence = number(bytes[9...])
    guard sequence <= UInt64(DatabaseRow.countLimit) else { return nil }
    return Dot(replica: ReplicaID(rawValue: number(bytes[1..<9])), sequence: Int64(sequence))
  }

  private func selector(_ bytes: UnsafeRawBufferPointer) -> Selector? {
    guard bytes.count > 2 else { return nil }
    let layout = Layout(rawValue: bytes[1])
    guard layout.isSubset(of: [.hasDigest, .isCompressed]) else { return nil }
    var index = 2
    var digest: ContentDigest?
    if layout.contains(.hasDigest) {
      guard bytes.count > index + 32 else { return nil }
      digest = ContentDigest(bytes: Array(bytes[index..<index + 32]))
      index += 32
    }
    /// Reads a LEB128 number of at most 28 bits, which suffice for every text.
    func number() -> Int? {
      var value = 0
      for shift in stride(from: 0, to: 28, by: 7) {
        guard index < bytes.count else { return nil }
        let byte = bytes[index]
        index += 1
        value |= Int(byte & 0x7F) << shift
        if byte < 0x80 { return value }
      }
      return nil
    }
    guard let start = number(), let length = number(), let version = number(),
      let before = number(), let exactLength = number(), let after = number(),
      start + length <= Int(DatabaseRow.textLimit),
      before + exactLength + after <= Int(DatabaseRow.textLimit)
    else { return nil }
    let size = before + exactLength + after
    let rest = UnsafeRawBufferPointer(rebasing: bytes[index...])
    guard let text = layout.contains(.isCompressed) ? expanded(rest, to: size) : rest,
      text.count == size
    else { return nil }
    func part(_ range: Range<Int>) -> String? { String(validating: text[range], as: UTF8.self) }
    guard let prefix = part(0..<before), let exact = part(before..<before + exactLength),
      let suffix = part(before + exactLength..<size)
    else { return nil }
    return Selector(
      exact: exact, prefix: prefix, suffix: suffix,
      position: TextRange(utf16: start..<start + length), textDigest: digest,
      renderVersion: version)
  }

  /// Decompresses a frame into the shared buffer, which is valid until the next call. Returns nil
  /// if the frame is damaged, or if it does not decompress to exactly `size` bytes.
  private func expanded(
    _ frame: UnsafeRawBufferPointer, to size: Int, _ dictionary: OpaquePointer? = nil
  ) -> UnsafeRawBufferPointer? {
    guard ZSTD_getFrameContentSize(frame.baseAddress, frame.count) == UInt64(size) else {
      return nil
    }
    if context == nil { context = ZSTD_createDCtx() }
    guard let context else { preconditionFailure("out of memory") }
    if frameBuffer.count < size {
      frameBuffer.deallocate()
      frameBuffer = .allocate(byteCount: max(size, 4096), alignment: 16)
    }
    let count = ZSTD_decompress_usingDDict(
      context, frameBuffer.baseAddress, size, frame.baseAddress, frame.count, dictionary)
    guard ZSTD_isError(count) == 0, count == size else { return nil }
    return UnsafeRawBufferPointer(rebasing: frameBuffer[..<size])
  }
}
