import Console
import Testing

@Suite struct LineWordsTests {
  @Test(arguments: [
    ("list --color green", ["list", "--color", "green"]),
    ("  show  'my essay.md' ", ["show", "my essay.md"]),
    ("show \"my essay.md\"", ["show", "my essay.md"]),
    ("show my\\ essay.md", ["show", "my essay.md"]),
    ("mark \"the fox\"#2 --note \"a b\"", ["mark", "\"the fox\"#2", "--note", "a b"]),
    ("mark \"first\"…\"last one\"", ["mark", "\"first\"…\"last one\""]),
    ("mark “the fox”", ["mark", "“the fox”"]),
    ("mark \"say \\\"hi\\\"\"", ["mark", "\"say \\\"hi\\\"\""]),
    ("mark heading:\"An Intro\" -c pink", ["mark", "heading:\"An Intro\"", "-c", "pink"]),
    ("hl note 4 \"it's\"", ["hl", "note", "4", "it's"]), ("", []),
  ])
  func `a line is divided as a person means it`(line: String, words: [String]) throws {
    #expect(try CommandLineTokenizer.words(in: line) == words)
  }

  @Test func `an open quotation mark is said`() {
    #expect(throws: CommandLineTokenizer.Unclosed.self) {
      try CommandLineTokenizer.words(in: "mark \"the")
    }
  }
}
