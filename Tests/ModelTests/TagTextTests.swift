import Testing

@testable import Model

@Suite struct TagTextTests {
  @Test(arguments: [("todo", "#todo"), ("to do", "#\"to do\""), ("a\u{A0}b", "#\"a\u{A0}b\"")])
  func `a tag with blanks is in quotation marks`(tag: String, shown: String) {
    #expect(tag.asTag == shown)
  }
}
