import Interchange
import Model
import Testing

@Suite struct CardTextTests {
  @Test(arguments: [
    ("Words.", QuoteScript.plain, "“Words.”"), ("12 – 13", .plain, "“12 – 13”"),
    ("吾輩は猫である。", .japanese, "「吾輩は猫である。」"), ("名前", .chinese, "“名前”"),
    ("学而时习之", .chinese, "“学而时习之”"), ("한국어 문장입니다.", .korean, "“한국어 문장입니다.”"),
    ("الكتاب خير جليس (Divan)", .arabic, "«الكتاب خير جليس (Divan)»"),
    ("שלום עולם", .hebrew, "”שלום עולם”"), ("जिस तरह हम", .tall, "“जिस तरह हम”"),
    ("The word كتاب is Arabic.", .plain, "“The word كتاب is Arabic.”"),
  ])
  func `a text card has the quotation marks of its script`(
    _ words: String, _ script: QuoteScript, _ quoted: String
  ) {
    #expect(QuoteScript(of: words) == script)
    let quote = AnnotationRecord(id: "1", quote: words, source: "", title: "", color: .yellow)
    #expect(WrittenCard.text(of: quote).text == quoted + "\n")
  }

  @Test(arguments: [
    ("notes/a.md", "", "notes/a.md"), ("A", "", ""),
    ("https://www.example.org/a/b?c#d", "example.org", "example.org"),
    ("http://example.org", "example.org", "example.org"), ("", "", ""),
  ])
  func `a card names a file only if requested, and of an address only the host`(
    _ source: String, _ usual: String, _ withFile: String
  ) {
    let quote = AnnotationRecord(id: "1", quote: "Words.", source: source, title: "A", color: .blue)
    #expect(CardForm().source(of: quote) == usual)
    #expect(CardForm(showsFile: true).source(of: quote) == withFile)
  }

  @Test func `a card as text or Markdown keeps the lines of code and separates paragraphs`() {
    func quote(_ code: String) -> AnnotationRecord {
      let words = "\nSee *:\n\n\(code)\n\n\nThen\nthis.\n"
      var quote = AnnotationRecord(id: "1", quote: words, source: "", title: "", color: .yellow)
      let start = words.utf16.distance(
        from: words.startIndex, to: words.firstRange(of: code)!.lowerBound)
      quote.code = [start..<start + code.utf16.count]
      return quote
    }
    let code = quote("def f(a*b):\n    return 1\n\nf()")
    #expect(
      WrittenCard.text(of: code).text
        == "“See *:\n\ndef f(a*b):\n    return 1\n\nf()\n\nThen\n\nthis.”\n")
    #expect(
      WrittenCard.markdown(of: code).text
        == "> See \\*:\n>\n>     def f(a*b):\n>         return 1\n>\n>     f()\n>\n> Then\n>\n> this.\n"
    )
    var prose = code
    prose.code = []
    #expect(
      WrittenCard.text(of: prose).text
        == "“See *:\n\ndef f(a*b):\n\n    return 1\n\nf()\n\nThen\n\nthis.”\n")
    // Text that other programs run is escaped, as in prose.
    let hostile = WrittenCard.markdown(of: quote("`$= run()`\n{{ run }}")).text ?? ""
    #expect(!hostile.contains(">     ") && !hostile.contains("`$="))
  }
}
