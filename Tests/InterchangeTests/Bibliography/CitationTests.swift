import Model
import Testing

@testable import Interchange

@Suite struct CitationTests {
  private func citation(_ json: String, at location: String = "") throws -> Citation {
    let item = try #require(JSONValue(Array(json.utf8)))
    return Citation(try #require(Source(item: item)), location: location)
  }

  @Test(arguments: [
    (
      #"{"type":"book","author":[{"family":"Woolf","given":"Virginia"}],"title":"A Room of One’s Own","publisher":"Hogarth Press","issued":{"date-parts":[[1929,10]]}}"#,
      "page 12 · location 340", "Virginia Woolf, A Room of One’s Own (Hogarth Press, 1929), p. 12"
    ),
    (
      #"{"type":"article-journal","author":"Ann Lee and Bo Ek","title":"Signs","container-title":"Mind","volume":"12","issue":3,"issued":"2019","publisher":"OUP"}"#,
      "page 3-4", "“Signs”, Mind 12(3) (2019), pp. 3-4"
    ),
    (#"{"title":"Signs","URL":"https://x.org/a"}"#, "", "Signs, https://x.org/a"),
    (#"{"title":"Signs"}"#, "Chapter 2", "Signs, Chapter 2"), (#"{"note":"x"}"#, "", ""),
    (#"{"issued":{"literal":"ca. 1850"},"title":"T"}"#, "", "T (ca. 1850)"),
    (#"{"issued":"1850"}"#, "", "1850"),
  ])
  func `a citation contains the known fields`(json: String, location: String, expected: String)
    throws
  {
    let text = try citation(json, at: location).text
    #expect(text == expected || text == "Ann Lee and Bo Ek, " + expected)
  }

  @Test(arguments: [
    (1, "P1 A"), (2, "P1 A and P2 A"), (3, "P1 A, P2 A and P3 A"), (4, "P1 A et al."),
  ])
  func `a citation lists up to three people`(count: Int, expected: String) {
    var source = Source()
    source.set(.author, to: (1...count).map { PersonName(family: "A", given: "P\($0)") })
    #expect(Citation(source).people == expected)
  }

  @Test func `a Pandoc citation contains the key and the page`() throws {
    #expect(
      try citation(
        #"{"author":[{"family":"Öberg-Lee","given":"A"}],"title":"On the Signs","issued":"2001"}"#,
        at: "page 3"
      ).pandoc
        == "[@oberglee2001signs, p. 3]")
    #expect(try citation(#"{"id":"a b","title":"x"}"#).pandoc == "[@{a b}]")
    #expect(try citation(#"{"note":"x"}"#).pandoc == "[@source]")
  }

  @Test func `the citation keys in a written bibliography are unique`() throws {
    let source = try #require(Source(item: .object(["title": .text("Signs")])))
    let written = Bibliography.text(of: Array(repeating: source, count: 60), as: .bibtex)
    let found = try #require(Bibliography(Array(written.utf8)))
    #expect(Set(found.sources.map { $0.text(.citationKey) }).count == 60)
    let csl = Bibliography.text(of: [source, source], as: .csl)
    #expect(csl.contains(#""id":"signsa""#) && csl.contains(#""type":"document""#))
    #expect(Bibliography(Array(csl.utf8))?.format == .csl)
    #expect(Bibliography.text(of: [], as: .csl) == "[]\n")
  }
}
