import BuiltIn
import Configuration
package import Console
import Editing
import Model
import Reader
import Rendering
import SystemSupport
import Workspace

/// The options for drawing the reader: those of the command line, otherwise those of the settings.
package struct ReaderAppearance: Sendable {
  private let drawing: DrawOptions
  /// The terminal's background. Nil until the terminal has answered the query.
  var background: Background?

  /// Creates the appearance for the options of a command line.
  package init(_ drawing: DrawOptions) { self.drawing = drawing }

  /// Returns whether the terminal should be queried for its background.
  func needsBackground(_ settings: Settings, _ environment: [String: String]) -> Bool {
    let choice = drawing.noColor ? .never : ColorMode.Choice(rawValue: drawing.choice.rawValue)
    let name = drawing.theme?.rawValue ?? settings.text(.themeName)
    // The Linux console doesn't understand the query and would display it.
    return settings.text(.themeBackground) == "auto" && !["light", "dark"].contains(name)
      && environment["TERM"] != "linux"
      && ColorMode.detect(environment: environment, isTerminal: true, choice: choice ?? .auto)
        != .none
  }

  /// Returns the options of the reader for the current settings.
  ///
  /// - Throws: ``UserError`` with the code `usage` if the theme is invalid or can't be read.
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
    // A width of the command line applies as it is.
    options.measure = drawing.width ?? settings.number(.readerMeasure)
    options.hasFooter = settings.isOn(.readerFooter)
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
