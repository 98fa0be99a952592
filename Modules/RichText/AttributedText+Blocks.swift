/// The kinds of blocks that paragraphs become by their styles.
extension AttributedText {
  /// Returns the style of the paragraph at an offset.
  package func style(at offset: Int) -> StyleID {
    if case .style(let id)? = paragraphs[offset][.style] { id } else { .body }
  }

  /// Returns a style and the styles that it inherits from, nearest first.
  private func styles(from style: StyleID) -> [NamedStyle] {
    var result: [NamedStyle] = []
    var next = styles[style]
    while let style = next {
      result.append(style)
      next = style.basedOn.flatMap { styles[$0] }
    }
    return result
  }

  /// Returns the heading level of a paragraph by its style or an inherited one, or nil.
  package func headingLevel(at offset: Int) -> Int? {
    let style = style(at: offset)
    for name in [style.name] + styles(from: style).map(\.id.name) {
      if name == "title" { return 1 }
      if name == "subtitle" { return 2 }
      if name.hasPrefix("heading-"), let level = Int(name.dropFirst(8)), (1...6).contains(level) {
        return level
      }
    }
    return nil
  }

  /// Returns whether a paragraph is a block quote by its style or an inherited one.
  package func isQuote(at offset: Int) -> Bool { inherits(.blockQuote, at: offset) }

  /// Returns whether a paragraph is code by its style or an inherited one.
  package func isCode(at offset: Int) -> Bool { inherits(.code, at: offset) }

  private func inherits(_ ancestor: StyleID, at offset: Int) -> Bool {
    let style = style(at: offset)
    return style == ancestor || styles(from: style).contains { $0.id == ancestor }
  }
}
