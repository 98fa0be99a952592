import CardStrategies
import Foundation
import Interchange
import Model
import SystemSupport
import Testing

@Suite struct CardThemeTests {
  @Test(arguments: CardTheme.builtIn.map(\.id))
  func `each theme has enough contrast`(id: String) throws {
    let (_, summary, theme) = try #require(CardTheme.builtIn.first { $0.id == id })
    #expect(!summary.isEmpty)
    for color in HighlightColor.allCases {
      let look = try #require(theme.looks[color.rawValue])
      #expect(contrast(look.background, look.text) >= 4.5, "\(color)")
      #expect(contrast(look.background, look.faint) >= 4.5, "\(color)")
      #expect(contrast(look.box, look.boxText) >= 4.5 && look.box != look.background, "\(color)")
      #expect(look.accent != look.background, "\(color)")
    }
    if theme.weight == .bold {
      for look in theme.looks.values { #expect(contrast(look.background, look.accent) >= 3) }
    }
    // The colour of the highlight is visible on each card.
    let accents = theme.looks.values.map { [$0.accent, $0.background] }
    #expect(Set(accents).count == HighlightColor.allCases.count)
  }
}

/// Draws with a script in place of diple-card.
@Suite struct DrawnCardTests {
  private let quote = AnnotationRecord(
    id: "1", quote: "Words.", source: "a.md", title: "A", color: .pink, created: .now,
    updated: .now)

  private func cards(_ script: String) throws -> CardSet {
    try DrawnCard(CardTheme.builtIn[0].theme) { Program("/bin/sh", ["-c", script, "sh", $0]) }
      .cards(of: quote, as: CardForm())
  }

  @Test func `the cards are those that the program wrote`() throws {
    let set = try cards(
      #"""
      grep -q '"quote":"Words."' "$1/order.json" || exit 9
      printf 'one' >"$1/card-1"; printf 'two' >"$1/card-2"
      printf '{"files":["card-1","card-2"],"unknownGlyphs":3}' >"$1/answer.json"
      """#)
    #expect(set.cards.map { String(decoding: $0.bytes, as: UTF8.self) } == ["one", "two"])
    #expect(set.cards.allSatisfy { $0.mediaType == "image/png" } && set.unknownGlyphs == 3)
  }

  @Test(arguments: [
    ("exit 3", "diple-card: it ended with exit code 3"),
    ("kill -9 $$", "diple-card: signal 9 (Killed) ended it"),
    (#"printf '{"files":[],"unknownGlyphs":0}' >"$1/answer.json""#, "diple-card drew no card"),
    (
      #"printf '{"files":[],"unknownGlyphs":0,"problem":"no ink"}' >"$1/answer.json""#, "no ink"
    ),
    (
      #"printf '{"files":["../../etc/passwd"],"unknownGlyphs":0}' >"$1/answer.json""#,
      "diple-card did not write ../../etc/passwd"
    ),
    (
      #"ln -s /etc/passwd "$1/c"; printf '{"files":["c"],"unknownGlyphs":0}' >"$1/answer.json""#,
      "diple-card: "
    ),
  ])
  func `an error of the program is reported`(script: String, message: String) {
    let error = #expect(throws: StrategyError.self) { try cards(script) }
    #expect(error?.description.hasPrefix(message) == true, "\(String(describing: error))")
  }

  @Test func `a missing program is reported with its expected folder`() {
    let strategy = DrawnCard(CardTheme.builtIn[0].theme) { _ in Program("/nowhere/diple-card") }
    let error = #expect(throws: StrategyError.self) { try strategy.card(of: quote) }
    #expect(error?.description.hasSuffix("; it must be installed next to diple") == true)
  }
}

/// Returns the contrast of two colours by WCAG 2.
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
