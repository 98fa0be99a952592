import MarkdownParse
import Rendering
import Testing

@Suite struct LinkTargetTests {
  @Test(arguments: [
    ("#a-heading", LinkTarget.heading("a-heading")),
    ("other.md", .file("/notes/other.md", heading: nil)),
    ("../x/other%20one.md#b", .file("/x/other one.md", heading: "b")),
    ("/abs.md", .file("/abs.md", heading: nil)),
    ("https://a.b/c#d", .address("https://a.b/c#d")), ("mailto:a@b.c", .address("mailto:a@b.c")),
    ("//a.b/c", .address("//a.b/c")), ("c:d", .file("/notes/c:d", heading: nil)),
  ])
  func `a link destination is a heading, a file or an address`(
    destination: String, target: LinkTarget
  ) {
    #expect(LinkTarget(destination, from: "/notes/essay.md") == target)
  }

  @Test func `headings have the names of GitHub`() {
    let document = ParsedDocument(
      parsing: MarkdownSource("# A *first* Heading!\n\n## Same\n\n## Same\n\n## 日本 x_y\n"))
    for (slug, text) in [
      ("a-first-heading", "A first Heading!"), ("same-1", "Same"), ("日本-x_y", "日本 x_y"),
    ] {
      #expect(document.heading(slug: slug).map { document.text.substring($0) } == text)
    }
    #expect(document.heading(slug: "same-1") != document.heading(slug: "same"))
    #expect(document.heading(slug: "none") == nil)
  }
}
