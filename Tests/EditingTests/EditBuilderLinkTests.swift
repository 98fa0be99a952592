import Editing
import MarkdownParse
import Model
import TestSupport
import Testing

@Suite struct EditBuilderLinkTests {
  @Test(arguments: [
    ("a «b» c", "u", nil, "a [b](u) c"), ("a« b »c", "u", "t", "a [b](u \"t\") c"),
    ("a «b» c", "x y", nil, "a [b](<x y>) c"), ("a «b» c", "", nil, "a [b](<>) c"),
    ("a «b» c", "x(y)", nil, "a [b](x(y)) c"), ("a «b» c", "x(y", nil, "a [b](<x(y>) c"),
    ("a «b» c", "x&amp;y\\*", "\"q\"", "a [b](x\\&amp;y\\\\* \"\\\"q\\\"\") c"),
    ("**«a» b**", "u", nil, "**[a](u) b**"), ("**a «b** c»", "u", nil, "**a** [**b** c](u)"),
    ("«[a](u)»", "v", nil, "[a](v)"), ("[«a» b](u)", "v", nil, "[a](v) [b](u)"),
    ("[a](u)« b»", "u", nil, "[a b](u)"), ("[a](u)« b»", "v", nil, "[a](u) [b](v)"),
    ("«a\n\nb»", "u", nil, "[a](u)\n\n[b](u)"), ("«http://x.y»", "u", nil, "[http://x.y](u)"),
    ("«<http://x.y>» a", "u", nil, "[http://x.y](u) a"), ("«![a](i)»", "u", nil, "[![a](i)](u)"),
    ("«a ] b»", "u", nil, "[a \\] b](u)"), ("«`a`»", "u", nil, "[`a`](u)"),
    ("| «a» |\n|--|\n", "x|y", nil, "| [a](x\\|y) |\n|--|\n"),
    ("[«a» b]\n\n[a b]: /u", "v", nil, "[a](v) [b][a b]\n\n[a b]: /u"),
    ("> «a\n> b»", "u", nil, "> [a\n> b](u)"), ("«[a](u)»", "u", nil, "[a](u)"),
  ])
  func `a range becomes a link`(
    marked: String, destination: String, title: String?, expected: String
  ) throws {
    let source = MarkedSource(marked)
    let change = try source.builder.link(source.range, to: destination, title: title)
    #expect(change.markdown == expected)
    #expect(change.document.text == source.document.text)
    #expect(
      change.document.links.contains { $0.destination == destination && $0.title == title })
  }

  @Test(arguments: [
    ("a [«b»](u) c", "a b c"), ("[a «b» c](u 't')", "[a](u 't') b [c](u 't')"),
    ("«[a](u) [b](v)»", "a b"), ("**[«a»](u)**", "**a**"), ("«[a]»\n\n[a]: /u", "a\n\n[a]: /u"),
    ("«<http://x.y>»", "http\\://x.y"), ("«www.x.yz» a", "www\\.x.yz a"), ("«a@b.cd»", "a\\@b.cd"),
    ("a «b» c", "a b c"), ("[«![a](i)»](u)", "![a](i)"),
  ])
  func `a link is removed from a range`(marked: String, expected: String) throws {
    let source = MarkedSource(marked)
    let change = try source.builder.unlink(source.range)
    #expect(change.markdown == expected)
    #expect(change.document.text == source.document.text)
  }

  @Test func `edits of a destination that is not valid UTF-8 equal the changed document`() throws {
    let source = Array("[a b](".utf8) + [0xFF] + Array(")".utf8)
    let document = ParsedDocument(parsing: MarkdownSource(source))
    let change = try EditBuilder(document).unlink(TextRange(utf16: 0..<1))
    var bytes = source
    for edit in change.edits.reversed() {
      bytes.replaceSubrange(edit.range.bytes, with: Array(edit.replacement.utf8))
    }
    #expect(bytes == change.document.source.bytes)
    let middle = try EditBuilder(
      ParsedDocument(parsing: MarkdownSource(Array("[a b c](".utf8) + [0xFF] + Array(")".utf8)))
    ).unlink(TextRange(utf16: 2..<3))
    #expect(middle.markdown == "[a](\u{FFFD}) b [c](\u{FFFD})")
  }

  @Test func `a destination with a line end is rejected`() {
    let source = MarkedSource("«a»")
    #expect(throws: FormattingError.badDestination("u\nv")) {
      try source.builder.link(source.range, to: "u\nv")
    }
  }
}
