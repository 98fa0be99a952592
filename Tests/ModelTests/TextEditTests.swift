import Testing

@testable import Model

@Suite struct TextEditTests {
  private let text = Array("the quick fox".utf16)
  private let edits = [
    TextEdit(range: TextRange(utf16: 0..<3), replacement: "a"),
    TextEdit(range: TextRange(utf16: 4..<9), replacement: "slow"),
    TextEdit(range: TextRange(utf16: 13..<13), replacement: "es"),
  ]

  @Test func `edits are applied, and the resulting text is recognised`() {
    #expect(text.applying(edits) == Array("a slow foxes".utf16))
    #expect(text.applying(edits, gives: Array("a slow foxes".utf16)))
    #expect(text.applying([], gives: text))
    #expect([UInt16]().applying([], gives: []))
  }

  @Test(arguments: ["", "a", "a slow foxe", "a slow foxess", "a slim foxes", "b slow foxes"])
  func `another text is not the result of the edits`(other: String) {
    #expect(!text.applying(edits, gives: Array(other.utf16)))
  }
}
