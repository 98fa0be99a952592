import Foundation
import Testing

@testable import Storage

@Suite struct CompressionTests {
  /// Tests compressing short texts, long texts in pieces, and texts at the limit between them.
  @Test(arguments: [0, 1, 4 << 20, 4 << 20 + 1, 9_000_001])
  func `a text is equal after compression and decompression`(
    size: Int
  ) {
    // Random characters that zstd cannot compress well, so that a frame has several pieces.
    var state: UInt64 = 7
    let bytes = (0..<size).map { _ in
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return UInt8(0x21 + (state >> 33) % 94)
    }
    let text = String(decoding: bytes, as: UTF8.self)
    let frame = Compression.compress(text)
    #expect(Compression.isPlausible(frame, size: size), "the frame names the size")
    #expect(Compression.text(from: frame, size: size) == text)
    #expect(Compression.bytes(from: frame, size: size) == bytes)
    var damaged = frame
    damaged[damaged.startIndex + damaged.count / 2] ^= 1
    #expect(size == 0 || Compression.bytes(from: damaged, size: size) == nil)
    #expect(Compression.units(from: frame, size: size) == Array(text.utf16))
    #expect(size == 0 || Compression.units(from: damaged, size: size) == nil)
  }

  @Test(arguments: ["é", "日本", "😀", "a😀日é", "aé"])
  func `a text with multi-byte characters is decompressed to UTF-16`(characters: String) {
    // The pieces end within characters.
    let text = "x" + String(repeating: characters, count: 6_000_000 / characters.utf8.count)
    let size = text.utf8.count
    let frame = Compression.compress(text)
    #expect(Compression.units(from: frame, size: size) == Array(text.utf16))
    #expect(Compression.units(from: frame, size: size - 1) == nil)
    #expect(Compression.units(from: frame.dropLast(9), size: size) == nil)
    #expect(Compression.units(from: frame + [0], size: size) == nil)
    // Invalid UTF-8 is rejected.
    var bytes = Array(text.utf8)
    bytes[size / 2] = 0xFF
    let invalid = bytes.withUnsafeBufferPointer { Compression.compress($0) }
    #expect(Compression.units(from: invalid, size: size) == nil)
  }

  @Test func `one compressor alternates between pieces and whole texts`() {
    let compressor = Compressor()
    for size in [5 << 20, 10, 6 << 20, 3 << 20] {
      let bytes = [UInt8](repeating: 97, count: size)
      let frame = bytes.withUnsafeBufferPointer(compressor.compress)
      #expect(Compression.bytes(from: frame, size: size) == bytes)
    }
  }
}
