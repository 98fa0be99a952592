import RichText
import RichTextChecks
import TestSupport

@testable import Rendering

extension RandomFormat {
  /// Returns a random format of a text, with a style of some paragraphs.
  static func format(of units: some Collection<UInt16>, _ random: inout SeededGenerator) throws
    -> ShownFormat
  {
    var text = AttributedText(units: Array(units))
    let count = text.units.count
    let verse = StyleID("verse-ä")
    try text.styles.store(
      NamedStyle(
        id: verse, title: "Verse", basedOn: .heading(2),
        characters: AttributeSet((0..<4).map { _ in character(&random) }).removing([.link]),
        paragraphs: AttributeSet((0..<3).map { _ in paragraph(&random) }).removing([.style])))
    for _ in 0..<Int.random(in: 1...12, using: &random) where count > 0 {
      let start = Int.random(in: 0..<count, using: &random)
      let end = min(count, start + Int.random(in: 1...40, using: &random))
      try text.change(start..<end, changes(&random), limits: .files)
      try text.changeParagraphs(start..<end, paragraphChanges(&random), limits: .files)
      if Int.random(in: 0..<4, using: &random) == 0 {
        try text.changeParagraphs(start..<end, [.set(.style(verse))])
      }
    }
    return ShownFormat(layer: text.layer, styles: text.styles)
  }
}
