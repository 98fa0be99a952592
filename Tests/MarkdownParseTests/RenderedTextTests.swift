import Testing

@testable import MarkdownParse

@Suite struct RenderedTextTests {
  /// Texts of up to `storedLimit` bytes are stored in UTF-8 and UTF-16. Longer texts are stored
  /// only in UTF-16 and encoded in UTF-8 on each request.
  @Test(arguments: [1, 200_000]) func `a text is the same in UTF-8 and UTF-16`(count: Int) {
    let text = String(repeating: "aé—漢😀 \u{7FF}\u{800}\u{FFFD}z", count: count)
    let rendered = RenderedText(utf8: Array(text.utf8), count: text.utf16.count)
    #expect((text.utf8.count > RenderedText.storedLimit) == (count > 1))
    #expect(rendered.utf8Count == text.utf8.count)
    #expect(rendered.utf8 == Array(text.utf8))
    #expect(rendered.utf16 == Array(text.utf16))
    #expect(rendered.string == text)
    #expect(rendered == RenderedText(utf8: Array(text.utf8), count: text.utf16.count))
  }

  /// The size of each piece except the last must be a multiple of 64 bytes, the block size of
  /// SHA-256.
  @Test(arguments: [0, 1, 200_000]) func `the pieces of a text add up to the text`(count: Int) {
    let text = String(repeating: "aé—漢😀 \u{7FF}\u{800}\u{FFFD}z", count: count)
    let rendered = RenderedText(utf8: Array(text.utf8), count: text.utf16.count)
    var bytes: [UInt8] = []
    var sizes: [Int] = []
    rendered.withUTF8Pieces { piece in
      bytes += piece
      sizes.append(piece.count)
    }
    #expect(bytes == Array(text.utf8))
    #expect(sizes.dropLast().allSatisfy { $0.isMultiple(of: 64) })
    #expect((sizes.count > 1) == (count > 1))
  }

  /// `TextWriter` converts a text to UTF-16 in parts of about `limit` bytes. A part may end at any
  /// character.
  @Test(arguments: [1, 2, 3, 5, 64]) func `a long text that is written in parts is equal`(
    limit: Int
  ) {
    let source = Array(String(repeating: "one é — 漢 😀 two", count: 40).utf8)
    var expected: [UInt8] = []
    let text = source.withUnsafeBufferPointer { bytes in
      var writer = TextWriter(bytes, limit: limit)
      var start = 0
      for (number, scalar) in String(decoding: source, as: UTF8.self).unicodeScalars.enumerated() {
        let end = start + UTF8.width(scalar)
        switch number % 7 {
        case 0: writer.verbatim(start..<end)
        case 1: writer.atomic("😀é".utf8, source: start..<end)
        case 2:
          writer.verbatim(start..<source.count)
          expected += source[start...]
        default: writer.atomic(UInt8(ascii: "x"), source: start..<end)
        }
        switch number % 7 {
        case 0: expected += source[start..<end]
        case 1: expected += "😀é".utf8
        case 2: break
        default: expected.append(UInt8(ascii: "x"))
        }
        // The last byte must stay available after a part was converted.
        #expect(writer.utf8.last == expected.last)
        start = end
      }
      return writer.takeText()
    }
    #expect(text.utf8 == expected)
    #expect(text.utf16 == Array(String(decoding: expected, as: UTF8.self).utf16))
    #expect(text.utf8Count == expected.count)
  }
}
