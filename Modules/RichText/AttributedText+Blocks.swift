import Model

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

  /// Returns whether the text begins with its title: a paragraph with the style Title, or a heading
  /// of level 1 that is the only one or contains the words of `title`. O(text).
  package func begins(withTitle title: String) -> Bool {
    var start = 0
    var hasHeading = false
    while start < units.count {
      let paragraph = paragraphRange(around: start..<start)
      let isBlank = units[paragraph].allSatisfy {
        $0 == 0x20 || $0 == 0x09 || Self.isTerminator($0)
      }
      if !isBlank {
        let isFirst = !hasHeading
        if isFirst, style(at: start).name == "title" { return true }
        let isHeading = headingLevel(at: start) == 1
        if isFirst != isHeading { return false }
        if isFirst, String(units: units[paragraph]).oneLine == title.oneLine {
          return true
        }
        hasHeading = true
      }
      start = paragraph.upperBound
    }
    return hasHeading
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
