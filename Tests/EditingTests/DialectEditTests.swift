import Editing
import MarkdownParse
import Model
import TestSupport
import Testing

/// Tests that formatting and replacing neither create nor break the markup of a dialect.
@Suite struct DialectEditTests {
  @Test(arguments: [
    (MarkdownDialect.obsidian, "a fox b", "[[x]]", "a [[x]] b"),
    (.obsidian, "a fox b", "%%x%%", "a %%x%% b"), (.obsidian, "a fox", "b ^id", "a b ^id"),
    (.obsidian, "> fox\n> b", "[!note]", "[!note] b"), (.obsidian, "fox", "%% x %%", "%% x %%"),
    (.obsidian, "see [[A|fox]]", "dog", "see dog"),
    (.obsidian, "> [!tip] fox\n> b", "dog", "dog\nb"),
    (.github, "a fox b", ":tada:", "a :tada: b"), (.github, "fox", "[TOC]", "[TOC]"),
    (.github, "> fox\n> b", "[!NOTE]", "[!NOTE] b"), (.github, "> fox", "[!NOTE]", "[!NOTE]"),
    (.mkdocs, "fox", "!!! note", "!!! note"), (.mkdocs, "fox", "=== \"a\"", "=== \"a\""),
    (.mkdocs, "a\nfox", ": b", "a : b"), (.mkdocs, "fox\n: b", "dog", "dog\nb"),
    (.docusaurus, "fox", ":::note", ":::note"), (.docusaurus, "fox", "<A b={c}>", "<A b={c}>"),
    (.docusaurus, "a fox", "{/* c */}", "a {/* c */}"),
    (.docusaurus, ":::note fox\nb\n:::", "dog", "dog\nb"),
    (.jekyll, "a fox", "{% b %}", "a {% b %}"), (.jekyll, "fox", "{% b %}", "{% b %}"),
    (.jekyll, "fox", "{: .a}", "{: .a}"), (.jekyll, "*b*fox", "{: .a}", "b{: .a}"),
    (.jekyll, "fox", "*[A]: b", "*[A]: b"), (.jekyll, "fox", "{::a}", "{::a}"),
    (.pandoc, "a fox", "^[b]", "a ^[b]"), (.pandoc, "a fox b", "x^2^", "a x^2^ b"),
    (.pandoc, "fox", "H~2~O", "H~2~O"), (.pandoc, "`b`fox", "{.c}", "b{.c}"),
    (.pandoc, "fox", "[b]{.c}", "[b]{.c}"), (.obsidian, "fox c", "b^[a]", "b^[a] c"),
    (.mkdocs, "a fox", "++ctrl++", "a ++ctrl++"),
    (.mkdocs, "a fox", ":material-b:", "a :material-b:"),
    (.mkdocs, "a fox", "\\(b\\)", "a \\(b\\)"), (.mkdocs, "fox", "*[A]: b", "*[A]: b"),
    (.mkdocs, "fox", "{ .a }", "{ .a }"), (.mkdocs, "**b**fox", "{ .a }", "b{ .a }"),
    (.myst, "fox", "(a)=", "(a)="), (.myst, "fox", "% a", "% a"), (.myst, "fox", "+++", "+++"),
    (.myst, "fox`b`", "{ref}", "{ref}b"),
    (.docusaurus, "fox", "<Tab label=\"a\">", "<Tab label=\"a\">"),
    (.hugo, "a fox", "{{< b >}}", "a {{< b >}}"), (.hugo, "fox", "{{% b %}}", "{{% b %}}"),
    (.hugo, "{{< tab \"fox\" >}}\nb\n{{< /tab >}}", "dog", "dog\nb"),
    (.github, "a fox", "b<sup>2</sup>", "a b<sup>2</sup>"),
    (.github, "a fox b", "<i hidden>c</i>", "a <i hidden>c</i> b"),
    (.docusaurus, "<Tab label=\"fox\">\n\nb", "dog", "dog\nb"),
  ])
  func `a replacement is rendered literally`(
    dialect: MarkdownDialect, markdown: String, new: String, text: String
  ) throws {
    let document = ParsedDocument(parsing: MarkdownSource(markdown), options: dialect.options)
    let units = Array(document.text.utf16)
    let start = try #require(
      units.indices.first { units[$0...].starts(with: "fox".utf16) }, "\(document.text.string)")
    let result = Replacer(document).replace([
      TextEdit(range: TextRange(utf16: start..<start + 3), replacement: new)
    ])
    #expect(result.refused.isEmpty, "\(result.refused)")
    #expect(result.document.text.string == text, "\(result.document.markdown)")
    #expect(result.document.options == dialect.options)
  }

  @Test func `a superscript can be replaced by another one`() {
    let document = ParsedDocument(parsing: MarkdownSource("10<sup>6</sup> a"))
    let result = Replacer(document).replace([
      TextEdit(range: TextRange(utf16: 2..<3), replacement: "⁷")
    ])
    #expect(result.document.text.string == "10⁷ a")
    let other = Replacer(document).replace([
      TextEdit(range: TextRange(utf16: 2..<3), replacement: "x")
    ])
    #expect(other.refused.count == 1 || other.document.text.string == "10x a")
  }

  @Test func `the automatic title of a callout cannot be replaced`() {
    let document = ParsedDocument(parsing: MarkdownSource("> [!NOTE]\n> b"))
    let result = Replacer(document).replace([
      TextEdit(range: TextRange(utf16: 0..<4), replacement: "Hint")
    ])
    #expect(result.refused.count == 1 && result.document.markdown == "> [!NOTE]\n> b")
  }

  @Test(arguments: [
    (MarkdownDialect.obsidian, "see «[[A|b]]» c %%d%%", "see **[[A|b]]** c %%d%%"),
    (.obsidian, "> [!tip] «Own» title\n> b", "> [!tip] **Own** title\n> b"),
    (.mkdocs, "«Term»\n: b\n", "**Term**\n: b\n"),
    (.mkdocs, "!!! note\n\n    one «two»\n", "!!! note\n\n    one **two**\n"),
    (.github, "a «:tada: b»", "a **:tada: b**"),
    (.github, "x<sup>«q»</sup>", "x<sup>**q**</sup>"),
    (.pandoc, "a «H~2~O» b", "a **H~2~O** b"), (.pandoc, "a^[«note» b]", "a^[**note** b]"),
  ])
  func `a style is written around the markup of a dialect`(
    dialect: MarkdownDialect, marked: String, expected: String
  ) throws {
    let source = MarkedSource(marked, options: dialect.options)
    let change = try EditBuilder(source.document).wrap(.strong, source.range)
    #expect(change.document.markdown == expected)
  }
}
