import Foundation
import Model
import Testing

/// Tests the words of filters, such as `color:green -#old`.
@Suite struct HighlightConditionTests {
  private static let names = HighlightCondition.Names(
    colors: { name in
      name == "question" ? [.blue] : HighlightColor(rawValue: name).map { [$0] } ?? []
    },
    colorNames: ["yellow", "green", "blue", "pink", "question"],
    date: { $0 == "7d" ? Date(timeIntervalSince1970: 1_000) : nil })

  private func parse(_ text: String) throws -> [HighlightCondition] {
    try HighlightCondition.parse(text, names: Self.names)
  }

  private func highlight(
    _ quote: String = "The quick fox", note: String = "Why?",
    tags: [String] = ["old", "two words"],
    color: HighlightColor = .green, updated: Double = 2_000
  ) -> Highlight {
    var anchor = Anchor.orphan
    anchor.state = .edited
    return Highlight(
      id: Highlight.ID(Dot(replica: ReplicaID(rawValue: 1), sequence: 1)),
      document: Document.ID(Dot(replica: ReplicaID(rawValue: 1), sequence: 2)),
      selector: Selector(
        exact: quote, prefix: "", suffix: "", position: TextRange(utf16: 0..<1),
        textDigest: ContentDigest(""), renderVersion: 1),
      color: color, note: note, tags: tags, created: Date(timeIntervalSince1970: 500),
      updated: Date(timeIntervalSince1970: updated), anchor: anchor)
  }

  private let document = Document(
    id: Document.ID(Dot(replica: ReplicaID(rawValue: 1), sequence: 2)),
    path: DocumentPath("notes/Essay.md"), title: "On foxes", state: .present,
    created: .distantPast, updated: .distantPast)

  private func matches(_ filter: String, _ highlight: Highlight) throws -> Bool {
    try parse(filter).allSatisfy { $0.matches(highlight, in: document) }
  }

  @Test(arguments: [
    ("color:green", true), ("color:blue", false), ("color:blue,green", true),
    ("color:question", false), ("-color:question", true), ("#old", true), ("#OLD", false),
    ("tag:new,old", true), ("-#old", false), ("-#new", true), ("#\"two words\"", true),
    ("tag:\"two words\"", true), ("tag:#old", true), ("#two words", false), ("#two", false),
    ("state:edited", true), ("state:orphaned,doubtful", false), ("-state:orphaned", true),
    ("doc:essay", true), ("doc:ON", true), ("doc:other", false), ("-doc:essay", false),
    ("since:7d", true), ("-since:7d", false), ("fox", true), ("QUICK", true), ("why", true),
    ("quote:why", false), ("note:why", true), ("note:fox", false), ("text:\"quick fox\"", true),
    ("text:\"fox quick\"", false), ("\"quick fox\"", true), ("quick fox", true),
    ("quick -fox", false), ("has:note", true), ("-has:note", false), ("has:tag", true),
    ("has:note,tag", true), ("color:green -#new doc:essay fox", true),
    ("color:green #old doc:essay cat", false), ("“quick fox”", true), ("a,b", false),
  ])
  func `a highlight must meet every word`(_ filter: String, _ expected: Bool) throws {
    #expect(try matches(filter, highlight()) == expected, "\(filter)")
  }

  @Test func `a text is found in any normal form and case`() throws {
    let composed = highlight("Un \u{E9}clair", note: "", tags: [])
    #expect(try matches("E\u{301}CLAIR", composed))
    #expect(try !matches("eclair", composed))
    #expect(try matches("-has:tag -has:note", composed))
    #expect(try matches("\"say \\\"no\\\"\"", highlight("They say \"no\" again")))
    #expect(try matches("\"a:b\"", highlight("ratio a:b")))
    // A comma belongs to a text without a name.
    #expect(try matches("one,two", highlight("One,two")))
  }

  @Test(
    arguments: [
      ("", 1, "it has no words", nil), ("  \n", 1, "it has no words", nil),
      ("colr:green", 1, "there is no 'colr:'", "did you mean 'color:'?"),
      ("color:green xyzzy:1", 13, "there is no 'xyzzy:'", "there are: color:, tag:, state:, doc:"),
      ("color:gren", 1, "no colour or label 'gren'", "did you mean 'green'?"),
      ("#a state:edted", 4, "there is no state 'edted'", "did you mean 'edited'?"),
      ("color:", 1, "'color:' needs a value", nil), ("a #", 3, "'tag:' needs a value", nil),
      ("tag:a,", 1, "'tag:' needs a value", nil),
      ("since:sometime", 1, "'sometime' is not a date or time", "write 2026-01-31"),
      ("fox text:\"two", 10, "the quotation mark \" is not closed", nil),
      ("has:color", 1, "there is no property 'color'", "there are: note, tag"),
    ] as [(String, Int, String, String?)])
  func `an error has its column and a suggestion`(
    _ filter: String, _ column: Int, _ reason: String, _ suggestion: String?
  ) throws {
    let problem = try #require(
      throws: HighlightCondition.Problem.self, performing: { try parse(filter) })
    #expect(problem.column == column && problem.reason == reason, "\(problem)")
    #expect((problem.suggestion == nil) == (suggestion == nil), "\(problem)")
    if let suggestion { #expect(problem.suggestion?.hasPrefix(suggestion) == true, "\(problem)") }
  }

  @Test func `a long filter is rejected, and parsing is linear`() throws {
    let words = String(repeating: "a ", count: HighlightCondition.longest / 2)
    let start = ContinuousClock.now
    #expect(try parse(words).count == HighlightCondition.longest / 2)
    #expect(ContinuousClock.now - start < .seconds(10))
    #expect(throws: HighlightCondition.Problem.self) { try parse(words + "a") }
  }
}
