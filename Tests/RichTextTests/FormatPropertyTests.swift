import Foundation
import Model
import RichText
import RichTextChecks
import TestSupport
import Testing

/// Compares random operations with those of an array that has an entry for each unit.
/// `DIPLE_FORMAT_OPERATIONS` sets their number (20,000), `DIPLE_TEST_SEED` repeats a run.
@Suite struct FormatPropertyTests {
  private static let operations =
    ProcessInfo.processInfo.environment["DIPLE_FORMAT_OPERATIONS"].flatMap(Int.init) ?? 20_000

  private struct Mismatch: Error, CustomStringConvertible {
    var description: String
  }

  @Test func `random operations on runs equal those on an array of units`() throws {
    let seed = SeededGenerator.runSeed
    print("FormatPropertyTests: seed \(seed), \(Self.operations) operations")
    var random = SeededGenerator(seed: seed)
    var done = 0
    while done < Self.operations {
      let length = Int.random(in: 0...120, using: &random)
      let start = Self.text(length, &random)
      var text = AttributedText(start)
      var naive = NaiveText(start)
      for step in 0..<min(500, Self.operations - done) {
        let what = try Self.step(&text, &naive, &random)
        if let problem = Self.difference(text, naive) {
          throw Mismatch(description: "seed \(seed), operation \(done + step): \(what): \(problem)")
        }
      }
      done += 500
    }
  }

  private static func difference(_ text: AttributedText, _ naive: NaiveText) -> String? {
    if text.units != naive.units { return "the text differs" }
    if let broken = text.characters.violatedInvariant { return "characters: \(broken)" }
    if let broken = text.paragraphs.violatedInvariant { return "paragraphs: \(broken)" }
    if NaiveText.characters(of: text) != naive.characters { return "characters differ" }
    if NaiveText.paragraphs(of: text) != naive.paragraphs { return "paragraphs differ" }
    return nil
  }

  private static func text(_ length: Int, _ random: inout SeededGenerator) -> String {
    let pieces = ["a", "b ", "ü", "𝒳", "\n", "\r\n", "\r", "\u{2029}", "\u{2028}", "\t", "word "]
    return (0..<length).map { _ in pieces.randomElement(using: &random)! }.joined()
  }

  private static func step(
    _ text: inout AttributedText, _ naive: inout NaiveText, _ random: inout SeededGenerator
  ) throws -> String {
    let count = text.units.count
    let a = Int.random(in: 0...count, using: &random)
    // Most ranges are short; some are the whole text.
    let reach = Int.random(in: 0..<4, using: &random) == 0 ? count : 12
    let b = min(count, max(0, a + Int.random(in: -reach...reach, using: &random)))
    let range = min(a, b)..<max(a, b)
    switch Int.random(in: 0..<8, using: &random) {
    case 0, 1:
      let changes = RandomFormat.changes(&random)
      try text.change(range, changes, limits: .files)
      naive.change(range, changes)
      return "change \(range) \(changes)"
    case 2, 3:
      let attribute = RandomFormat.character(&random)
      try text.toggle(attribute, in: range, FormatContext())
      naive.toggle(attribute, in: range)
      return "toggle \(range) \(attribute)"
    case 4, 5:
      let changes = RandomFormat.paragraphChanges(&random)
      try text.changeParagraphs(range, changes, limits: .files)
      naive.changeParagraphs(range, changes)
      return "paragraphs \(range) \(changes)"
    default:
      // Keep the text at a few hundred units, because operations on the array take linear time.
      let typed = count > 300 ? "" : Self.text(Int.random(in: 0...6, using: &random), &random)
      let edit = TextEdit(range: TextRange(utf16: range), replacement: typed)
      let typing = text.typingAttributes(replacing: range)
      let isGiven = Bool.random(using: &random)
      let given: AttributeSet<CharacterAttribute> = [RandomFormat.character(&random)]
      text.apply([edit], typing: isGiven ? given : nil)
      naive.replace(range, typed, typing: isGiven ? given : typing)
      return "replace \(range) by \(typed.debugDescription)"
    }
  }

  @Test func `several edits at once equal the same edits one after another`() {
    let seed = SeededGenerator.runSeed
    print("FormatPropertyTests: seed \(seed)")
    var random = SeededGenerator(seed: seed)
    for _ in 0..<2_000 {
      var text = AttributedText(Self.text(40, &random))
      for _ in 0..<10 {
        let start = Int.random(in: 0...text.units.count, using: &random)
        let end = min(text.units.count, start + 8)
        try? text.change(start..<end, RandomFormat.changes(&random), limits: .files)
        try? text.changeParagraphs(
          start..<start, RandomFormat.paragraphChanges(&random), limits: .files)
      }
      var edits: [TextEdit] = []
      var position = 0
      while position < text.units.count, edits.count < 4 {
        let start = Int.random(in: position...text.units.count, using: &random)
        let end = Int.random(in: start...min(text.units.count, start + 9), using: &random)
        // Insert only words, because an edit that creates a paragraph would affect later edits.
        edits.append(
          TextEdit(
            range: TextRange(utf16: start..<end), replacement: ["", "x", "yz"].randomElement()!))
        position = end + 1
      }
      let hasBreak = edits.contains { text.spansTerminator($0.range.utf16) }
      if hasBreak { continue }
      var together = text
      together.apply(edits, typing: [.bold(true)])
      for edit in edits.reversed() { text.apply([edit], typing: [.bold(true)]) }
      #expect(together == text, "seed \(seed)")
    }
  }
}
