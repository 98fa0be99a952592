import MarkdownChecks
import Model
import TestSupport
import Testing

@testable import MarkdownParse

/// Tests superscripts and subscripts, and the blanks around hidden parts.
@Suite struct ScriptTests {
  private static func text(_ markdown: String, _ dialect: MarkdownDialect) throws -> String {
    try DocumentCheck.run(Array(markdown.utf8), dialect.options)
    return ParsedDocument(parsing: MarkdownSource(markdown), options: dialect.options).text.string
  }

  @Test(arguments: [
    ("10<sup>6</sup> and x<sub>12</sub>", "10⁶ and x₁₂"), ("H<SUB>2</SUB>O", "H₂O"),
    ("1<sup>st</sup>, T<sub>in</sub>", "1ˢᵗ, Tᵢₙ"),
    ("e<sup>-x</sup>, 10<sup>−3</sup>", "e⁻ˣ, 10⁻³"),
    ("x<sup>*n*</sup>, *x*<sup>**2**</sup>", "xⁿ, x²"), ("a<sup>(&#50;&minus;n)</sup>", "a⁽²⁻ⁿ⁾"),
    ("see<sup>[1](#a)</sup>", "see¹"), ("<sup>14</sup>C <sup>a</sup>", "¹⁴C ᵃ"),
    // Characters for which Unicode has no superscript or subscript.
    ("x<sup>q</sup>, V<sub>CC</sub>, e<sup>a q</sup>", "x^q, V_(CC), e^(a q)"),
    ("x<sup>a&lt;b</sup>", "x^(a<b)"), ("x<sub>`q`</sub>", "x_q"), ("x<sup>日</sup>", "x^日"),
    // Words in small print.
    ("<sub>small print</sub>", "small print"), ("a<br><sub>role</sub>", "a\nrole"),
    ("a <sup>new</sup> b", "a new b"), ("<sub><sup>x</sup></sub>", "ˣ"),
    (
      "a<sub>what is longer than most of what stands low</sub>",
      "a what is longer than most of what stands low"
    ),
    ("a<sup>[^1]</sup>\n\n[^1]: b", "a[1]\nb"), ("a<sup>[1]</sup>", "a[1]"),
    ("a<sup>![b](c)</sup>", "ab"), ("a<sup></sup>b", "ab"), ("a<sup> </sup>b", "a b"),
    // Unclosed and crossing tags.
    ("10<sup>6", "106"), ("6</sup>", "6"), ("*a<sup>b*c</sup>", "abc"), ("a<sup>2</sub>", "a2"),
    ("x<sup>a<sup>b</sup></sup>", "xaᵇ"), ("x<sup\nid=a>2</sup>", "x2"),
    ("`a<sup>2</sup>` \\<sup>2</sup>", "a<sup>2</sup> <sup>2"),
    // In HTML blocks.
    ("<p>10<sup>6</sup>, H<sub>2</sub>O</p>", "10⁶, H₂O"), ("<p>x<sup>q</sup>y</p>", "x^qy"),
    ("<p>x<sup>q r</sup> y</p>", "x^(q r) y"), ("<td>x<sub><b>i</b></sub></td>", "xᵢ"),
    ("<p><sup>14</sup>C</p>", "¹⁴C"), ("<p><sub>small</sub></p>", "small"),
    ("<p>a&sup2;<sup>&#50;</sup></p>", "a²²"), ("<p>a<sup>b</p>", "ab"),
    ("<p>a<sup>2<p>b</p></sup></p>", "a2\nb"), ("<pre>2<sup>8</sup></pre>", "2⁸"),
  ])
  func `letters are shown as superscripts and subscripts`(markdown: String, text: String) throws {
    #expect(try Self.text(markdown, .github) == text)
  }

  @Test(arguments: [
    ("값<sup>Tainting</sup>", "값 Tainting"), ("값<sup>Tainting</sup>은", "값 Tainting은"),
    ("R<sub>max</sub>, log<sub>max</sub>2", "R max, log max 2"), ("a<sup>new</sup>b", "a new b"),
    ("a <sup>new</sup> b", "a new b"), ("a<sup> new </sup>b", "a new b"),
    ("a\u{A0}<sup>new</sup>", "a\u{A0}new"), ("<p>a&amp;\u{A0}<sup>new</sup>", "a&\u{A0}new"),
    ("(<sup>note</sup>) “<sup>note</sup>”", "(note) “note”"), ("<sup>note</sup>", "note"),
    ("상태<sup>변경 감지</sup>가", "상태 변경 감지가"), ("a<sup>가나</sup>", "a^(가나)"),
    ("e<sup>i(kx-wt)</sup> x<sub>i,j,k</sub>", "eⁱ⁽ᵏˣ⁻ʷᵗ⁾ x_(i,j,k)"),
    ("**값**<sup>[Controlled *Part*](u)</sup>로", "값 Controlled Part로"),
    ("`x`<sup>`useState`</sup>, y<sup>w&#111;rd</sup>", "x useState, y word"),
    ("a<sup>[wor](b)</sup>c<sup>one\ntwo</sup>d", "a wor c one two d"),
    ("a<sup>word<!-- x --></sup>b<sup\nid=c>word</sup>", "a word bword"),
    ("| 값<sup>Taint</sup> |\n|-|\n", "값 Taint"), ("# 값<sup>Taint</sup>\n", "값 Taint"),
    (
      "값<sup>this gloss is longer than all those whose tags are looked for beforehand</sup>b",
      "값 this gloss is longer than all those whose tags are looked for beforehand b"
    ),
    ("<p>값<sup>Tainting</sup>은 R<sub>max</sub>x (<sup>note</sup>)", "값 Tainting은 R max x (note)"),
    ("<p>a<sup>word</sup> b<sup>one <sub>x</sub></sup>c<sup>two", "a word b one ₓ c two"),
    (
      "<p>값<sup>this gloss is longer than all those whose tags are looked for beforehand</sup>b",
      "값 this gloss is longer than all those whose tags are looked for beforehand b"
    ),
    ("<pre>a<sup>word</sup>b</pre>", "a word b"), ("<p>a&lt;<sup>word</sup>", "a< word"),
  ])
  func `words in small print are separated by blanks`(markdown: String, text: String) throws {
    #expect(try Self.text(markdown, .github) == text)
  }

  @Test func `the blank before small print maps to its tag`() throws {
    for (before, after) in [("", ""), ("<p>", "</p>")] {
      let source = MarkdownSource(before + "값<sup>Tainting</sup>s, 10<sup>12</sup>." + after)
      let document = ParsedDocument(parsing: source)
      let marked = MarkedText("값« »«Tainting»« »s, 10«¹»«²».")
      #expect(document.text.string == marked.text)
      let shown = marked.ranges.map { range in
        document.map.source(of: range).map { source.text(in: $0) }.joined(separator: "|")
      }
      #expect(shown == ["<sup>", "Tainting", "</sup>", "1", "2"])
    }
  }

  @Test(arguments: [
    ("R~max~ x^word^y (^abc^) ^abc^", "R max x word y (abc) abc"), ("**^abc^**", "abc"),
  ])
  func `words between carets or tildes are separated by blanks`(markdown: String, text: String)
    throws
  {
    #expect(try Self.text(markdown, .pandoc) == text)
    #expect(try Self.text(markdown, .mkdocs) == text)
  }

  @Test(arguments: [
    ("2^10^, H~2~O, x^a+b^", "2¹⁰, H₂O, xᵃ⁺ᵇ"), ("^14^C", "¹⁴C"), ("x^q^, V~CC~", "x^q, V_(CC)"),
    ("~~struck~~ a ~ b ~c d~", "struck a ~ b ~c d~"), ("2^10 and x^ y", "2^10 and x^ y"),
    ("`2^1^` \\^1^ 2^\\^", "2^1^ ^1^ 2^^"), ("^^a^^ x^*n*^", "^^a^^ x^n^"),
    ("| 2^8^ |\n|-|\n", "2⁸"), ("a[^1]^2^\n\n[^1]: b", "a[1]²\nb"),
  ])
  func `carets and tildes mark superscripts and subscripts in some dialects`(
    markdown: String, text: String
  ) throws {
    #expect(try Self.text(markdown, .pandoc) == text)
    #expect(try Self.text(markdown, .mkdocs) == text)
  }

  @Test(arguments: [MarkdownDialect.github, .obsidian, .commonmark, .myst, .jekyll, .mdx])
  func `carets and tildes are text in other dialects`(dialect: MarkdownDialect) throws {
    #expect(try Self.text("2^10^ a^b^c", dialect) == "2^10^ a^b^c")
  }

  @Test func `a superscript maps to its letter in the source`() throws {
    let source = MarkdownSource("10<sup>12</sup>, x<sup>q</sup>.")
    let document = ParsedDocument(parsing: source)
    let marked = MarkedText("1«0¹»²«, x^»q.")
    #expect(document.text.string == marked.text)
    let shown = marked.ranges.map { range in
      document.map.source(of: range).map { source.text(in: $0) }.joined(separator: "|")
    }
    #expect(shown == ["0|1", ", x<sup>"])
  }

  @Test(arguments: [
    ("a <!-- b --> c", "a c"), ("a <!-- b --> <!-- c --> d", "a d"), ("a<!-- b -->c", "ac"),
    ("a <!-- b -->c", "a c"), ("a<!-- b --> c", "a c"), ("*a <!-- b -->* c", "a c"),
    ("a <!-- b -->*c*", "a c"), ("a\n</b> c\n</b>\ne", "a c e"), ("a <!-- b -->\nc", "a c"),
    ("a\nb <!-- c -->", "a b"), ("x <!-- c --> ", "x"), ("a <!-- b -->  \nc", "a\nc"),
    ("a  b <!-- c --> d  e", "a  b d  e"), ("# <!-- a --> b <!-- c -->", "b"),
    ("| <!-- a --> b | c <!-- d --> |\n|-|-|", "b\tc"), ("a <img> b", "a b"),
    ("a <!-- b --> `c`", "a c"), ("a <!-- b --> <http://c.d>", "a http://c.d"),
    ("a <b> b </b> c", "a  b  c"), ("a ![](b.png) <!-- c -->", "a b.png"),
    ("a ![b](c.png) <!-- c -->", "a b"), ("a ![](b.png)<!-- c --> d", "a b.png d"),
    ("a\n<!-- b\nc --> d", "a\nd"),
  ])
  func `of two blanks around a hidden part one is kept`(markdown: String, text: String) throws {
    #expect(try Self.text(markdown, .github) == text)
  }
}
