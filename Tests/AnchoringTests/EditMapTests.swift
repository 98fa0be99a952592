import Anchoring
import Model
import TestSupport
import Testing

@Suite struct EditMapTests {
  @Test(arguments: [
    (0..<0, "xx", "«b»", "xx" + "a «b» c"), (2..<2, "xx", "", "a xx«b» c"),
    (3..<3, "xx", "", "a «b»xx c"), (2..<3, "", "", "a  c"), (1..<3, "yy", "", "ayy c"),
    (2..<3, "yy", "", "a «yy» c"),
  ])
  func `a range is mapped through an edit`(
    edit: Range<Int>, replacement: String, _: String, expected: String
  ) {
    let range = MarkedText("a «b» c").range
    let mapped = range.mapped(through: [
      TextEdit(range: TextRange(utf16: edit), replacement: replacement)
    ])
    #expect(mapped == MarkedText(expected).ranges.first)
  }

  @Test func `a replacement of the first or last word belongs to the range`() {
    let range = MarkedText("«one two three» four").range
    let edits = [
      TextEdit(range: TextRange(utf16: 0..<3), replacement: "1"),
      TextEdit(range: TextRange(utf16: 8..<13), replacement: "drei"),
    ]
    #expect(range.mapped(through: edits) == MarkedText("«1 two drei» four").range)
  }

  @Test func `a range is mapped through several edits`() {
    let edits = [
      TextEdit(range: TextRange(utf16: 0..<1), replacement: "AAA"),
      TextEdit(range: TextRange(utf16: 4..<5), replacement: ""),
    ]
    #expect(MarkedText("a b c «d»").range.mapped(through: edits) == MarkedText("AAA b  «d»").range)
  }
}
