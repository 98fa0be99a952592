import Foundation
import MarkdownParse
import Model
import TestSupport
import Testing

@testable import Editing

@Suite struct PassageTests {
  private func document(_ source: String) -> ParsedDocument {
    ParsedDocument(parsing: MarkdownSource(source))
  }

  private func range(of words: String, in document: ParsedDocument) throws -> TextRange {
    let text = document.text.string
    let found = try #require(text.firstRange(of: words), "no '\(words)' in '\(text)'")
    let start = text.utf16.distance(from: text.startIndex, to: found.lowerBound)
    return TextRange(utf16: start..<start + words.utf16.count)
  }

  @Test(arguments: [
    ("a **bold** word", "old w", "**old** w"),
    ("a [link *with* style](to.md \"T\") here", "with st", "[*with* st](to.md \"T\")"),
    ("# A heading\n\nText.", "A heading", "# A heading"),
    ("# A heading\n\nText.", "heading", "heading"),
    ("- one\n- two\n- three", "two\nthree", "- two\n- three"),
    ("> quoted\n> words\n\nafter", "words\nafter", "> words\n\nafter"),
    ("5. five\n6. six", "five\nsix", "5. five\n6. six"),
    ("a \\*star\\* &amp; b", "*star* &", "\\*star\\* &amp;"),
    ("line one  \nline two\nthree", "one\nline two three", "one\\\nline two three"),
    ("```swift\nlet x = 1\nlet y = 2\n```", "let y", "```swift\nlet y\n```"),
    ("![alt *text*](p.png) x", "alt text", "![alt *text*](p.png)"),
    ("say $x^2$ now", "x^2 now", "$x^2$ now"),
    ("a[^1] **b[^x]** c\n\n[^1]: n\n\n[^x]: m", "a[1] b[x] c", "a[^1] **b[^x]** c"),
    ("a[^1] b\n\n[^1]: n", "1] b", "1] b"),
    ("# H[^1]\n\nt\n\n[^1]: n", "H[1]\nt\nn", "# H[^1]\n\nt\n\n[^1]: n"),
    (
      "| a[^1] | b |\n|---|---|\n| c | d |\n\n[^1]: n", "a[1]\tb\nc",
      "| a[^1] | b |\n| --- | --- |\n| c |  |"
    ),
    // Text that is not markup in the document must not become markup in the copy.
    ("and - then", "- then", "\\- then"), ("in 1. place", "1. place", "1\\. place"),
    ("C\\# and # hash", "# hash", "\\# hash"),
    (
      "| a | b |\n|---|---|\n| c | d |\n| e | f |", "c\td\ne\tf",
      "| c | d |\n| --- | --- |\n| e | f |"
    ),
  ])
  func `a passage is copied as complete Markdown`(source: String, words: String, expected: String)
    throws
  {
    let document = document(source)
    #expect(document.markdown(of: try range(of: words, in: document)) == expected)
  }

  @Test(arguments: [
    ("a **bold** *word*", "ld wo", "<p><strong>ld</strong> <em>wo</em></p>\n"),
    (
      "[a & b](x.md?a=1&b=2)", "a & b",
      "<p><a href=\"x.md?a=1&amp;b=2\">a &amp; b</a></p>\n"
    ),
    ("[run](javascript:alert)", "run", "<p>run</p>\n"),
    ("a[^1] b\n\n[^1]: n", "a[1] b", "<p>a<sup>[1]</sup> b</p>\n"),
    ("- one\n- two", "one\ntwo", "<ul>\n<li>one</li>\n<li>two</li>\n</ul>\n"),
    ("3. a\n4. b\n5. c", "b\nc", "<ol start=\"4\">\n<li>b</li>\n<li>c</li>\n</ol>\n"),
    (
      "> <b>x</b> 1 < 2", "x 1 < 2",
      "<blockquote>\n<p><strong>x</strong> 1 &lt; 2</p>\n</blockquote>\n"
    ),
    ("![alt](p.png)", "alt", "<p><img src=\"p.png\" alt=\"alt\"></p>\n"),
    (
      "![an *old* **grey** cat](p.png)![b](q.png)", "old grey catb",
      "<p><img src=\"p.png\" alt=\"old grey cat\"><img src=\"q.png\" alt=\"b\"></p>\n"
    ), ("![an *old* cat](javascript:x) y", "old cat y", "<p>old cat y</p>\n"),
    (
      "![a cat](https://e.example/c.png) y", "cat y",
      "<p><a href=\"https://e.example/c.png\">cat</a> y</p>\n"
    ),
    (
      "```c\na<b\n```", "a<b", "<pre><code class=\"language-c\">a&lt;b\n</code></pre>\n"
    ),
    (
      "| a | b |\n|---|---|\n| c | d |", "b\nc",
      "<table>\n<tr>\n<th>b</th>\n</tr>\n<tr>\n<td>c</td>\n</tr>\n</table>\n"
    ),
  ])
  func `a passage is copied as HTML`(source: String, words: String, expected: String) throws {
    let document = document(source)
    #expect(document.html(of: try range(of: words, in: document)) == expected)
  }

  @Test func `the Markdown of any passage renders the same words`() {
    let seed = SeededGenerator.runSeed
    var random = SeededGenerator(seed: seed)
    for _ in 0..<400 {
      var generator = GeneratedMarkdown(seed: random.next())
      let document = document(generator.document())
      guard document.text.count > 0 else { continue }
      let start = Int.random(in: 0..<document.text.count, using: &random)
      let end = Int.random(in: start...document.text.count, using: &random)
      let range = document.wholeGraphemes(TextRange(utf16: start..<end))
      // A footnote mark stays `[^1]`, and is text in Markdown without its note.
      let words = document.text.substring(range).replacing("[^", with: "[")
        .split(whereSeparator: \.isWhitespace)
      let written = document.markdown(of: range)
      let again = self.document(written).text.string.replacing("[^", with: "[")
        .split(whereSeparator: \.isWhitespace)
      #expect(
        words == again,
        "seed \(seed): \(words.joined(separator: " ").debugDescription) as \(written.debugDescription)"
      )
    }
  }

  @Test(arguments: [
    (
      "You Don't Know JS Yet: Scope & Closures - 2nd",
      "You Don't Know JS Yet: Scope & Closures - 2nd"
    ),
    ("A *star* & b", "A \\*star\\* & b"), ("C# <b> a_b_c", "C# \\<b> a_b_c"),
    ("see www.example.com", "see www\\.example\\.com"), ("&amp; &", "\\&amp; &"), ("a\nb", "a b"),
  ])
  func `a cited title is escaped only where characters would be markup`(
    title: String, expected: String
  ) throws {
    let document = document("text")
    let cited = document.citedMarkdown(of: TextRange(utf16: 0..<4), source: title)
    #expect(cited == "> text\n>\n> — \(expected)")
  }
}
