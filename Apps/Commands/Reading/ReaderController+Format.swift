import Model
import Reader
import RichText
import Workspace

extension ReaderController {
  /// Returns the state of the format palette for a passage of the open text. Returns nil for a text
  /// outside the library, whose format can't be changed. O(text + runs).
  func paletteState(of range: TextRange) async -> PaletteState? {
    guard open.document != nil, let format = try? await library.format(of: open) else { return nil }
    return PaletteState(
      format.text, in: range, format.context, unit: (try? context.lengthUnit(globals)) ?? .points)
  }
}
