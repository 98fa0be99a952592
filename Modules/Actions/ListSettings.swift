package import Configuration
package import Workspace

/// Lists the settings with their values and the place where each is set.
package struct ListSettings: Action {
  package static let name = "library.settings"
  package static let summary = "Lists all settings, their values and where each is set."
  // Settings contain programs and folders of the machine. Devices on the network must not see them.
  package static let effect = ActionEffect.administers
  package static let opening = Library.Opening.readOnlyOrEmpty
  package static let parameters: [ActionParameter] = []
  package static let examples = [ListSettings()]

  package init() {}

  package struct Outcome: ActionOutcome {
    package var settings: Settings

    package init(_ settings: Settings) { self.settings = settings }

    package var json: String {
      JSON.line("diple.settings/1", SettingKey.allCases.map { SettingRecord($0, settings) })
    }
  }

  package func run(in session: ActionSession) async throws -> Outcome {
    Outcome(try session.settings())
  }
}

/// A setting, a record of the schema `diple.setting/1` and an element of `diple.settings/1`.
package struct SettingRecord: Encodable {
  struct Origin: Encodable {
    var kind: String
    @Nullable var name: String?
    @Nullable var line: Int?

    init(_ origin: Settings.Origin) {
      switch origin {
      case .fallback: kind = "default"
      case .file(let path, let line): (kind, name, self.line) = ("file", path, line)
      case .variable(let variable): (kind, name) = ("variable", variable)
      }
    }
  }

  var key: String
  var value: SettingValue
  var `default`: SettingValue
  var range: String
  var help: String
  var variable: String
  var origin: Origin

  package init(_ key: SettingKey, _ settings: Settings) {
    self.key = key.rawValue
    value = settings[key]
    `default` = key.rule.fallback
    (range, help, variable) = (key.rule.range, key.rule.help, key.variable)
    origin = Origin(settings.origin(of: key))
  }
}
