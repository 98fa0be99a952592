import Testing

@testable import MarkdownParse

/// Tests that the rules of `ParsedDocument.renderVersion` change only with its version.
@Suite struct RenderVersionTests {
  /// One or more documents for each rule.
  private static let fixtures: [String] = [
    // 1. Leaves.
    "# One\n\nTwo\n\n- three\n- four\n\n> five\n", "a\n\n<div>\n</div>\n\n[x]: y\n\n***\n\nb",
    "a[^n]\n\n[^n]: note\n\n    more\n\nb",
    "| a |  | c |\n|-|-|-|\n|  | b |\n| d | e | f | g |\n\nh",
    "-\n\n- a\n-\n\n#\n\nb",
    // 2. Lines.
    "a\nb\r\nc\rd  \ne\\\nf\n", "  a  \n \t b \n", "# a #\n\n|  a  |\n|-|\n", "a   \n",
    "T\n  U\n===\n",
    // 3. Hidden parts.
    "> - [x] a\n> - [ ] b\n> 3. c\n", "~~~ info\nx\n~~~\n", "a <b>c</b> <!-- d --> e",
    "---\ntitle: a\n---\nb\n\n---\n\nc", "\u{FEFF}a", "a[^1] b[^2]\n\n[^1]: c\n",
    // 4. Spans.
    "*a* **b** ***c*** _d_ ~~e~~ ~f~ ==g== `h` $i^2$ $$j$$",
    "[a *b*](c \"d\") [e][] [f]\n\n[e]: /e\n",
    "![a *b* `c`](d) <http://a.b> <a@b.cd> www.a.bc http://a.b/_c_ x@y.za",
    "$5 and $6, a==b, 1*2*3",
    // 5. Code.
    "`` ` `` ` a ` `  ` `a\nb`", "```\na\n\n\tb\r\nc\n```\n", "    a\n\n    b\n\n\n",
    "-\ta\n\n\t\tb\n",
    "> ```\n> a\n>\n> b\n",
    // 6. Characters.
    "\\* \\a &amp; &nGt; &#x1F44B; &#0; &nope; `&amp; \\*` $\\* &lt;$", "a\0b 👋🏽 é e\u{301} 日本",
    "| a\\|b | `c\\|d` | <http://e\\|f> |\n|-|-|-|\n",
    // Version 2: an escaped bar in a cell is recognised first, and a box may be alone on its line.
    "| a\\\\|b |\n|-|\n", "- [ ] \n  M\n",
    // 8. Dialects. `DialectTests` compares the other dialects.
    "> [!NOTE]\n> a\n\n> [!nope]\n> b\n\n> [!tip] c\n", "a :tada: :nope: b:key:c\n\n[TOC]\n\nd",
    // Version 2: the text of HTML, names of pictures, footnote marks, attributes, dollar signs.
    "<div>a <b>b</b><p>c\n  d<br>e</div>\n\n<ul><li>f<li>g</ul>\n\n<pre>\n h\n\n i\n</pre>\n\nj<br>k",
    "<table><tr><td>a</td><td>b &amp; c</td></tr></table>\n\n<img alt='d  e' src=f> <script>g</script>h",
    "![](a/b%20c.png) ![][d] <img src='e/f.png?g'>\n\n[d]: /h/i.png\n", "a[^b]\n\n[^b]: c\n",
    // Version 2: superscripts and subscripts, blanks around hidden parts, hidden elements.
    "a<sup>2</sup> b<sub>q</sub> <sub>c d</sub>\n\n<p>e<sup>f</sup><sub>G</sub>\n",
    "값<sup>Tainting</sup>은 R<sub>max</sub>x e<sup>i(kx-wt)</sup>\n\n<p>a<sup>words</sup>b\n",
    "a <!-- b --> c\n</b> d <!-- e -->\n", "a <i hidden>b</i>\n\n<p style='display:none'>c</p>\n",
    "+++\na = 1\n+++\nb $`c`$\n",
    "$A: `$ b` $c `d` e$ $$f `$$` g$$\n\n[$h](i) j$ [k $l[m](n)$](o)\n",
    "# a {#b .c}\n\n# d {e}\n", "$HOME or $b, 5$x$, $y$ `$z$`",
  ]

  /// The digest of the fixtures' text for each version. The digest of a released version never
  /// changes. That of the next version is updated with its rules.
  private static let digests: [Int: UInt64] = [
    1: 12_762_356_879_826_786_340, 2: 9_698_975_271_144_723_597,
  ]

  @Test func `the rendered text of a version is unchanged`() {
    var digest: UInt64 = 0xCBF2_9CE4_8422_2325
    func add(_ byte: UInt8) { digest = (digest ^ UInt64(byte)) &* 0x100_0000_01B3 }  // FNV-1a.
    let broken: [[UInt8]] = [[0x61, 0xFF, 0xE2, 0x82, 0x62], [0xED, 0xA0, 0x80, 0xF0, 0x9F]]
    for bytes in Self.fixtures.map({ Array($0.utf8) }) + broken {
      let text = ParsedDocument(parsing: MarkdownSource(bytes)).text.utf8
      text.forEach(add)
      add(0)  // No text contains NUL.
    }
    #expect(
      digest == Self.digests[ParsedDocument.renderVersion],
      "the text has changed: that is a new version with the digest \(digest), not a new digest")
  }
}
