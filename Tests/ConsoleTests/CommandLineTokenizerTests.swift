import ArgumentParser
import Console
import Testing

/// Commands that declare the kinds of their arguments.
private struct Tool: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tool", subcommands: [Mark.self, Show.self, Group.self])

  struct Mark: ParsableCommand {
    @Flag var dryRun = false
    @Option var note = ""
    @Option(completion: .values(.spec)) var within: String?
    @Argument(completion: .values(.document, .spec)) var words: [String] = []
  }

  struct Show: ParsableCommand {
    @Option(name: .customLong("in"), completion: .values(.spec)) var passage: String?
    @Argument(completion: .values(.document)) var doc: String?
  }

  struct Group: ParsableCommand {
    static let configuration = CommandConfiguration(subcommands: [Move.self], aliases: ["g"])
    struct Move: ParsableCommand {
      @Argument(completion: .values(.highlight)) var id: String
      @Argument(completion: .values(.spec)) var spec: String
    }
  }
}

@Suite struct CommandLineTokenizerTests {
  private let tokenizer = CommandLineTokenizer(CommandGrammar(dump: Tool._dumpHelp()))

  @Test(arguments: [
    ("show --color green", ["show", "--color", "green"]),
    ("  show  'my essay.md' ", ["show", "my essay.md"]),
    ("show \"my essay.md\"", ["show", "my essay.md"]),
    ("show my\\ essay.md", ["show", "my essay.md"]),
    (
      "mark essay.md \"the fox\"#2 --note \"a b\"",
      ["mark", "essay.md", "\"the fox\"#2", "--note", "a b"]
    ),
    ("mark essay.md \"first\"…\"last one\"", ["mark", "essay.md", "\"first\"…\"last one\""]),
    ("mark essay.md “the fox”", ["mark", "essay.md", "“the fox”"]),
    ("mark essay.md \"say \\\"hi\\\"\"", ["mark", "essay.md", "\"say \\\"hi\\\"\""]),
    ("mark essay.md heading:\"An Intro\"", ["mark", "essay.md", "heading:\"An Intro\""]),
    ("group move 4 \"it's\"", ["group", "move", "4", "\"it's\""]),
    ("g move \"4\" \"it's\"", ["g", "move", "4", "\"it's\""]), ("", []),
    // The value of an option is a SPEC if it is declared as one. A flag has no value.
    ("show --in \"the fox\"#2 \"my essay\"", ["show", "--in", "\"the fox\"#2", "my essay"]),
    ("mark --dry-run essay.md \"the fox\"", ["mark", "--dry-run", "essay.md", "\"the fox\""]),
    (
      "mark --note \"a b\" essay.md \"the fox\"",
      ["mark", "--note", "a b", "essay.md", "\"the fox\""]
    ),
    ("mark don't forget", ["mark", "don't", "forget"]),
    ("mark \"So,\" he said", ["mark", "\"So,\"", "he", "said"]),
    ("mark \"\"So,\" he\" -c green", ["mark", "\"\"So,\" he\"", "-c", "green"]),
    ("mark \"the fox\"#2", ["mark", "\"the fox\"#2"]),
    ("mark --note=\"a b\" x", ["mark", "--note=a b", "x"]),
    ("mark \"the", ["mark", "\"the"]),
    ("mark He said: “Only this", ["mark", "He", "said:", "“Only", "this"]),
    ("mark said, \"Don't go out", ["mark", "said,", "\"Don't", "go", "out"]),
    ("mark 5\" pipe and 6' more", ["mark", "5\"", "pipe", "and", "6'", "more"]),
    ("mark 'tis the season", ["mark", "'tis", "the", "season"]),
    ("mark --within \"a b\"", ["mark", "--within", "\"a b\""]),
  ])
  func `a line is split into words by the kinds of its arguments`(line: String, words: [String])
    throws
  {
    #expect(try tokenizer.words(in: line) == words)
  }

  @Test func `an unclosed quotation mark is an error`() {
    #expect(throws: CommandLineTokenizer.Unclosed.self) {
      try tokenizer.words(in: "tag 3 \"the")
    }
  }
}
