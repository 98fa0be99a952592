import Foundation
import Testing

/// Tests which words of `find`, `search` and `replace` are the query.
@Suite struct QueryWordsTests {
  let bench: Workbench

  init() throws {
    bench = try Workbench()
    try bench.write("a.md", "# The words\n\nOn the stack and The Stack; two words here, and two.\n")
    try bench.write("b.md", "# Other\n\nA stack of two words.\n")
    try bench.diple("add", "a.md", "b.md")
  }

  @Test func `in the REPL several words are one query, and the match is selected`() throws {
    let result = try bench.repl(
      "show a.md --plain\nfind the stack\ncopy --print\nnext\ncopy --print\nmark\n")
    #expect(result.code == 0, "\(result)")
    #expect(result.lines.contains("the stack") && result.lines.contains("The Stack"), "\(result)")
    #expect(try bench.highlights().map(\.quote) == ["The Stack"])
    // A complete name is still a document.
    let other = try bench.repl("show a.md --plain\nfind b.md two words\ncopy --print\n")
    #expect(other.output.contains("A stack of") && other.lines.last == "two words", "\(other)")
    #expect(try bench.diple("find", "a.md", "the", "stack").code == 2)
  }

  @Test func `words after a query are part of it unless they are names of documents`() throws {
    func found(_ words: String...) throws -> [String] {
      try bench.run("diple", ["search"] + words).lines.map {
        String($0.split(separator: ":")[0].split(separator: "/").last ?? "")
      }
    }
    #expect(try found("two", "words") == ["a.md", "b.md"])
    #expect(try found("two", "b.md") == ["b.md"])
    #expect(try found("two", bench.folder.path).count == 3)
    #expect(try found("two", "Other") == ["b.md"], "a whole title")
    let unknown = try bench.diple("search", "two", "nowhere.md")
    #expect(
      unknown.code == 4 && unknown.errors.contains("no such file or document: 'nowhere.md'"),
      "\(unknown)")
    let mixed = try bench.diple("search", "two", "b.md", "nowhere")
    #expect(mixed.code == 4, "\(mixed)")
  }

  @Test func `replace accepts find's options for matching`() throws {
    let words = ["replace", "a.md", "the stack", "a heap", "--all", "--dry-run"]
    func places(_ options: String...) throws -> Int {
      try bench.run("diple", words + options).output.matches(of: #/a heap/#).count
    }
    #expect(try places() == 2)
    #expect(try places("--case", "respect") == 1)
    #expect(try places("--case-sensitive") == 1)
    #expect(try places("--case", "ignore") == 2)
  }
}
