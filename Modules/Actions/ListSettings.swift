package import Configuration
package import SystemSupport
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
    /// The listed settings.
    package var keys: [SettingKey]

    package init(_ settings: Settings, _ keys: [SettingKey] = SettingKey.allCases) {
      (self.settings, self.keys) = (settings, keys)
    }

    package var json: String {
      JSON.line("diple.settings/1", keys.map { SettingRecord($0, settings) })
    }
  }

  package func run(in session: ActionSession) async throws -> Outcome {
    Outcome(try session.settings())
  }
}

/// Changes or removes one setting in the user's file or in the library's.
package struct ChangeSetting: Action {
  package static let name = "library.configure"
  package static let summary = "Changes or removes one setting, in your file or the library's."
  package static let effect = ActionEffect.administers
  package static let opening = Library.Opening.readOnlyOrEmpty
  package static let parameters = [
    ActionParameter(
      "key", .text, "The name of the setting, such as reader.width.", isRequired: true),
    ActionParameter("value", .text, "The new value; removed from the file when omitted."),
    ActionParameter("local", .flag, "Changes the library's file instead of the user's."),
    .dryRun,
  ]
  package static let examples = [
    ChangeSetting(key: "reader.width", value: "72", local: true, dryRun: true)
  ]

  package var key: String
  package var value: String?
  package var local: Bool?
  package var dryRun: Bool?

  package init(key: String, value: String?, local: Bool? = nil, dryRun: Bool? = nil) {
    (self.key, self.value, self.local, self.dryRun) = (key, value, local, dryRun)
  }

  /// A setting with its present value and origin.
  package struct Outcome: ActionOutcome {
    package var key: SettingKey
    package var settings: Settings

    package init(_ key: SettingKey, _ settings: Settings) {
      (self.key, self.settings) = (key, settings)
    }

    package var json: String { JSON.line("diple.setting/1", SettingRecord(key, settings)) }
  }

  /// Changes the file, without a library: a library that cannot be opened must not prevent a change
  /// of the user's settings.
  ///
  /// - Throws: ``UserError`` if the setting or the value is invalid, or the file cannot be changed.
  package func change(_ path: String, _ owner: SettingsFile.Owner) throws(UserError) -> SettingKey {
    do throws(SettingsError) {
      let key = try Settings.key(key)
      let value = try value.map { (text) throws(SettingsError) in
        try Settings.value(text, for: key)
      }
      guard owner == .user || !key.rule.isPersonal else {
        throw SettingsError(
          nil, "'\(key.rawValue)' cannot be set for a library: it \(key.rule.reason)",
          hint: "omit --local")
      }
      let change = { (file: SettingsFile) throws(SettingsError) -> SettingsFile in
        if let value { return try file.setting(key, to: value, owner) }
        guard file.values[key] != nil else { return file }
        return try file.removing(key, owner)
      }
      if dryRun == true {
        _ = try change(try SettingsFile(path, owner))
      } else {
        try SettingsFile.change(path, owner, change)
      }
      return key
    } catch { throw UserError(error) }
  }

  package func run(in session: ActionSession) async throws -> Outcome {
    let key: SettingKey
    if local == true {
      key = try change(SettingsFile.ofLibrary(in: session.library.location.folder), .library)
    } else {
      guard let path = SettingsFile.personal(environment: session.environment) else {
        throw UserError(.usage, "no place for settings: HOME is not set")
      }
      key = try change(path, .user)
    }
    do { return Outcome(key, try session.settings()) } catch {
      guard dryRun != true else { throw error }
      // The setting is stored, so the action must not be repeated.
      throw UserError(
        .unconfirmed, "\(key.rawValue) is set, but the settings cannot be read: \(error.message)")
    }
  }
}

/// A setting, a record of the schema `diple.setting/1` and an element of `diple.settings/1`.
private struct SettingRecord: Encodable {
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

  init(_ key: SettingKey, _ settings: Settings) {
    self.key = key.rawValue
    value = settings[key]
    `default` = key.rule.fallback
    (range, help, variable) = (key.rule.range, key.rule.help, key.variable)
    origin = Origin(settings.origin(of: key))
  }
}
