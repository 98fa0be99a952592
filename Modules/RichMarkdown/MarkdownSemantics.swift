package import MarkdownParse
import Model
package import RichText

extension FormatLayer {
  /// Creates the layer of attributes that a document's Markdown expresses. Emphasised,
  /// struck-through, marked and linked words have character attributes. Headings, quotes and code
  /// have paragraph styles; headings below the third level have the style of the third. O(text +
  /// spans).
  package init(semanticsOf document: ParsedDocument) {
    var characters = FormatRuns<CharacterAttribute>()
    var paragraphs = FormatRuns<ParagraphAttribute>()
    let inherited = document.inheritedStyles()
    let units = document.text.utf16.count
    var style: StyleID?
    var styleStart = 0
    var lastEnd = 0
    // A leaf's style extends to the start of the next leaf, so that runs cover whole paragraphs.
    func change(to next: StyleID?, at offset: Int) {
      if next == style { return }
      if let style { paragraphs.append(styleStart..<offset, [.style(style)]) }
      (style, styleStart) = (next, offset)
    }
    for (index, block) in document.blocks.enumerated() where block.isLeaf && !block.text.isEmpty {
      // A row begins before the tabs of its empty cells.
      var start = block.text.utf16.lowerBound
      while start > lastEnd, document.text.utf16[start - 1] != 0x0A { start -= 1 }
      change(to: inherited[index], at: start)
      lastEnd = block.text.utf16.upperBound
      for run in document.styleRuns(in: block) {
        characters.append(run.text.utf16, document.attributes(of: run))
      }
    }
    change(to: nil, at: units)
    self.init(characters: characters, paragraphs: paragraphs)
  }
}

extension AttributedText {
  /// Creates the rendered text of a document with its Markdown as direct attributes.
  package init(markdown document: ParsedDocument) {
    self.init(
      units: Array(document.text.utf16), layer: FormatLayer(semanticsOf: document))
  }
}

extension ParsedDocument {
  /// Returns for each block the paragraph style that follows from its kind or an enclosing block,
  /// or nil for `body`.
  fileprivate func inheritedStyles() -> [StyleID?] {
    var styles = [StyleID?](repeating: nil, count: blocks.count)
    for (index, block) in blocks.enumerated() {
      styles[index] =
        switch block.kind {
        case .heading(let level): .heading(min(level, 3))
        case .codeBlock: .code
        case .blockQuote, .admonition: .blockQuote
        default: block.parent < 0 ? nil : styles[block.parent]
        }
    }
    return styles
  }

  /// Returns the character attributes of a run of text.
  fileprivate func attributes(of run: StyleRun) -> AttributeSet<CharacterAttribute> {
    var set: AttributeSet<CharacterAttribute> = []
    if run.style.contains(.strong) { set.set(.bold(true)) }
    if run.style.contains(.emphasis) { set.set(.italic(true)) }
    if run.style.contains(.strikethrough) { set.set(.strikethrough(.single)) }
    if run.style.contains(.mark) { set.set(.background(.rgb(HighlightColor.yellow.onPaper))) }
    if run.style.contains(.code), let family = StyleSheet()[.code]?.characters[.family] {
      set.set(family)
    }
    if run.style.contains(.link), let target = run.target {
      let link = CharacterAttribute.link(links[target].target)
      if link.problem(within: .files) == nil { set.set(link) }
    }
    return set
  }
}
