import Foundation
import Testing

/// Tests card files: their format, the named source and the maximum length.
@Suite struct ShareFileTests {
  let bench: Workbench

  init() throws {
    bench = try Workbench()
    try bench.write("own.md", "---\nauthor: Ada\n---\n\nWords of my own.\n")
  }

  private func start(of name: String) throws -> String {
    let data = try Data(contentsOf: bench.folder.appending(path: name)).prefix(5)
    return String(decoding: data, as: UTF8.self)
  }

  @Test func `the format of a card follows from the file name or the option`() throws {
    for (name, beginning) in [
      ("n.svg", "<?xml"), ("n.SVG", "<?xml"), ("n.pdf", "%PDF-"), ("n.txt", "“my"),
      ("n.md", "> my "),
    ] {
      let done = try bench.diple("share", "own.md", "\"my own\"", "-o", name)
      #expect(done.code == 0 && done.output.hasPrefix("wrote \(name) ("), "\(done)")
      #expect(try start(of: name) == beginning)
    }
    for name in ["n.png", "n"] {
      #expect(try bench.diple("share", "own.md", "\"my own\"", "-o", name).code == 0)
      #expect(try start(of: name).hasSuffix("PNG\r"))
    }
    let refused = try bench.diple("share", "own.md", "\"my own\"", "-o", "x.png", "--format", "pdf")
    #expect(refused.code == 2)
    #expect(
      refused.errors == """
        diple: the card is application/pdf, and 'x.png' does not end in .pdf; end the name in .pdf, \
        or choose another kind with --format

        """)
    #expect(!FileManager.default.fileExists(atPath: bench.path("x.png")))
  }

  @Test func `a quote is printed with author and title as text or Markdown`() throws {
    try bench.write("b.md", "# B\n\n- one *two*\n\n1\\. three\n")
    #expect(
      try bench.diple("share", "own.md", "\"my own\"", "--format", "text").output
        == "“my own”\n\n— Ada, own\n")
    #expect(
      try bench.diple("share", "b.md", "para:2..3", "--format", "markdown", "--file").output
        == "> one two\n>\n> 1\\. three\n>\n> — B, b.md\n")
  }

  @Test func `a card contains its file only if requested, and never the folder`() throws {
    try bench.write("titled.md", "# A title\n\nWords of it.\n")
    for name in ["own.md", "titled.md"] {
      for path in [name, bench.path(name)] {
        let quote = ["share", path, "\"Words of\"", "--format", "text"]
        #expect(try !bench.run("diple", quote).output.contains(name))
        let card = try bench.run("diple", quote + ["--file"]).output
        #expect(card.contains(name) && !card.contains(bench.folder.path), "\(card)")
      }
    }
    // The card of a highlight doesn't contain the path of the folder either.
    try bench.diple("add", "titled.md")
    try bench.diple("mark", "titled.md", "\"Words\"")
    let id = try bench.highlights()[0].id
    #expect(try !bench.diple("share", id, "--format", "text").output.contains("titled.md"))
    let card = try bench.diple("share", id, "--format", "text", "--file").output
    #expect(card.contains(", titled.md\n") && !card.contains(bench.folder.path), "\(card)")
  }

  @Test func `a passage that is too long for a card is rejected, unless several are requested`()
    throws
  {
    try bench.write("long.md", String(repeating: "Many words. ", count: 300) + "\n")
    let refused = try bench.diple("share", "long.md", "all", "-o", "long.svg")
    #expect(
      refused.code == 2 && refused.errors.contains("more than the 2000 of a card")
        && refused.errors.contains("--long"), "\(refused)")
    let nameless = try bench.diple("share", "long.md", "all", "--long")
    #expect(nameless.code == 2 && nameless.errors.contains("name a file: -o FILE"))
    let done = try bench.diple("share", "long.md", "all", "-o", "d.svg", "--long")
    #expect(done.code == 0 && done.output.hasPrefix("wrote d-1.svg (image/svg+xml)\nwrote d-2.svg"))
    #expect(!FileManager.default.fileExists(atPath: bench.path("d.svg")))
    // If one of the files exists, no file is written.
    try FileManager.default.removeItem(atPath: bench.path("d-1.svg"))
    let again = try bench.diple("share", "long.md", "all", "-o", "d.svg", "--long")
    #expect(again.code == 6 && again.errors.contains("d-2.svg"), "\(again)")
    #expect(!FileManager.default.fileExists(atPath: bench.path("d-1.svg")))
  }
}
