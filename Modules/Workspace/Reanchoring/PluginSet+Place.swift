import Anchoring
package import MarkdownParse
package import Model
import SystemSupport

extension PluginSet {
  /// Locates a passage in the new version of a text, as a highlight of it would be located; nil if
  /// it is not found or its location is uncertain. O(text).
  package func place(of range: TextRange, from old: RenderedText, to new: RenderedText)
    -> TextRange?
  {
    if old == new { return range }
    let before = AnchorText(utf16: old.utf16)
    let subject = AnchorSubject(
      selector: Selector(
        selecting: range, in: before, digest: nil, renderVersion: ParsedDocument.renderVersion),
      last: range)
    let found = Anchorer(strategies: anchoring.all)
      .reanchor([subject], from: before, to: AnchorText(utf16: new.utf16))
    guard let anchor = found.first, anchor.state != .doubtful else { return nil }
    return anchor.range
  }
}
