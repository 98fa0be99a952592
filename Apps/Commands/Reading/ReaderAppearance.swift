import BuiltIn
import Configuration
package import Console
import Editing
import Model
import Reader
import Rendering
import SystemSupport
import Workspace

/// How the reader draws: what the command line says, and the settings for the rest.
package struct ReaderAppearance: Sendable {
  private let drawing: DrawOptions
  /// The background that the terminal answered with; nil as long as it did not.
  var background: Background?

  /// Takes what the command line says.
  package init(_ drawing: DrawOptions) { self.drawing = drawing }

  /// Whether it is worth asking the terminal for its background.
  func needsBackground(_ settings: Settings, _ environment: [String: String]) -> Bool {
    let choice = drawing.noColor ? .never : ColorMode.Choice(rawValue: drawing.choice.rawValue)
    let name = drawing.theme?.rawValue ?? settings.text(.themeName)
    // The console of Linux shows the question.
    return settings.text(.themeBackground) == "auto" && !["light", "dark"].contains(name)
      && environment["TERM"] != "linux"
      && ColorMode.detect(environment: environment, isTerminal: true, choice: choice ?? .auto)
        != .none
  }

  /// How a reader draws with some settings.
  ///
  /// - Throws: `usage` for a theme that cannot be read.
  func options(_ settings: Settings, _ environment: [String: String]) throws(UserError)
    -> Reader.Options
  {
    let choice = drawing.noColor ? .never : ColorMode.Choice(rawValue: drawing.choice.rawValue)
    let mode = ColorMode.detect(
      environment: environment, isTerminal: true, choice: choice ?? .auto)
    var options = Reader.Options(
      color: mode,
      theme: try settings.theme(
        drawing.theme?.rawValue,
        on: settings.background(environment, answered: background), environment: environment),
      width: drawing.width ?? settings.number(.readerWidth), margin: settings.number(.readerMargin))
    options.isSelectable = settings.isOn(.readerSelectable)
    options.hasMouse = settings.isOn(.readerMouse)
    options.hidesTitle = drawing.hideTitle ?? settings.isOn(.readerHideTitle)
    options.unit = settings.unit
    options.highlightColor = settings.highlightColor
    options.ordersText = settings.ordersText(environment)
    options.hasUnderlineStyles = ANSIWriter.knowsUnderlineStyles(environment)
    options.lexers = PluginSet.builtIn.lexers.all
    options.selectionPaint = SelectionPaint(settings.text(.themeSelection), mode: mode)
    return options
  }
}
