import Actions
import Console
import Model
import Reader
import RichText
import SystemSupport
import Workspace

extension ReaderController {
  /// Returns the state of the format palette for a passage of the open text. Returns nil for a text
  /// outside the library, whose format can't be changed. O(text + runs).
  func paletteState(of range: TextRange) async -> PaletteState? {
    guard open.document != nil, let format = try? await library.format(of: open) else { return nil }
    let environment = context.terminal.environment
    return PaletteState(
      format.text, in: range, format.context, unit: (try? context.lengthUnit(globals)) ?? .points,
      fonts: await installedFonts(), colors: RecentColors(environment).colors)
  }

  /// Returns the installed font families, which are listed once; empty if they are unknown.
  private func installedFonts() async -> [String] {
    if let fonts { return fonts }
    let found = (try? await InstalledFonts(context.terminal.environment))?.families ?? []
    fonts = found
    return found
  }
}
