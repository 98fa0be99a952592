import Testing
import Workspace

@Suite struct HighlightNumbersTests {
  @Test(arguments: [
    ("1-3", ["1", "2", "3"]), ("1..2", ["1", "2"]), ("4,8", ["4", "8"]),
    ("4,6–7", ["4", "6", "7"]),
  ])
  func `several numbers in one word are separated`(word: String, numbers: [String]) {
    #expect(HighlightNumbers(word)?.words == numbers)
  }

  @Test(arguments: [
    "", "4", "3-1", "1-", "-1", "1,,2", "0-2", "1-99999999999999999999", "1-1000000", "abc",
    "1-9f3c0a5517e2b846", "1-2-3", String(repeating: "1,", count: 200) + "1",
  ])
  func `other words are not numbers of highlights`(word: String) {
    #expect(HighlightNumbers(word) == nil)
  }
}
