import Model
import Reader
import Workspace

extension ReaderController {
  /// What a passage of the open text has of all that the palette of formats offers; nil for a text in no
  /// library, which has no format to change. O(text + runs).
  func paletteState(of range: TextRange) async -> PaletteState? {
    guard open.document != nil, let format = try? await library.format(of: open) else { return nil }
    return PaletteState(format.text, in: range, format.context)
  }
}
