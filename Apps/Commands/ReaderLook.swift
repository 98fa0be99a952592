import Configuration
import Editing
import Model
import Reader
public import Rendering

/// What the command line says of how the reader looks; the settings say the rest.
public struct ReaderLook: Sendable {
  /// Whether a person wants colours.
  public var color = ColorMode.Choice.auto
  /// `light`, `dark` or `auto`; nil when nothing is said.
  public var theme: String?
  /// The most columns of text; nil when nothing is said.
  public var width: Int?
  /// Whether the first heading is left out when it is the title; nil when nothing is said.
  public var hidesTitle: Bool?

  /// Says nothing.
  public init() {}

  /// How a reader looks with some settings.
  func options(_ settings: Settings, _ environment: [String: String]) -> Reader.Options {
    let mode = ColorMode.detect(environment: environment, isTerminal: true, choice: color)
    let background = theme ?? settings.text(.themeBackground)
    var options = Reader.Options(
      color: mode,
      theme: Theme(rawValue: background) ?? Theme.detect(environment: environment),
      width: width ?? settings.number(.readerWidth), margin: settings.number(.readerMargin))
    options.isSelectable = settings.isOn(.readerSelectable)
    options.hasMouse = settings.isOn(.readerMouse)
    options.hidesTitle = hidesTitle ?? settings.isOn(.readerHideTitle)
    options.unit = settings.unit
    options.highlightColor = settings.highlightColor
    options.selectionPaint = SelectionPaint(settings.text(.themeSelection), mode: mode)
    return options
  }
}
