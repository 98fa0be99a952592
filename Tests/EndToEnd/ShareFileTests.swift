import Foundation
import Testing

/// A card in a file: what it is, what it says of where it is from, and how long it may be.
@Suite struct ShareFileTests {
  let bench: Workbench

  init() throws {
    bench = try Workbench()
    try bench.write("own.md", "Words of my own.\n")
  }

  @Test func `a file is what its name says`() throws {
    let refused = try bench.diple("share", "own.md", "\"my own\"", "-o", "n.png")
    #expect(refused.code == 2)
    #expect(
      refused.errors == """
        diple: the card is image/svg+xml, and 'n.png' does not end in .svg; the theme 'paper' \
        writes .svg

        """)
    #expect(!FileManager.default.fileExists(atPath: bench.path("n.png")))
    for name in ["n.svg", "n.SVG", "n"] {
      #expect(try bench.diple("share", "own.md", "\"my own\"", "-o", name).code == 0, "\(name)")
    }
  }

  @Test func `the folder of a file is not on the card`() throws {
    try bench.write("titled.md", "# A title\n\nWords of it.\n")
    for name in ["own.md", "titled.md"] {
      for path in [name, bench.path(name)] {
        let card = try bench.diple("share", path, "\"Words of\"").output
        #expect(card.contains("<svg") && !card.contains(bench.folder.path), "\(card)")
      }
    }
    // Nor on that of a highlight in a library without a folder of its own.
    try bench.diple("add", "titled.md")
    try bench.diple("mark", "titled.md", "\"Words\"")
    let id = try bench.highlights()[0].id
    let card = try bench.diple("share", id).output
    #expect(card.contains(">titled.md</text>") && !card.contains(bench.folder.path), "\(card)")
  }

  @Test func `a passage that is too long is not drawn unless it is asked for`() throws {
    try bench.write("long.md", String(repeating: "Many words. ", count: 300) + "\n")
    let refused = try bench.diple("share", "long.md", "all", "-o", "long.svg")
    #expect(
      refused.code == 2 && refused.errors.contains("a card is for up to 2000")
        && refused.errors.contains("--long"), "\(refused)")
    #expect(try bench.diple("share", "long.md", "all", "-o", "long.svg", "--long").code == 0)
  }
}
