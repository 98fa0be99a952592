package import MarkdownParse
import Model
package import RichText

extension FormatLayer {
  /// What a document's Markdown says of its rendered text: emphasis, struck, marked and linked words as
  /// attributes of characters; headings, quotes and code as the styles of their paragraphs. Headings
  /// below the third look like the third. O(text + spans).
  package init(semanticsOf document: ParsedDocument) {
    var characters = FormatRuns<CharacterAttribute>()
    var paragraphs = FormatRuns<ParagraphAttribute>()
    let inherited = document.inheritedStyles()
    let units = document.text.utf16.count
    var style: StyleID?
    var styleStart = 0
    var lastEnd = 0
    // A leaf's style holds to the start of the next leaf, so that runs cover whole paragraphs.
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
  /// A document's rendered text, with what its Markdown says as attributes of its own.
  package init(markdown document: ParsedDocument) {
    self.init(
      units: Array(document.text.utf16), layer: FormatLayer(semanticsOf: document))
  }
}

extension ParsedDocument {
  /// For each block, the style that its paragraphs have by what it is or stands in; nil for the body's.
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

  /// What the spans around a stretch of text say of it.
  fileprivate func attributes(of run: StyleRun) -> AttributeSet<CharacterAttribute> {
    var set: AttributeSet<CharacterAttribute> = []
    if run.style.contains(.strong) { set.set(.bold(true)) }
    if run.style.contains(.emphasis) { set.set(.italic(true)) }
    if run.style.contains(.strikethrough) { set.set(.strikethrough(.single)) }
    if run.style.contains(.mark) { set.set(.background(.rgb(0xFFF36D))) }
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
