import Editing
import MarkdownParse
import Model
import TestSupport
import Testing

@Suite struct EditBuilderQuoteTests {
  @Test(arguments: [
    ("«a»", "> a"), ("«a»\nb\n\nc", "> a\n> b\n\nc"), ("«a\n\nb»\n\nc", "> a\n>\n> b\n\nc"),
    ("# «T»\na", "> # T\na"), ("«a»\n===\n", "> a\n> ===\n"), ("«a»\r\nb\r\n", "> a\r\n> b\r\n"),
    ("- «a»\n- b", "- > a\n- b"), ("- «a\n- b»", "> - a\n> - b"),
    ("- «a\n\n  b»\n- c", "- > a\n  >\n  > b\n- c"),
    ("1. a\n   «b»", "> 1. a\n>    b"), ("«a\n\n- b\n  c»\n\nd", "> a\n>\n> - b\n>   c\n\nd"),
    ("```\n«a»\n\nb\n```\n", "> ```\n> a\n>\n> b\n> ```\n"), ("    «a»\n", ">     a\n"),
    ("| «a» |\n|--|\n| b |\n", "> | a |\n> |--|\n> | b |\n"),
    ("«a\n\n***\n\nb»", "> a\n>\n> ***\n>\n> b"),
    ("> «a»", "> a"), ("«a»\n> b", "> a\n\n> b"), ("---\nt: x\n---\n«a»", "---\nt: x\n---\n> a"),
    ("a[^1]\n\n[^1]: «n»", "a[^1]\n\n[^1]: > n"), ("- a\n\n  «b»\n- c", "- a\n\n  > b\n- c"),
    ("- «a\n- > b»", "- > a\n- > b"),
    ("~~~\n«a»\n\n", "> ~~~\n> a\n>\n"), ("\u{FEFF}«a»\nb", "\u{FEFF}> a\n> b"),
    ("\u{FEFF}- a\n\n  «b»", "\u{FEFF}- a\n\n  > b"),
    ("- «a»\n  - b", "- > a\n  - b"),
  ])
  func `blocks are quoted`(marked: String, expected: String) throws {
    let source = MarkedSource(marked)
    let change = try source.builder.wrapQuote(source.range)
    #expect(change.markdown == expected)
    #expect(change.document.text == source.document.text)
    #expect(try EditBuilder(change.document).quoteState(in: source.range) == .all)
    #expect(try EditBuilder(change.document).wrapQuote(source.range).isEmpty)
  }

  @Test(arguments: [
    ("> «a»", "a"), (">«a»\n>b", "a\nb"), ("> «a»\nb", "a\nb"),
    ("> a\n>\n> «b»\n>\n> c", "> a\n\nb\n\n> c"),
    ("> > «a»", "> a"), ("> # T\n> «a»", "> # T\na"), ("- > «a»\n- b", "- a\n- b"),
    ("> - «a»\n> - b", "- a\n- b"), ("p\n> «a»", "p\n\na"), ("> «a»\n\nb", "a\n\nb"),
    ("> «a\n>\n> b»", "a\n\nb"), ("«a»", "a"), ("> ```\n> «a»\n> ```\n", "```\na\n```\n"),
    ("> «a»\r\n> b\r\n", "a\r\nb\r\n"), ("   > «a»", "   a"), ("> «a»\n> # T\n", "a\n> # T\n"),
  ])
  func `blocks are removed from their quote`(marked: String, expected: String) throws {
    let source = MarkedSource(marked)
    let change = try source.builder.unwrapQuote(source.range)
    #expect(change.markdown == expected)
    #expect(change.document.text == source.document.text)
  }

  @Test func `a line end alone cannot be quoted`() {
    let source = MarkedSource("«a»\n\nb")
    #expect(throws: FormattingError.nothingSelected) {
      try source.builder.wrapQuote(TextRange(utf16: 1..<2))
    }
  }

  @Test func `a partly quoted range is reported, and can be quoted completely`() throws {
    let source = MarkedSource("> «a\n\nb»")
    #expect(try source.builder.quoteState(in: source.range) == .some)
    #expect(try source.builder.wrapQuote(source.range).markdown == "> a\n\n> b")
  }

  @Test func `deeply nested blocks can be quoted`() throws {
    let source = MarkedSource(String(repeating: "- ", count: 3_000) + "«a»")
    let change = try source.builder.wrapQuote(source.range)
    #expect(change.markdown == "> " + source.document.markdown)
    #expect(
      try EditBuilder(change.document).unwrapQuote(source.range).markdown
        == source.document.markdown)
  }

  @Test func `the text of a task cannot be quoted`() {
    let source = MarkedSource("- [ ] «a»\n- [ ] b")
    let error = #expect(throws: FormattingError.self) { try source.builder.wrapQuote(source.range) }
    #expect(error?.description == "Markdown cannot express this quote inside a task (u16:0-1)")
  }

  @Test func `quoting random blocks and unquoting them restores the source`() throws {
    let seed = SeededGenerator.runSeed
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    var generator = GeneratedMarkdown(seed: seed)
    var count = (done: 0, tasks: 0, html: 0, returned: 0)
    for _ in 0..<300 {
      let document = ParsedDocument(parsing: MarkdownSource(generator.document()))
      guard document.text.count > 0 else { continue }
      let start = Int.random(in: 0..<document.text.count, using: &random)
      let end = min(document.text.count, start + Int.random(in: 1...200, using: &random))
      let range = TextRange(utf16: start..<end)
      do {
        let change = try EditBuilder(document).wrapQuote(range)
        count.done += 1
        #expect(change.document.text == document.text)
        #expect(try EditBuilder(change.document).quoteState(in: range) == .all)
        guard try EditBuilder(document).quoteState(in: range) == .none else { continue }
        let back = try EditBuilder(change.document).unwrapQuote(range)
        #expect(back.markdown == document.markdown)
        count.returned += 1
      } catch .nothingSelected {
        continue  // Only line ends.
      } catch .inexpressible(.quote, .taskItem, _) {
        count.tasks += 1
      } catch .inexpressible(.quote, .html, _) {
        count.html += 1
      }
    }
    print("figures: quotes: \(count)")
    #expect(count.returned > 0 && count.html < count.done)
  }
}
