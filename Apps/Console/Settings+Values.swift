import ArgumentParser
package import Configuration
import DaemonKit
package import Editing
package import Model
import Rendering
package import SystemSupport
import Workspace

extension Settings {
  /// Refuses to select where the settings say so.
  package func checkSelectable() throws(UserError) {
    guard !isOn(.readerSelectable) else { return }
    throw UserError(
      .usage, "selecting is off: reader.selectable is false",
      hint: "\(command: "config", "show", "--origin") says where")
  }
}

extension UserError {
  /// The same as an error of the commands.
  package init(_ problem: SettingsProblem) {
    self.init(
      problem.isEnvironmental ? .conflict : .usage, problem.description.sanitizedForTerminal,
      hint: problem.hint)
  }
}

extension Settings {
  /// The colour of a highlight when none is named.
  package var highlightColor: HighlightColor { choice(.highlightDefaultColor) }

  /// The unit of a number of steps when none is named.
  package var unit: TextUnit { choice(.selectDefaultUnit) }

  /// The way to the clipboard; nil for the best that is there.
  package var clipboard: Clipboard? { Clipboard(rawValue: text(.copyTo)) }

  /// The value of a setting whose words are those of a type.
  package func choice<Value: RawRepresentable<String>>(_ key: SettingKey) -> Value {
    guard let value = Value(rawValue: text(key)) else {
      preconditionFailure("\(key.rawValue) allows a value that is not a \(Value.self)")
    }
    return value
  }
}
