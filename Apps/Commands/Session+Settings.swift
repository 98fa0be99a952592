import ArgumentParser
import Configuration
import Editing
import Model
import Rendering
import Workspace

extension Session {
  /// What is set for a command; read anew each time, so that a line editor follows every change.
  func settings(_ options: GlobalOptions) throws(LibraryError) -> Settings {
    let location = try? LibraryLocation.find(named: options.library, environment: environment)
    do {
      return try Settings(environment: environment, library: location?.folder)
    } catch { throw LibraryError(error) }
  }

  /// Refuses to select where the settings say so.
  func checkSelectable(_ settings: Settings) throws(LibraryError) {
    guard !settings.isOn(.readerSelectable) else { return }
    throw LibraryError(
      .usage, "selecting is off: reader.selectable is false",
      hint: "`diple config show --origin` says where")
  }
}

extension LibraryError {
  /// The same as an error of the commands.
  init(_ problem: SettingsProblem) {
    self.init(
      problem.isEnvironmental ? .conflict : .usage, problem.description.neutralized,
      hint: problem.hint)
  }
}

extension Settings {
  /// The colour of a highlight when none is named.
  var highlightColor: HighlightColor { choice(.highlightDefaultColor) }

  /// The unit of a number of steps when none is named.
  var unit: TextUnit { choice(.selectDefaultUnit) }

  /// The background that colours are for.
  func theme(environment: [String: String]) -> Theme {
    Theme(rawValue: text(.themeBackground)) ?? Theme.detect(environment: environment)
  }

  /// The way to the clipboard; nil for the best that is there.
  var clipboard: Clipboard? { Clipboard(rawValue: text(.copyTo)) }

  /// The value of a setting whose words are those of a type.
  func choice<Value: RawRepresentable<String>>(_ key: SettingKey) -> Value {
    guard let value = Value(rawValue: text(key)) else {
      preconditionFailure("\(key.rawValue) allows what is no \(Value.self)")
    }
    return value
  }
}
