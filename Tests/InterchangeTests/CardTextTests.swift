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
  func `a text card has quotation marks`(
    _ words: String, _ script: QuoteScript, _ quoted: String
  ) {
    #expect(QuoteScript(of: words) == script)
    let quote = AnnotationRecord(id: "1", quote: words, source: "", title: "", color: .yellow)
    #expect(WrittenCard.text(of: quote).text == quoted + "\n")
  }

  @Test(arguments: [
    ("Weniger ist mehr.", "„", "“"),
    ("Als Gregor Samsa eines Morgens aus unruhigen Träumen erwachte", "„", "“"),
    ("Die Würde des Menschen ist unantastbar.", "„", "“"),
    ("L’enfer, c’est les autres.", "«\u{202F}", "\u{202F}»"),
    ("Longtemps, je me suis couché de bonne heure.", "«\u{202F}", "\u{202F}»"),
    ("En un lugar de la Mancha, de cuyo nombre no quiero acordarme", "«", "»"),
    ("Nel mezzo del cammin di nostra vita mi ritrovai per una selva oscura", "«", "»"),
    ("Δεν ελπίζω τίποτα.", "«", "»"), ("Ἄνδρα μοι ἔννεπε, Μοῦσα", "«", "»"),
    ("Все счастливые семьи похожи друг на друга", "«", "»"), ("Рукописи не горят.", "«", "»"),
    ("Реве та стогне Дніпр широкий", "«", "»"),
    ("Аз съм българче и силна майка мене е родила, ще се върна със тебе.", "„", "“"),
    ("Сви људи се рађају слободни, и једнаки су.", "„", "“"),
    ("Litwo! Ojczyzno moja! ty jesteś jak zdrowie.", "„", "”"),
    ("Jeho se to nebude týkat, že to řekl, když byl ve městě.", "„", "“"),
    ("Az élet nem egy habostorta, és ez így van.", "„", "”"),
    ("Det var en gång en flicka som inte var rädd för att gå.", "”", "”"),
    ("Trăm năm trong cõi người ta", "“", "”"), ("Non omnis moriar", "“", "”"),
    ("Less is more.", "“", "”"), ("The Weltschmerz of the French is comme ci, comme ça.", "“", "”"),
    ("I was in die-hard mood: the man who died in war.", "“", "”"), ("", "“", "”"),
    ("Navegar é preciso; viver não é preciso.", "“", "”"),
    ("Wie niet waagt, die niet wint, en dat is het.", "“", "”"),
  ])
  func `quotation marks are those of the language, or else English`(
    _ words: String, _ opening: String, _ closing: String
  ) {
    let marks = QuotationMarks(for: words)
    #expect(marks.opening == opening && marks.closing == closing)
    // Words in another language within a long text change nothing.
    let long = "This is a text about the words of a man who said: "
    #expect(QuotationMarks(for: long + words.prefix(20)).opening == "“")
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
