import MarkdownChecks
import Model
import TestSupport
import Testing

@testable import MarkdownParse

/// Tests Hugo's shortcodes.
@Suite struct HugoTests {
  private static func parsed(_ markdown: String, _ dialect: MarkdownDialect = .hugo) throws
    -> ParsedDocument
  {
    try DocumentCheck.run(Array(markdown.utf8), dialect.options)
    return ParsedDocument(parsing: MarkdownSource(markdown), options: dialect.options)
  }

  @Test(arguments: [
    ("a {{< b c=\"d\" >}} e {{% f %}}", "a e"), ("a\n{{< b >}}\nc", "a\nc"),
    ("{{< b >}}*c*{{< /b >}}", "c"), ("{{<b>}}{{</b>}} {{% c /%}}\n\nd", "d"),
    ("a {{< b\nc >}} d", "a d"), ("{{< a\n  b=\"c\"\n>}}\nd", "d"), ("> {{< a\n> b >}}\n> c", "c"),
    ("{{< a\n\nb", "{{< a\nb"), ("{{ .Site }} {{< 1 >}} {{< >}}", "{{ .Site }} {{< 1 >}} {{< >}}"),
    ("{{< a", "{{< a"), ("`{{< a >}}` \\{\\{< a >}}", "{{< a >}} {{< a >}}"),
    ("a {{</* ref \"*b*\" */>}} {{%/* c */%}}", "a {{< ref \"*b*\" >}} {{% c %}}"),
    ("{{</* a */>}}", "{{< a >}}"), ("{{</* a\n*/>}}", "{{</* a */>}}"),
    ("```\n{{< a >}}\n```", "{{< a >}}"), ("- {{< a >}}\n- b", "b"), ("# a {{< b >}}", "a"),
    ("> [!note]- T\n> a\n\nB\n: c :tada:", "T\na\nB\nc 🎉"),
  ])
  func `shortcodes are hidden`(markdown: String, text: String) throws {
    #expect(try Self.parsed(markdown).text.string == text)
  }

  @Test(arguments: [
    ("{{< highlight go \"linenos=table\" >}}\na *b*\n\n{{< c >}}\n{{< /highlight >}}\nd", "go"),
    ("{{% highlight go %}}\na *b*\n\n{{< c >}}\n{{% /highlight %}}\nd", "go"),
    ("{{< highlight \"c++\" >}}\na *b*\n\n{{< c >}}\n{{</ highlight >}}\nd", "c++"),
  ])
  func `the content of highlight is code`(markdown: String, language: String) throws {
    let document = try Self.parsed(markdown)
    #expect(document.text.string == "a *b*\n\n{{< c >}}\nd")
    let infos = document.blocks.compactMap { block in
      if case .codeBlock(let info?) = block.kind { document.source.text(in: info) } else { nil }
    }
    #expect(infos == [language])
  }

  @Test func `if a highlight shortcode is not closed, only its tag is hidden`() throws {
    #expect(try Self.parsed("{{< highlight go >}}\n*a*\n").text.string == "a")
  }

  @Test(arguments: [
    ("{{% notice %}}\na\n{{% /notice %}}\nb", "Notice\na\nb"),
    ("{{% notice tip %}}\na\n{{% /notice %}}", "Tip\na"),
    ("{{% notice tip \"My *T*\" %}}\na\n\n- b\n{{% /notice %}}\nc", "My T\na\nb\nc"),
    ("{{% notice style=\"warning\" title=\"T\" %}}\na\n{{% /notice %}}", "T\na"),
    ("{{< hint info >}}\na\n{{< /hint >}}", "Info\na"),
    ("{{< alert color=\"warning\" >}}\na\n{{< /alert >}}", "Warning\na"),
    ("{{< callout emoji=\"x\" >}}\na\n{{< /callout >}}", "Callout\na"),
    (
      "{{< note >}}\na\n{{< warning >}}\nb\n{{< /warning >}}\nc\n{{< /note >}}\nd",
      "Note\na\nWarning\nb\nc\nd"
    ),
    ("{{< note >}}\n{{< note >}}\na\n{{< /note >}}\nb\n{{< /note >}}\nc", "Note\nNote\na\nb\nc"),
    ("{{< details \"More\" >}}\na\n{{< /details >}}", "More\na"),
    ("{{< expand \"More\" >}}\na\n{{< /expand >}}", "More\na"),
    ("{{< tab header=\"Go\" >}}\na\n{{< /tab >}}\n{{< tab >}}\nb\n{{< /tab >}}", "Go\na\nb"),
    ("{{< note >}}\na", "a"), ("{{< note />}}\n\na {{< /note >}}", "Note\na"),
    ("{{< note >}}\n```\n{{< /note >}}\n```\n{{< /note >}}\na", "Note\n{{< /note >}}\na"),
    ("> {{< note >}}\n> a\n> {{< /note >}}\n> b", "Note\na\nb"),
    ("- {{< note >}}\n  a\n  {{< /note >}}\n- b", "Note\na\nb"),
    ("{{< note >}}a{{< /note >}}\nb", "a b"),
  ])
  func `callouts have a label`(markdown: String, text: String) throws {
    #expect(try Self.parsed(markdown).text.string == text)
  }

  @Test(arguments: [
    ("{{< figure src=\"a/b.png\" >}}\nc", "b.png\nc", "a/b.png"),
    ("{{< figure src=\"a/b%20c.png\" >}}\n", "b c.png", "a/b%20c.png"),
    ("{{< figure alt=\"A\" title='T' src=a.png caption=\"A *cap*\" />}}\nc", "A *cap*\nc", "a.png"),
    ("{{< figure\n  src=\"a.png\"\n  alt=\"An alt\"\n>}}\nc", "An alt\nc", "a.png"),
    ("a\n> {{< figure\n> src=\"a.png\" >}}\n> c", "a\na.png\nc", "a.png"),
    ("- {{< figure src=\"a.png\" >}}\n", "a.png", "a.png"),
  ])
  func `a figure is an image`(markdown: String, text: String, address: String) throws {
    let document = try Self.parsed(markdown)
    #expect(document.text.string == text)
    #expect(document.links.map(\.destination) == [address])
    #expect(document.inlines.contains { $0.kind == .image(0) })
  }

  @Test func `a figure without an address is hidden`() throws {
    #expect(
      try Self.parsed("{{< figure alt=\"a\" >}}\n\nb {{< figure src=\"c\" >}}").text.string == "b")
  }

  @Test(arguments: [
    ("[a]({{< ref \"page.md\" >}}) b", "page.md"), ("[a]({{% relref \"/x/y\" %}} \"T\") b", "/x/y"),
    ("[a]({{< ref page >}}) b", "page"), ("[a]({{< url >}}) b", "{{< url >}}"),
  ])
  func `a shortcode can be the address of a link`(markdown: String, address: String) throws {
    let document = try Self.parsed(markdown)
    #expect(document.text.string == "a b")
    #expect(document.links.map(\.destination) == [address])
  }

  @Test func `rendered shortcodes map to their source`() throws {
    let markdown = "{{% notice tip %}}\nb\n{{% /notice %}}\n\n{{< figure src=\"c/d.png\" >}}\n"
    let document = try Self.parsed(markdown)
    let text = MarkedText("«Tip»\n«b»\n«d.png»")
    #expect(document.text.string == text.text)
    let shown = text.ranges.map { document.map.source(of: $0).map { document.source.text(in: $0) } }
    #expect(shown == [["tip"], ["b"], ["d.png"]])
    let kinds = document.blocks.compactMap { block in
      if case .admonition(let type, false) = block.kind {
        document.source.text(in: type)
      } else {
        nil
      }
    }
    #expect(kinds == ["tip"])
  }

  @Test(arguments: MarkdownDialect.allCases.filter { $0 != .hugo })
  func `shortcodes are text in other dialects`(dialect: MarkdownDialect) throws {
    #expect(try Self.parsed("a {{< b >}} c", dialect).text.string == "a {{< b >}} c")
  }
}
