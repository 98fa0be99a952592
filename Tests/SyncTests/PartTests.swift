import Model
import TestSupport
import Testing

@testable import Sync

/// Tests content that a malicious member has sealed, which only the decoder can reject.
@Suite struct PartTests {
  private static let replica = SampleVault.replicas[0]

  @Test func `altered content is decoded or rejected, and never traps`() throws {
    let seed = SeededGenerator.runSeed
    print("seed \(seed)")
    for round in 0..<40 {
      var drawn = RandomOperations(seed: seed &+ UInt64(round))
      let content = drawn.run(12)
      let isRun = round % 2 == 0
      let bytes = PartEncoder.encode(content.operations, texts: content.texts, isRun: isRun)
      let read = try PartDecoder.decode(bytes)
      #expect(PartEncoder.encode(read.operations, texts: read.texts, isRun: isRun) == bytes)
      for index in bytes.indices {
        var damaged = bytes
        damaged[index] = .random(in: 0...255, using: &drawn.random)
        check(damaged)
        if index % 7 == 0 { check(Array(bytes[..<index])) }
      }
    }
  }

  /// Expects decoded content to be within the limits and equal after encoding.
  private func check(_ bytes: [UInt8]) {
    guard let read = try? PartDecoder.decode(bytes) else { return }
    let again = try? PartDecoder.decode(
      PartEncoder.encode(read.operations, texts: read.texts, isRun: read.isRun))
    #expect(again?.operations.map(\.exactly) == read.operations.map(\.exactly))
    #expect(throws: Never.self) { try PartLimits.check(read.operations, texts: read.texts) }
  }

  @Test func `random inputs never trap`() {
    let seed = SeededGenerator.runSeed
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    for round in 0..<100_000 {
      // Most of the bytes are small numbers, like counts and codes.
      let bytes = (0..<Int.random(in: 0...24, using: &random)).map { _ in
        UInt8.random(in: 0...(round % 3 == 0 ? 255 : 24), using: &random)
      }
      check([0, UInt8(round & 1)] + bytes)
    }
  }

  private func refuse(_ bytes: [UInt8], _ comment: Comment) {
    #expect(throws: SegmentError.self, comment) { try PartDecoder.decode(bytes) }
  }

  /// Returns a run of one operation on the library: at most one text, then its field and value.
  private func operation(_ rest: [UInt8]) -> [UInt8] {
    var writer = ByteWriter()
    writer.raw([0, 1, 1, 0])
    writer.fixed(Self.replica.rawValue)
    writer.raw([1, 0, 0, 0] + rest)
    return writer.bytes
  }

  @Test func `invalid values are rejected`() throws {
    #expect(throws: Never.self) { try PartDecoder.decode(operation([9, ValueTag.yes])) }
    for (rest, comment): ([UInt8], Comment) in [
      ([13, 0], "a field without number"), ([0, 0, 0], "a field without name"),
      ([0, 4] + Array("path".utf8) + [0], "a known field by its name"),
      ([20, 0, 0], "a tag without name"), ([20, 1, 0x1F, 0], "a tag with a separator"),
      ([20, 1, 0xFF, 0], "a tag that is not UTF-8"), ([33, 0], "a field that was not named"),
      ([9, 7], "an unknown kind below the reserved ones"), ([9, 21], "an unknown text"),
      ([9, ValueTag.text, 2, 0xC3, 0x28], "a text that is not UTF-8"),
      ([9, ValueTag.text, 0x80, 0x00], "a number in a longer form"),
      (
        [9, ValueTag.text, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01],
        "a text of 2^64"
      ),
      ([9, ValueTag.text, 0xFF, 0xFF, 0xFF, 0x7F, 1], "a text that ends before its end"),
      ([9, ValueTag.reference, 0, 0], "an operation 0"),
      ([9, ValueTag.reference, 0, 1], "an operation -1"),
      ([9, ValueTag.selectorInText, 0, 0, 0, 0, 0], "a passage in no text"),
      ([9, ValueTag.selector, 0, 0, 0, 0, 0, 0, 2], "a hash that was not named"),
      ([9, 64, 5, 0], "an unknown value that is cut short"), ([9, 0, 0], "one byte more"),
    ] { refuse(operation(rest), comment) }
    // The first time is before 1970, and the second is too far in the future.
    for time: [UInt8] in [[1], [0xFE, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F]] {
      var bytes = operation([9, 0])
      bytes.replaceSubrange(14..<15, with: time)
      refuse(bytes, "a time out of range")
    }
    refuse([0, 1, 0xA1, 0x8D, 0x06] + [UInt8](repeating: 0, count: 500_000), "100,001 operations")
    refuse([0xFF, 0xFF, 0x7F], "two million texts")
  }

  @Test func `a small part that expands beyond the limit is rejected`() throws {
    // Each operation quotes 64 KiB by its range in a text.
    let text = String(repeating: "x", count: 64 << 10)
    let digest = try #require(ContentDigest(bytes: [UInt8](repeating: 1, count: 32)))
    let document = Document.ID(Dot(replica: Self.replica, sequence: 1))
    let carried = CarriedText(document: document, digest: digest, renderVersion: 1, text: text)
    func operations(_ count: Int) -> [Operation] {
      (1...count).map {
        Operation(
          dot: Dot(replica: Self.replica, sequence: Int64($0)), time: Timestamp(packed: 0),
          group: Int64($0), record: .library, field: .selector,
          value: .selector(
            Selector(
              exact: text, prefix: "", suffix: "", position: TextRange(utf16: 0..<text.utf16.count),
              textDigest: digest, renderVersion: 1)))
      }
    }
    let bytes = PartEncoder.encode(operations(1100), texts: [carried], isRun: true)
    #expect(bytes.count < 100_000)
    #expect(throws: SegmentError.self) { try PartDecoder.decode(bytes) }
    let few = PartEncoder.encode(operations(900), texts: [carried], isRun: true)
    #expect(try PartDecoder.decode(few).operations.count == 900)
  }

  @Test func `data that would expand too much is rejected before decompression`() throws {
    let key = Secret.random()
    func open(_ count: Int, size: Int, room: Int, frame: [UInt8]) throws -> [SealedStream.Chapter] {
      var writer = ByteWriter()
      writer.fixed(UInt32(count))
      for number in [size, room, frame.count] { writer.fixed(UInt32(number)) }
      writer.raw(frame)
      writer.raw(repeatElement(0, count: room - frame.count))
      let padding = SealedStream.paddedSize(writer.bytes.count) - writer.bytes.count
      writer.raw(repeatElement(0, count: padding))
      let body = SealedStream.encrypt(writer.bytes, after: [], key: key)
      return try SealedStream.open(body[...], header: [], key: key)
    }
    let plain = [UInt8](repeating: 7, count: 100_000)
    let frame = Packing.pack(plain)
    #expect(try open(1, size: 100_000, room: 5000, frame: frame)[0].unpacked() == plain)
    #expect(throws: SegmentError.self) { try open(1, size: 100_000, room: 4999, frame: frame) }
    #expect(throws: SegmentError.self) { try open(999, size: 100_000, room: 5000, frame: frame) }
    #expect(throws: SegmentError.self) {
      try open(1, size: Wire.plainLimit + 1, room: 4 << 20, frame: frame)
    }
    for size in [0, 1, 99_999] {
      #expect(throws: SegmentError.self) {
        try open(1, size: size, room: 5000, frame: frame)[0].unpacked()
      }
    }
    // A chapter with two frames is rejected.
    #expect(throws: SegmentError.self) {
      try open(1, size: 100_000, room: 5000, frame: frame + Packing.pack([]))[0].unpacked()
    }
  }

  @Test func `UTF-16 ranges are converted to bytes only at character boundaries`() {
    for text in ["", "plain", "e\u{301}", "a👋🏽b", "日本\u{0}", "😀😀"] {
      let units = UTF16Index(text)
      let utf16 = Array(text.utf16)
      #expect(units.count == utf16.count)
      for start in 0...utf16.count {
        for end in start...utf16.count {
          let part = String(decoding: utf16[start..<end], as: UTF16.self)
          let isWhole = ![start, end].contains {
            $0 < utf16.count && UTF16.isTrailSurrogate(utf16[$0])
          }
          #expect(units.bytes(start..<end).map(Array.init) == (isWhole ? Array(part.utf8) : nil))
        }
      }
    }
  }
}
