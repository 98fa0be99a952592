import Testing

@testable import MarkdownParse

@Suite struct RenderedTextTests {
  /// A text that is stored in UTF-8 too, and one that is encoded on request.
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
}
