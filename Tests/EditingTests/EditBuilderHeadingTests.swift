import Editing
import MarkdownParse
import Model
import TestSupport
import Testing

@Suite struct EditBuilderHeadingTests {
  @Test(
    arguments: [
      ("«a» b", 2, "## a b"), ("# «a»", 3, "### a"), ("# «a» #", 2, "## a ##"), ("# «a»", 1, "# a"),
      ("«a»\nb\n\nc", 3, "### a b\n\nc"), ("«a»\nb\n\nc", 1, "a\nb\n===\n\nc"),
      ("«a»  \nb", 2, "a  \nb\n---"), ("> «a»\n> b", 2, "> a\n> b\n> ---"),
      ("> «a»\nb", 1, "> # a b"),
      ("«a»\n===\nb", 2, "a\n---\nb"), ("«a»\n===\nb", 3, "### a\nb"),
      ("- «a»\n- b", 1, "- # a\n- b"),
      ("«a\n\nb» c", 1, "# a\n\n# b c"), ("«a #»", 2, "## a \\#"),
      ("«a»\r\nb\r\n", 1, "a\r\nb\r\n===\r\n"),
      ("---\nt: x\n---\n«**a**»", 1, "---\nt: x\n---\n# **a**"),
      ("# «a»", nil, "a"), ("# «a» ##\n\nb", nil, "a\n\nb"), ("«a»\n===\n\nb", nil, "a\n\nb"),
      ("# «a»\nb", nil, "a\n\nb"), ("b\n# «a»", nil, "b\n\na"), ("b\n# «a»\nc", nil, "b\n\na\n\nc"),
      ("> # «a»\n> b", nil, "> a\n>\n> b"), ("# «- a»", nil, "\\- a"), ("# «1. a»", nil, "1\\. a"),
      ("# «# a»", nil, "\\# a"), ("## «> a»", nil, "\\> a"), ("«a»", nil, "a"),
      ("\u{FEFF}«a»", 1, "\u{FEFF}# a"),
      ("- # «a»\n  b", nil, "- a\n\n  b"),
    ] as [(String, Int?, String)])
  func `the heading has the requested level and the same text`(
    marked: String, level: Int?, expected: String
  ) throws {
    let source = MarkedSource(marked)
    let change = try source.builder.setHeading(level, source.range)
    #expect(change.markdown == expected)
    #expect(change.document.text == source.document.text)
    #expect(EditBuilder(change.document).headingLevel(at: source.range.lowerBound) == level)
  }

  @Test(arguments: [
    ("«a»  \nb", 3, "Markdown cannot express a heading across a line break (u16:0-3)"),
    ("- [ ] «a»", 1, "Markdown cannot express a heading inside a task (u16:0-1)"),
    ("| «a» |\n|--|\n", 1, "Markdown cannot express a heading inside a table (u16:0-1)"),
    ("```\n«a»\n```", 1, "Markdown cannot express a heading inside a code block (u16:0-1)"),
    ("«a»", 7, "there is no heading of level 7: levels are 1 to 6"),
  ])
  func `a block that cannot be a heading is rejected`(marked: String, level: Int, message: String) {
    let source = MarkedSource(marked)
    let error = #expect(throws: FormattingError.self) {
      try source.builder.setHeading(level, source.range)
    }
    #expect(error?.description == message)
  }
}
