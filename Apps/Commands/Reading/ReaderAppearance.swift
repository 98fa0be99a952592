import Configuration
package import Console
import Editing
import Model
import Reader
import Rendering

/// How the reader draws: what the command line says, and the settings for the rest.
package struct ReaderAppearance: Sendable {
  private let drawing: DrawOptions

  /// Takes what the command line says.
  package init(_ drawing: DrawOptions) { self.drawing = drawing }

  /// How a reader draws with some settings.
  func options(_ settings: Settings, _ environment: [String: String]) -> Reader.Options {
    let choice = drawing.noColor ? .never : ColorMode.Choice(rawValue: drawing.choice.rawValue)
    let mode = ColorMode.detect(
      environment: environment, isTerminal: true, choice: choice ?? .auto)
    let background = drawing.theme?.rawValue ?? settings.text(.themeBackground)
    var options = Reader.Options(
      color: mode,
      theme: Theme(rawValue: background) ?? Theme.detect(environment: environment),
      width: drawing.width ?? settings.number(.readerWidth), margin: settings.number(.readerMargin))
    options.isSelectable = settings.isOn(.readerSelectable)
    options.hasMouse = settings.isOn(.readerMouse)
    options.hidesTitle = drawing.hideTitle ?? settings.isOn(.readerHideTitle)
    options.unit = settings.unit
    options.highlightColor = settings.highlightColor
    options.selectionPaint = SelectionPaint(settings.text(.themeSelection), mode: mode)
    return options
  }
}
