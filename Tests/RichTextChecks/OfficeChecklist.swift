package import RichText

/// A document with one attribute in each paragraph, to compare it with what a word processor reads.
package enum OfficeChecklist {
  /// The attribute of a paragraph in the document.
  package enum Item: Sendable {
    /// A character attribute on the text of the paragraph.
    case characters(CharacterAttribute)
    case paragraph(ParagraphAttribute)
  }

  /// The attributes in the order of their paragraphs. `Tooling/check-office.py` refers to them by
  /// index.
  package static let items: [Item] = [
    .characters(.bold(true)), .characters(.italic(true)), .characters(.underline(.single)),
    .characters(.underline(.double)), .characters(.underline(.words)),
    .characters(.underline(.dotted)), .characters(.underline(.dashed)),
    .characters(.underline(.wave)), .characters(.strikethrough(.single)),
    .characters(.strikethrough(.double)), .characters(.family("Liberation Mono")),
    .characters(.size(19)), .characters(.capitals(.small)), .characters(.capitals(.all)),
    .characters(.position(.superscript)), .characters(.position(.subscript)),
    .characters(.color(.rgb(0xC01020))), .characters(.background(.rgb(0xFFF36D))),
    .characters(.link("https://example.org/a?b=c")), .characters(.link("https://example.org/ü\"x")),
    .paragraph(.alignment(.left)), .paragraph(.alignment(.center)), .paragraph(.alignment(.right)),
    .paragraph(.alignment(.justified)), .paragraph(.firstLineIndent(.points(18))),
    .paragraph(.firstLineIndent(.points(0))), .paragraph(.headIndent(.points(36))),
    .paragraph(.tailIndent(.points(-54))), .paragraph(.lineHeight(.multiple(360))),
    .paragraph(.lineHeight(.atLeast(.points(20)))), .paragraph(.lineHeight(.exactly(.points(17)))),
    .paragraph(.spaceBefore(.points(9))), .paragraph(.spaceAfter(.points(12))),
    .paragraph(.tabStops([TabStop(position: .points(72))])),
    .paragraph(.tabStops([TabStop(position: .points(90), kind: .center)])),
    .paragraph(.tabStops([TabStop(position: .points(144), kind: .right, leader: .dots)])),
    .paragraph(.tabStops([TabStop(position: .points(100), kind: .decimal)])),
    .paragraph(.list(ListItem(list: 1, level: 0, marker: .bullet))),
    .paragraph(.list(ListItem(list: 2, level: 0, marker: .lowerRoman))),
    .paragraph(.style(.heading(1))), .paragraph(.style(.blockQuote)),
  ]

  /// Returns the document. The paragraph of each item begins with its number, counted from 1.
  package static func text() throws -> AttributedText {
    let lines = items.indices.map { "\($0 + 1). item «tab\there» 𝒳\n" }
    var text = AttributedText(lines.joined())
    var start = 0
    for (line, item) in zip(lines, items) {
      let end = start + line.utf16.count
      switch item {
      case .characters(let attribute): try text.change(start..<end - 1, [.set(attribute)])
      case .paragraph(let attribute): try text.changeParagraphs(start..<end, [.set(attribute)])
      }
      start = end
    }
    return text
  }
}
