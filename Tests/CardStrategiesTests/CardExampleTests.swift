import CardStrategies
import Foundation
import Interchange
import Model
import Testing

private let strategies: [any CardStrategy] = [Paper(), Night()]

/// A quote with words of one's own.
private func quote(
  _ words: String, title: String = "Title", source: String = "a.md",
  color: HighlightColor = .yellow
) -> AnnotationRecord {
  AnnotationRecord(
    id: "1", quote: words, source: source, title: title, color: color, created: .now,
    updated: .now)
}

@Suite struct CardExampleTests {
  @Test(arguments: strategies.map { type(of: $0).id })
  func `the examples have the lines they show, in order`(id: String) throws {
    let strategy = strategies.first { type(of: $0).id == id }!
    #expect(!type(of: strategy).examples.isEmpty && !type(of: strategy).summary.isEmpty)
    for example in type(of: strategy).examples {
      var rest = try #require(try strategy.card(of: example.quote).text)[...]
      for line in example.lines {
        let found = try #require(rest.firstRange(of: line), "\(example.title): \(line)")
        rest = rest[found.upperBound...]
      }
    }
  }

  @Test(arguments: strategies.map { type(of: $0).id }, HighlightColor.allCases)
  func `each colour has a mark on which the words can be read`(id: String, color: HighlightColor)
    throws
  {
    let strategy = strategies.first { type(of: $0).id == id }!
    let svg = try SVG(try strategy.card(of: quote("Words", color: color)))
    let mark = try #require(svg.attribute("fill", of: "path"))
    let letters = try #require(svg.attribute("fill", of: "g"))
    let paper = try #require(svg.attribute("fill", of: "rect"))
    #expect(contrast(mark, letters) >= 4.5 && contrast(paper, letters) >= 4.5)
    #expect(contrast(paper, try #require(svg.attribute("fill", of: "g", last: true))) >= 4.5)
    #expect(mark != paper)
  }

  @Test(arguments: [
    "One word", "größer & <b>\"kleiner\"</b> als 'dies' \u{1}\u{0}",
    String(repeating: "A sentence that says something, at length. ", count: 80),
    String(repeating: "漢字かな交じり文、。", count: 40), String(repeating: "x", count: 400),
    "First paragraph.\nSecond one 😀👩‍👩‍👧 with é and e\u{301}.", "שלום עולם, מה שלומך",
    String(repeating: "W", count: 60) + " iiii",
  ])
  func `words are in lines that fit, and none is lost`(_ words: String) throws {
    let svg = try SVG(Paper().card(of: quote(words, title: "", source: "")))
    // What XML cannot hold is no word.
    let expected = words.filter { $0 != "\u{0}" && $0 != "\u{1}" && !$0.isWhitespace }
    #expect(svg.texts.joined().filter { !$0.isWhitespace } == expected)
    for line in svg.lines {
      #expect(line.length <= 888 && line.y < svg.height - 96, "\(line)")
    }
    let tops = svg.lines.map(\.y)
    #expect(tops == tops.sorted() && svg.height >= 1080)
  }

  @Test func `advances are those of Times`() throws {
    // By Adobe's metrics: 722 + 3 · 500 + 2 · 278 + 250 + 778 thousandths of 68.
    let svg = try SVG(Paper().card(of: quote("Annita m", title: "", source: "")))
    // A 722, n 500, n 500, i 278, t 278, a 444, blank 250, m 778: 3750.
    #expect(svg.lines.map(\.length) == [3750 * 68 / 1000])
  }

  @Test func `a long title is cut, and the path is not said twice`() throws {
    let long = String(repeating: "A title of many words ", count: 12)
    let svg = try SVG(Paper().card(of: quote("Words.", title: long, source: "p/a.md")))
    #expect(svg.texts.count == 4 && svg.texts[2].hasSuffix("…") && svg.texts[3] == "p/a.md")
    let same = try SVG(Paper().card(of: quote("Words.", title: "a.md", source: "a.md")))
    #expect(same.texts == ["Words.", "a.md"])
  }
}

/// What is in a card.
private final class SVG: NSObject {
  struct Line {
    var text: String
    var length: Int
    var y: Int
  }

  private(set) var lines: [Line] = []
  private(set) var height = 0
  private let source: String

  init(_ card: Card) throws {
    #expect(card.mediaType == "image/svg+xml")
    source = try #require(card.text)
    super.init()
    height = Int(try #require(attribute("height", of: "svg")))!
    for match in source.matches(of: /<text ([^>]*)>([^<]*)<\/text>/) {
      let length = match.1.firstMatch(of: /textLength="(\d+)"/).map { Int($0.1)! } ?? 0
      let y = Int(try #require(match.1.firstMatch(of: /\by="(\d+)"/)).1)!
      let text = match.2.replacing("&lt;", with: "<").replacing("&gt;", with: ">")
        .replacing("&quot;", with: "\"").replacing("&amp;", with: "&")
      lines.append(Line(text: String(text), length: length, y: y))
    }
    #expect(
      source.matches(of: /<[a-z]/).count
        == source.matches(of: /<\/[a-z]/).count + source.matches(of: /\/>/).count)
  }

  var texts: [String] { lines.map(\.text) }

  func attribute(_ name: String, of element: String, last: Bool = false) -> String? {
    let starts = source.matches(of: try! Regex("<\(element) [^>]*?\\b\(name)=\"([^\"]*)\""))
    return (last ? starts.last : starts.first)?.output[1].substring.map(String.init)
  }
}

/// The contrast of two colours by WCAG 2.
private func contrast(_ a: String, _ b: String) -> Double {
  func luminance(_ color: String) -> Double {
    let value = Int(color.dropFirst(), radix: 16)!
    let parts = [16, 8, 0].map { shift -> Double in
      let part = Double(value >> shift & 0xFF) / 255
      return part <= 0.03928 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4)
    }
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
  }
  let both = [luminance(a), luminance(b)].sorted()
  return (both[1] + 0.05) / (both[0] + 0.05)
}
