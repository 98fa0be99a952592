import Anchoring
import Model
import Strategies
import TestSupport
import Testing

/// Tests the guarantee that a quote that occurs once in the text is never orphaned.
@Suite struct UniqueQuoteTests {
  private let anchorer = Anchorer(strategies: [
    KnownText(), EditMapping(), SnapshotDiff(), QuoteInContext(), Fuzzy(),
  ])

  private static let words = """
    the a of and in to is was it for on with as at by from river house garden winter letter stone paper
    window table morning evening captain doctor sister brother market bridge village harbour mountain
    story question answer reason number colour silver golden quiet narrow ancient broken hidden early
    """.split(whereSeparator: \.isWhitespace).map(String.init)

  /// A document of short and long lines in paragraphs.
  private struct Document {
    var paragraphs: [[String]]
    var text: String {
      paragraphs.map { $0.joined(separator: "\n") }.joined(separator: "\n\n") + "\n"
    }

    init(_ random: inout SeededGenerator) {
      paragraphs = (0..<Int.random(in: 2...8, using: &random)).map { _ in
        (0..<Int.random(in: 1...6, using: &random)).map { _ in
          let mark = ["", "", "- ", "* ", "1. ", "> "].randomElement(using: &random)!
          let count = Int.random(in: 1...14, using: &random)
          return mark
            + (0..<count).map { _ in words.randomElement(using: &random)! }.joined(separator: " ")
        }
      }
    }

    /// Moves a line or a paragraph to another position.
    mutating func move(_ random: inout SeededGenerator) {
      let from = paragraphs.indices.randomElement(using: &random)!
      if Bool.random(using: &random) {
        let paragraph = paragraphs.remove(at: from)
        paragraphs.insert(paragraph, at: Int.random(in: 0...paragraphs.count, using: &random))
      } else {
        let line = paragraphs[from].remove(
          at: paragraphs[from].indices.randomElement(using: &random)!)
        let to = paragraphs.indices.randomElement(using: &random)!
        paragraphs[to].insert(
          line, at: Int.random(in: 0...paragraphs[to].count, using: &random))
        paragraphs.removeAll { $0.isEmpty }
      }
    }
  }

  /// Returns the ranges at which a text occurs as whole words.
  private static func places(of quote: String, in text: String) -> [Range<Int>] {
    text.ranges(of: quote).filter { range in
      let before = text[..<range.lowerBound].last, after = text[range.upperBound...].first
      return before?.isLetter != true && after?.isLetter != true
    }.map {
      let start = text[..<$0.lowerBound].utf16.count
      return start..<start + quote.utf16.count
    }
  }

  /// Returns a random passage of one to eight words of a line; nil if the line has no words.
  private static func quote(of document: Document, _ random: inout SeededGenerator) -> String? {
    let line = document.paragraphs.randomElement(using: &random)!.randomElement(using: &random)!
    let words = line.split(separator: " ").filter { $0.first!.isLetter }
    guard !words.isEmpty else { return nil }
    let first = words.indices.randomElement(using: &random)!
    let count = Int.random(in: 1...8, using: &random)
    return words[first..<min(words.count, first + count)].joined(separator: " ")
  }

  /// Returns whether words occur once in a text, whatever separates them.
  private static func isUnique(_ quote: String, in text: String) -> Bool {
    func words(_ text: String) -> [Substring] {
      text.split { !$0.isLetter && !$0.isNumber }
    }
    let (all, own) = (words(text), words(quote))
    return all.indices.count { all[$0...].starts(with: own) } == 1
  }

  @Test func `a unique quote is found after its line or paragraph was moved`() {
    let seed = SeededGenerator.runSeed
    var random = SeededGenerator(seed: seed)
    var judged = 0
    while judged < 200 {
      let old = Document(&random)
      var new = old
      for _ in 0..<Int.random(in: 0...3, using: &random) { new.move(&random) }
      guard let quote = Self.quote(of: old, &random), Self.isUnique(quote, in: old.text),
        Self.isUnique(quote, in: new.text), let last = Self.places(of: quote, in: old.text).first,
        let place = Self.places(of: quote, in: new.text).first
      else { continue }
      judged += 1
      let text = AnchorText(old.text)
      let range = TextRange(utf16: last)
      let whole = Selector(selecting: range, in: text, digest: nil, renderVersion: 1)
      var selectors = [whole]
      // The wrong context has no word of the quote. Otherwise the quote would seem to occur twice.
      let other = Document(&random).text.split { !$0.isLetter }.filter { !quote.contains($0) }
      // The exchanged prefix and suffix are only tried without a move. After a move, they may be
      // the context of another place.
      let exchanged =
        old.text == new.text ? [(whole.suffix, whole.prefix)] : []
      for (prefix, suffix) in exchanged + [
        ("", ""), (whole.prefix, ""), ("", whole.suffix),
        (
          other.prefix(10).joined(separator: " ") + " ",
          " " + other.suffix(10).joined(separator: " ")
        ),
        (String(whole.prefix.suffix(32)), String(whole.suffix.prefix(32))),
      ] {
        var selector = whole
        (selector.prefix, selector.suffix) = (prefix, suffix)
        selectors.append(selector)
      }
      let target = AnchorText(new.text)
      for selector in selectors {
        for snapshot in [true, false] {
          let subject = AnchorSubject(selector: selector, last: snapshot ? range : nil)
          let found = anchorer.reanchor([subject], from: snapshot ? text : nil, to: target)[0]
          let isGenuine = snapshot || selector == whole || selector.prefix + selector.suffix == ""
          #expect(
            isGenuine ? found.range?.utf16.overlaps(place) == true : found.range != nil,
            """
            seed \(seed), snapshot \(snapshot): «\(quote)» \(found)
            \(selector.prefix.debugDescription) \(selector.suffix.debugDescription)
            \(old.text.debugDescription)
            \(new.text.debugDescription)
            """)
        }
      }
    }
  }
}
