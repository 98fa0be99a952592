import MarkdownParse
import Model
import Reader
import Rendering
import RichMarkdown
import RichText
import Workspace

extension ReaderController {
  /// What a passage of the open text has of all that the palette of formats offers; nil where no format
  /// is known, as for a text in no library. O(text + runs).
  func paletteState(of range: TextRange) -> PaletteState? {
    guard let format = reader.text.format else { return nil }
    let text = AttributedText(
      units: Array(open.parsed.text.utf16), layer: format.layer, styles: format.styles,
      defaults: format.defaults)
    let semantics = FormatLayer(semanticsOf: open.parsed)
    return PaletteState(text, in: range, FormatContext(semantics: semantics))
  }
}
