import Model
import TestSupport
import Testing

@testable import Interchange

@Suite struct BibTeXTests {
  private func read(_ text: String) throws -> Bibliography {
    try #require(Bibliography(Array(text.utf8)))
  }

  @Test func `an entry of a reference manager is parsed`() throws {
    let text = #"""
      % a comment with @article{no, title={x}}
      @string{hog = "Hogarth " # {Press}}
      @comment{ignored {@book{x}} }
      @preamble{"\newcommand{\x}{y}"}
      @Book(woolf1929,
        author = {Woolf, Virginia and {The Bloomsbury Group} and Dvo{\v r}{\'a}k, Anton{\'{\i}}n},
        title = "A {Room} of One's {\"O}wn" # " -- again",
        subtitle = {\emph{x} \& y},
        publisher = hog, year = 1929, month = oct, pages = {1--2}, url = {https://x.org/a\_b?c=\%20},
        doi = {https://doi.org/10.1/a_b}, isbn = 0156030411, keywords = {a, b}, file = {x:y.pdf}
      )
      """#
    let found = try read(text)
    #expect(found.format == .bibtex && found.problems.isEmpty && found.sources.count == 1)
    let source = try #require(found.sources.first)
    #expect(source.text(.citationKey) == "woolf1929")
    #expect(source.kind == "book")
    #expect(
      source.names(.author).map(\.direct) == [
        "Virginia Woolf", "The Bloomsbury Group", "Antonín Dvořák",
      ])
    #expect(source.text(.title) == "A Room of One's Öwn – again: x & y")
    #expect(source.text(.publisher) == "Hogarth Press")
    #expect(source.text(.issued) == "1929-10")
    #expect(source.text(.page) == "1-2")
    #expect(source.text(.url) == "https://x.org/a_b?c=%20")
    #expect(source.text(.doi) == "10.1/a_b")
    #expect(source[BibTeXFields.custom]?["bibtex"]["file"].text == "x:y.pdf")
  }

  @Test func `subtitles belong to their titles`() throws {
    let found = try read(
      """
      @incollection{a, title = {Why?}, subtitle = {A part}, booktitle = {Whole}, booksubtitle = {All}}
      @book{b, title = {Long Title}, shorttitle = {Title}}
      """)
    #expect(found.sources[0].text(.title) == "Why? A part")
    #expect(found.sources[0].text(.shortTitle) == "Why?")
    #expect(found.sources[0].text(.container) == "Whole: All")
    #expect(found.sources[1].text(.title) == "Long Title")
    #expect(found.sources[1].text(.shortTitle) == "Title")
  }

  @Test func `bibliographies in encodings of Windows are read`() throws {
    let text = "@book{a, author = {Dvořák, A.}, title = {“é” – x}}"
    let bytes =
      Array("@book{a, title = {".utf8) + [0x93, 0xE9, 0x94, 0x20, 0x96] + Array(" x}}".utf8)
    let units = Array(text.utf16)
    let little: [UInt8] = [0xFF, 0xFE] + units.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
    let big: [UInt8] = [0xFE, 0xFF] + units.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
    for bytes in [bytes, little, big, [0xEF, 0xBB, 0xBF] + Array(text.utf8)] {
      #expect(Bibliography(bytes)?.sources.first?.text(.title) == "“é” – x")
    }
  }

  @Test(arguments: [
    #"{"title": "Settings"}"#, #"[{"title": "a", "type": "task"}]"#, #"[{"id": 1}]"#,
    #"{"items": [{"title": "x", "author": "Ada"}]}"#,
  ]) func `other JSON with titles is not a bibliography`(_ text: String) {
    #expect(Bibliography(Array(text.utf8)) == nil)
  }

  @Test(arguments: [
    #"[{"id": "a", "type": "book", "title": "T"}]"#,
    #"[{"title": "T", "issued": {"date-parts": [[2001]]}}]"#,
    #"{"items": [{"title": "T", "author": [{"family": "Lee"}]}]}"#,
  ]) func `CSL items are read`(_ text: String) {
    #expect(Bibliography(Array(text.utf8))?.sources.first?.text(.title) == "T")
  }

  @Test func `an entry inherits fields by crossref`() throws {
    let found = try read(
      """
      @inproceedings{a, title = {Part}, crossref = {B}}
      @proceedings{b, title = {Whole}, year = {2001}, publisher = {P}}
      """)
    #expect(found.sources[0].text(.container) == "Whole")
    #expect(found.sources[0].text(.title) == "Part")
    #expect(found.sources[0].date(.issued)?.year == 2001)
  }

  @Test(arguments: [
    ("@book{a, title = {x}", 1, "comma"), ("@book{a, title {x}}", 1, "NAME = VALUE"),
    ("\n\n@book{a, title = }", 3, "value is missing"), ("@book{a title = {x}}", 1, "comma"),
    ("@book{a, title = \"x}", 1, "unexpected }"), ("@book{a, title = {x", 1, "never closed"),
  ])
  func `an error contains its line, and the next entries are parsed`(
    text: String, line: Int, message: String
  ) throws {
    let whole = try read(text + "\n@misc{ok, title = {fine}}")
    #expect(whole.problems.first?.line == line, "\(whole.problems)")
    #expect(whole.problems.first?.message.contains(message) == true, "\(whole.problems)")
    #expect(whole.sources.map { $0.text(.citationKey) } == ["ok"])
  }

  @Test(arguments: ["", "no entry", "a@b.org {x}", "@", "@{", "@book", "mail me @ {x}"])
  func `a text without an entry is not BibTeX`(text: String) {
    #expect(Bibliography(Array(text.utf8)) == nil)
  }

  @Test(arguments: [
    (#"\'e"#, "é"), (#"{\'e}"#, "é"), (#"\'{e}"#, "é"), (#"\'{\i}"#, "í"), (#"\c{c}"#, "ç"),
    (#"\c c"#, "ç"), (#"\ss{}x"#, "ßx"), (#"\o re"#, "øre"), (#"{\aa}"#, "å"), (#"\"{}"#, ""),
    (#"\'"#, ""), (#"\"#, ""), (#"a~b"#, "a\u{A0}b"), (#"``a''"#, "“a”"), (#"a---b"#, "a—b"),
    (#"\textbf{a} \textit {b}"#, "a b"), (#"\LaTeX"#, "LaTeX"),
    (#"$\alpha_{1}$"#, #"$\alpha_{1}$"#),
    (#"50\% \& \$5"#, "50% & $5"), (#"\v{q}"#, "q\u{30C}"), (#"\^"#, ""), (#"{a{b}c}"#, "abc"),
    (#"\~n"#, "ñ"), (#"\textendash b"#, "–b"), (#"\H{o}"#, "ő"), (#"\k a"#, "ą"),
  ])
  func `LaTeX is converted to plain text`(text: String, expected: String) {
    #expect(Array(LaTeXText.plain(text).unicodeScalars) == Array(expected.unicodeScalars))
  }

  @Test func `a written entry is parsed to the same source`() throws {
    let seed = SeededGenerator.runSeed
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    let words = [
      "Ärger", "a_b", "50%", "{x}", "DNA", "\\cmd", "x^2", "~", "“q”", "日本", "A", "&", "#1", "$5",
      "van", "the", "É", "ﬁ", "O'Neil", "x–y",
    ]
    func text() -> String {
      (0..<Int.random(in: 1...4, using: &random)).map { _ in words.randomElement(using: &random)! }
        .joined(separator: " ")
    }
    for _ in 0..<2_000 {
      var source = Source()
      source[.type] = .text(
        ["book", "article-journal", "chapter", "webpage", "thesis"].randomElement(using: &random)!)
      source[.citationKey] = .text("key")
      let names = (0..<Int.random(in: 0...3, using: &random)).map { _ in
        Bool.random(using: &random)
          ? PersonName(literal: "The \(text())")
          : PersonName(
            family: ["Lee", "Ek", "Ōe", "Ñandú"].randomElement(using: &random)!, given: "A. B.")
      }
      source.set(.author, to: names)
      for variable: Source.Variable in [.title, .publisher, .note, .container, .volume, .abstract]
      where Bool.random(using: &random) { source.set(variable, typed: text()) }
      if Bool.random(using: &random) {
        source.set(.issued, typed: "2001-0\(Int.random(in: 1...9, using: &random))")
      }
      if Bool.random(using: &random) { source.set(.url, typed: "https://x.org/a_b?c=%20&d=~e#f") }
      if Bool.random(using: &random) { source.set(.doi, typed: "10.1000/a_b(c)<d>#1") }
      if Bool.random(using: &random) { source.set(.page, typed: "12-34") }
      let written = Bibliography.text(of: [source], as: .bibtex)
      let found = try read(written)
      #expect(found.problems.isEmpty, "\(random)\n\(written)")
      let back = try #require(found.sources.first)
      #expect(back.item == source.item, "\(random)\n\(written)")
    }
  }

  @Test func `random and deeply nested input is parsed`() {
    let seed = SeededGenerator.runSeed
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    let parts = [
      "@book{a,", "@", "{", "}", "\"", "=", "#", ",", "title", "\\", "\n", "é", "@string(", ")",
      "%", "$",
    ]
    for _ in 0..<3_000 {
      let text = (0..<Int.random(in: 0...60, using: &random)).map { _ in
        parts.randomElement(using: &random)!
      }.joined()
      _ = Bibliography(Array(text.utf8))
    }
    let nested = String(repeating: "@a{b,c={", count: 200_000)
    let found = Bibliography(Array(nested.utf8))
    #expect(found?.problems.count == 101)
  }
}
