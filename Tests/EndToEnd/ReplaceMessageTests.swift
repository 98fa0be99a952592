import Foundation
import Testing

/// Tests the messages of `replace` if it changes nothing, or not all matches.
@Suite struct ReplaceMessageTests {
  let bench: Workbench

  init() throws {
    bench = try Workbench()
    try FileManager.default.createDirectory(
      at: bench.folder.appending(path: "docs"), withIntermediateDirectories: true)
    try bench.write("docs/a.md", "One fox, [fox][] and fox.\n\n[fox]: /x\n")
    try bench.write("docs/b.md", "A fox.\n")
    try bench.write("c.md", "Another fox.\n")
    try bench.diple("add", ".")
  }

  private func replace(_ words: String...) throws -> Workbench.Result {
    try bench.run("diple", ["replace"] + words, input: "")
  }

  @Test func `only a match in the name of a link is skipped, and the reason is printed`() throws {
    let result = try replace("docs/a.md", "fox", "dog", "--all", "--yes")
    #expect(result.code == 0 && result.output.hasSuffix("docs/a.md (2 places)\n"), "\(result)")
    #expect(
      result.errors.contains(
        "docs/a.md:1:11: “fox”; it is the name of a link; --source replaces it"))
    #expect(try bench.read("docs/a.md") == "One dog, [fox][] and dog.\n\n[fox]: /x\n")
    let json = try replace("docs/a.md", "fox", "dog", "--json")
    #expect(json.output.contains(#""reason":"it is the name of a link""#), "\(json)")
  }

  @Test(arguments: [
    ["fox", "fox"], ["fox", "FOX", "--preserve-case"], ["fox", "fox", "--source"],
  ])
  func `replacing a text with itself creates no step`(_ words: [String]) throws {
    let steps = try bench.diple("history").output
    for more in [["--all", "--yes"], ["--all", "--dry-run"], ["--match", "1"]] {
      let result = try bench.run("diple", ["replace", "c.md"] + words + more)
      #expect(result.code == 1 && result.output.isEmpty, "\(result)")
      #expect(result.errors.hasPrefix("diple: nothing to change: "), "\(result)")
      #expect(result.errors.split(separator: "\n").count == 1)
    }
    #expect(try bench.diple("history").output == steps)
  }

  @Test func `a missing argument is reported with an example`() throws {
    let with = try replace("c.md", "fox")
    #expect(
      with.code == 2 && with.errors.contains("WITH, the text that replaces 'fox', is missing")
        && with.errors.contains("diple replace c.md fox new"), "\(with)")
    let document = try replace("fox", "dog")
    #expect(
      document.code == 2 && document.errors.contains("DOC, the document, is missing")
        && document.errors.contains("diple replace essay.md old new"), "\(document)")
    #expect(try replace("fox").errors.contains("diple replace essay.md old new"))
  }

  @Test func `a folder refers to the documents below it`() throws {
    let all = try replace(".", "fox", "dog", "--all")
    #expect(
      all.code == 2
        && all.errors == """
          diple: this would change 4 places in 3 files; add --yes, or list the changes with --dry-run

          """,
      "\(all)")
    let docs = try replace("docs", "docs/b.md", "fox", "dog", "--all", "--yes")
    #expect(docs.code == 0 && docs.output.hasSuffix("3 places in 2 files\n"), "\(docs)")
    #expect(try bench.read("c.md") == "Another fox.\n")
    #expect(try bench.read("docs/b.md") == "A dog.\n")
    #expect(try replace("nowhere", "fox", "dog", "--all", "--yes").code == 4)
  }

  @Test func `a formatted match is counted as one place`() throws {
    let result = try bench.diple("format", "bold", "c.md", "fox")
    #expect(result.output == "bold on, 1 place in c.md\n", "\(result)")
  }
}
