import MarkdownParse
import Model
package import RichText

extension RichDocument.Highlight.StyledNote {
  /// The note as Markdown, without a line feed at its end.
  var markdown: String {
    var source = MarkdownConversion(attributed).markdown[...]
    while source.last == "\n" { source = source.dropLast() }
    return String(source)
  }

  /// Creates the note of a Markdown source; nil if it has no bold, italic or struck words, or
  /// ``markdown`` would differ from the source: links, lists and code stay as they are written.
  package init?(markdown source: String) {
    guard source.contains(where: { "*_~".contains($0) }) else { return nil }
    let text = RichDocument(ParsedDocument(parsing: MarkdownSource(source))).text
    let isPlain =
      text.paragraphs.usedSets.allSatisfy { $0.values.isEmpty }
      && text.characters.usedSets.allSatisfy { set in
        set.values.allSatisfy { Self.kinds.contains($0.kind) }
      }
    guard isPlain else { return nil }
    var end = text.units.count
    while end > 0, AttributedText.isTerminator(text.units[end - 1]) { end -= 1 }
    self.init(text, 0..<end)
    if markdown != source { return nil }
  }
}
