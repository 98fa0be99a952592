import Formats
import Foundation
import Interchange
import Model
import TestSupport
import Testing

/// Tests that annotations are equal as JSON after an import and an export.
@Suite struct RoundTripTests {
  private static func json(_ text: String) throws -> JSONValue {
    try #require(JSONValue(Array(text.utf8)))
  }

  private static func throughW3C(
    _ annotations: [JSONValue], _ change: (inout AnnotationRecord) -> Void = { _ in }
  ) throws -> [JSONValue] {
    let data = try JSONEncoder().encode(annotations)
    var records = try WebAnnotationReader().records(from: Array(data))
    for index in records.indices { change(&records[index]) }
    var output = ""
    WebAnnotation().export(records, to: &output)
    return try json(output).values
  }

  private static func throughHypothesis(
    _ annotations: [JSONValue], _ change: (inout AnnotationRecord) -> Void = { _ in }
  ) throws -> [JSONValue] {
    let data = try JSONEncoder().encode(["rows": annotations])
    var records = try Hypothesis().records(from: Array(data))
    for index in records.indices { change(&records[index]) }
    var output = ""
    try HypothesisExport().export(records, to: &output)
    return try json(output)["annotations"].values
  }

  /// An annotation as the recommendation shows them, with parts that Diple doesn't know.
  private static let whole = """
    {"@context": ["http://www.w3.org/ns/anno.jsonld", {"ex": "http://example.org/"}],
     "id": "http://example.org/anno1", "type": ["Annotation", "ex:Remark"],
     "creator": {"id": "http://example.org/user1", "type": "Person", "name": "My Pseudonym"},
     "created": "2015-10-13T13:00:00.123Z", "modified": "2015-10-14T15:13:28Z",
     "motivation": ["commenting", "highlighting"], "ex:weight": 0.5, "ex:flags": [true, null, 3],
     "body": [
       {"type": "TextualBody", "purpose": "tagging", "value": "#love", "language": "en"},
       {"type": "TextualBody", "format": "text/html", "language": "fr", "value": "<p>j'adore</p>"},
       {"id": "http://example.org/clip.mp4", "type": "Video"}, "http://example.org/body"],
     "target": {"source": "http://example.org/page1", "state": {"type": "TimeState"},
       "selector": [
         {"type": "XPathSelector", "value": "/html/body/p[2]"},
         {"type": "TextQuoteSelector", "exact": "anotation", "prefix": "this is an ",
          "suffix": " that has some"},
         {"type": "TextPositionSelector", "start": 412, "end": 421}]}}
    """

  @Test func `a W3C annotation is written as it was`() throws {
    let value = try Self.json(Self.whole)
    #expect(try Self.throughW3C([value]) == [value])
  }

  @Test func `only a changed note or colour differs in a W3C annotation`() throws {
    let value = try Self.json(Self.whole)
    let noted = try Self.throughW3C([value]) { $0.note = "<p>non</p>" }
    guard case .object(var expected) = value else { return }
    var bodies = value["body"].values
    guard case .object(var body) = bodies[1] else { return }
    body["value"] = .text("<p>non</p>")
    bodies[1] = .object(body)
    expected["body"] = .list(bodies)
    #expect(noted == [.object(expected)])
    let colored = try Self.throughW3C([value]) { $0.color = .green }
    guard case .object(var green) = value else { return }
    green["diple:color"] = .text("green")
    #expect(colored == [.object(green)])
    let tagged = try Self.throughW3C([value]) { $0.tags = ["love", "new"] }
    #expect(tagged[0]["body"].values.prefix(4) == value["body"].values.prefix(4))
    #expect(tagged[0]["body"].values.last?["value"] == .text("new"))
    let untagged = try Self.throughW3C([value]) { $0.tags = [] }
    #expect(untagged[0]["body"].values == Array(value["body"].values.dropFirst()))
    let moved = try Self.throughW3C([value]) { $0.quote = "annotation" }
    #expect(moved[0]["target"]["selector"].values.map { $0["exact"].text } == ["annotation"])
  }

  @Test func `the targets of one W3C annotation are joined again`() throws {
    let value = try Self.json(
      """
      {"type": "Annotation", "id": "x", "bodyValue": "Why?", "target": [
        {"source": "a.md", "selector": {"type": "TextQuoteSelector", "exact": "one"}},
        {"source": "b.md", "selector": {"type": "TextQuoteSelector", "exact": "two"}},
        {"source": "b.md", "selector": {"type": "TextQuoteSelector", "exact": "three"}}]}
      """)
    #expect(try Self.throughW3C([value]) == [value])
    // A target whose highlight has another note now is a separate annotation.
    let divided = try Self.throughW3C([value]) { if $0.quote == "two" { $0.note = "So." } }
    #expect(divided.map { $0["target"].values.count } == [2, 1])
    #expect(Set(divided.map { $0["id"].text }).count == 2 || divided[1]["id"].text == "x")
  }

  private static let hypothesis = """
    {"id": "abc", "user": "acct:me@hypothes.is", "group": "__world__", "hidden": false,
     "uri": "https://example.org/signs", "created": "2023-01-27T05:56:46.103467+00:00",
     "updated": "2023-01-27T05:57:46.103467+00:00", "text": "Why?", "tags": ["signs"],
     "permissions": {"read": ["group:__world__"], "update": ["acct:me@hypothes.is"]},
     "document": {"title": ["On signs"]}, "flagged": false, "user_info": {"display_name": null},
     "links": {"html": "https://hypothes.is/a/abc"},
     "target": [{"source": "https://example.org/signs", "selector": [
       {"type": "RangeSelector", "startContainer": "/p[1]", "startOffset": 3},
       {"type": "TextPositionSelector", "start": 6, "end": 15},
       {"type": "TextQuoteSelector", "exact": "Look here", "prefix": "says: ", "suffix": "."}]}]}
    """

  @Test func `an annotation of Hypothesis is written as it was, but for the changes`() throws {
    let value = try Self.json(Self.hypothesis)
    #expect(try Self.throughHypothesis([value]) == [value])
    guard case .object(var expected) = value else { return }
    expected["text"] = .text("So.")
    #expect(try Self.throughHypothesis([value]) { $0.note = "So." } == [.object(expected)])
    expected["text"] = value["text"]
    expected["tags"] = .list([.text("signs"), .text("color:pink")])
    let pink = JSONValue.object(expected)
    #expect(try Self.throughHypothesis([value]) { $0.color = .pink } == [pink])
    #expect(try Self.throughHypothesis([pink]) { $0.color = .pink } == [pink])
  }

  @Test func `the text around a quote is not that of a file of quotes`() throws {
    var record = AnnotationRecord(
      id: "urn:diple:1", quote: "Look here", prefix: "Quotes of On signs", suffix: "page 12",
      position: .utf16(TextRange(utf16: 6..<15)), source: "Quotes/On signs.md", title: "On signs",
      color: .yellow)
    for isInOwnText in [true, false] {
      record.isInOwnText = isInOwnText
      var (hypothesis, web) = ("", "")
      try HypothesisExport().export([record], to: &hypothesis)
      WebAnnotation().export([record], to: &web)
      for output in [hypothesis, web] {
        #expect(output.contains("Look here"))
        #expect(
          output.contains("Quotes of") == isInOwnText && output.contains("page 12") == isInOwnText)
      }
      #expect(hypothesis.contains("TextPositionSelector") == isInOwnText)
    }
  }

  @Test func `numbers keep their digits`() throws {
    let digits = [
      "9007199254740993", "-9223372036854775809", "123456789012345678901234567890", "0.1",
      "0.12345678901234567890123", "12345678901234567.25", "-0.5", "1e21",
    ]
    let text = Self.hypothesis.replacing(
      "\"hidden\": false", with: "\"numbers\": [\(digits.joined(separator: ", "))]")
    let records = try Hypothesis().records(from: Array("{\"rows\": [\(text)]}".utf8))
    var output = ""
    try HypothesisExport().export(records, to: &output)
    // Compared as text: a parser could round both sides in the same way.
    for number in digits.dropLast() {
      let isThere = output.split { "[], \n".contains($0) }.contains { $0 == number }
      #expect(isThere, "\(number): \(output)")
    }
    #expect(try Self.json(output)["annotations"].values == [Self.json(text)])
  }

  /// Makes random annotations: known and unknown keys in all the forms that the model allows.
  private struct Maker {
    var random: SeededGenerator

    mutating func text() -> String {
      let words = ["a", "\"b\"", "é", "\n", "👋", "<p>", "\\", "", "color:green", "#x", "c,d", " "]
      return (0...Int.random(in: 0...3, using: &random))
        .map { _ in words.randomElement(using: &random)! }.joined(separator: " ")
    }

    mutating func unknown(_ depth: Int = 0) -> JSONValue {
      switch Int.random(in: 0..<(depth < 3 ? 7 : 5), using: &random) {
      case 0: .flag(Bool.random(using: &random))
      case 1: .number(Double(Int.random(in: -9...99, using: &random)))
      case 2: .number(Double.random(in: -1...1, using: &random))
      case 3: .text(text())
      case 4: .null
      case 5: .list((0..<2).map { _ in unknown(depth + 1) })
      default: .object(["k\(depth)": unknown(depth + 1), text(): unknown(depth + 1)])
      }
    }

    mutating func maybe(_ object: inout [String: JSONValue], _ key: String, _ value: JSONValue) {
      if Bool.random(using: &random) { object[key] = value }
    }

    mutating func selector() -> JSONValue {
      var quote: [String: JSONValue] = [
        "type": .text("TextQuoteSelector"), "exact": .text("q" + text()),
      ]
      maybe(&quote, "prefix", .text(text()))
      maybe(&quote, "suffix", .text(text()))
      maybe(&quote, "ex:more", unknown())
      let all: [JSONValue] = [.object(quote), .object(["type": .text("CssSelector")])].shuffled(
        using: &random)
      switch Int.random(in: 0..<3, using: &random) {
      case 0: return .object(quote)
      case 1: return .list(all)
      default:
        return .object([
          "type": .text("FragmentSelector"), "value": .text(text()), "refinedBy": .object(quote),
        ])
      }
    }

    mutating func body() -> JSONValue {
      if Int.random(in: 0..<6, using: &random) == 0 { return .text("http://example.org/body") }
      var body: [String: JSONValue] = ["type": .text("TextualBody"), "value": .text(text())]
      maybe(&body, "purpose", .text(["tagging", "commenting"].randomElement(using: &random)!))
      maybe(&body, "format", .text("text/html"))
      maybe(&body, "creator", unknown())
      return .object(body)
    }

    mutating func annotation(_ number: Int) -> JSONValue {
      var object: [String: JSONValue] = [
        "type": Bool.random(using: &random)
          ? .text("Annotation") : .list([.text("Annotation"), .text("ex:A")])
      ]
      maybe(&object, "id", .text("urn:example:\(number)"))
      maybe(&object, "creator", unknown())
      maybe(&object, "motivation", .text("commenting"))
      maybe(&object, "bodyValue", .text(text()))
      maybe(&object, "diple:color", .text("blue"))
      maybe(&object, "ex:\(text())", unknown())
      let body = body()
      maybe(&object, "body", Bool.random(using: &random) ? body : .list([body, self.body()]))
      let targets = (0..<Int.random(in: 1...3, using: &random)).map { number in
        JSONValue.object([
          "source": .text("a.md"), "selector": selector(), "n": .number(Double(number)),
        ])
      }
      object["target"] =
        targets.count == 1 && Bool.random(using: &random) ? targets[0] : .list(targets)
      return .object(object)
    }
  }

  @Test func `generated W3C annotations are written as they were`() throws {
    var maker = Maker(random: SeededGenerator(seed: 7))
    for number in 0..<400 {
      let value = maker.annotation(number)
      #expect(try Self.throughW3C([value]) == [value])
      // After a change of the note, reading the export finds the new note, and all but the bodies
      // is as before.
      let changed = try Self.throughW3C([value]) { $0.note = "new" }
      let read = try WebAnnotationReader().records(
        from: Array(try JSONEncoder().encode(changed)))
      #expect(changed.count == 1 && read.allSatisfy { $0.note == "new" })
      guard case .object(var now) = changed[0], case .object(var before) = value else { continue }
      for key in ["body", "bodyValue"] { (now[key], before[key]) = (nil, nil) }
      #expect(now == before)
    }
  }

  @Test func `generated annotations of Hypothesis are written as they were`() throws {
    var maker = Maker(random: SeededGenerator(seed: 8))
    for number in 0..<200 {
      var object: [String: JSONValue] = [
        "id": .text("\(number)"), "uri": .text("https://example.org/"), "text": .text(maker.text()),
        "target": .list([
          .object([
            "selector": .list([
              .object(["type": .text("TextQuoteSelector"), "exact": .text("q" + maker.text())])
            ])
          ])
        ]),
      ]
      maker.maybe(&object, "group", maker.unknown())
      maker.maybe(&object, "permissions", maker.unknown())
      maker.maybe(&object, "tags", .list([.text(maker.text()), .text("color:blue")]))
      maker.maybe(&object, "references", .list([]))
      #expect(try Self.throughHypothesis([.object(object)]) == [.object(object)])
    }
  }
}
