import ArgumentParser
package import Configuration
import DaemonKit
package import Editing
package import Model
package import SystemSupport
import Workspace

extension Settings {
  /// Throws ``UserError`` with the code `usage` if the settings disable selecting.
  package func checkSelectable() throws(UserError) {
    guard !isOn(.readerSelectable) else { return }
    throw UserError(
      .usage, "selecting is off: reader.selectable is false",
      remedy: .setting(SettingKey.readerSelectable.rawValue))
  }
}

extension Settings {
  /// The default colour of a highlight.
  package var highlightColor: HighlightColor { choice(.highlightDefaultColor) }

  /// The default unit of steps.
  package var unit: TextUnit { choice(.selectDefaultUnit) }

  /// The method of copying to the clipboard. Nil for the best available method.
  package var clipboard: Clipboard? { Clipboard(rawValue: text(.copyTo)) }

  /// Returns the value of a setting whose allowed values are the raw values of a type. Traps if
  /// they aren't.
  package func choice<Value: RawRepresentable<String>>(_ key: SettingKey) -> Value {
    guard let value = Value(rawValue: text(key)) else {
      preconditionFailure("\(key.rawValue) allows a value that is not a \(Value.self)")
    }
    return value
  }
}
