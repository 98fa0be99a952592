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
}
