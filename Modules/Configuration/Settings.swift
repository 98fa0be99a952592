import Model
import SystemSupport

/// The settings in effect. Precedence, highest first: `DIPLE_` variables, the library's file, the
/// user's file, variables of other programs such as `EDITOR`, defaults. Options on a command line
/// override all of them; the front-ends handle these.
///
///     let settings = try Settings(environment: environment, library: folder)
///     let width = settings.number(.readerWidth)
package struct Settings: Sendable {
  /// The origin of a value.
  package enum Origin: Hashable, Sendable {
    /// The default.
    case fallback
    /// The path of a settings file, and the line number in it, from 1.
    case file(String, line: Int)
    /// An environment variable.
    case variable(String)
  }

  /// The reason why the library's file is ignored as a whole; nil if it is valid. The file may be
  /// another user's, and must not prevent the user from working.
  package private(set) var libraryProblem: SettingsError?

  private var found: [SettingKey: (value: SettingValue, origin: Origin)] = [:]

  /// Reads only the environment, ignoring invalid values. Commands that repair an invalid file use
  /// these settings.
  package init(variablesOf environment: [String: String]) {
    takeVariables(environment)
    for key in SettingKey.allCases {
      guard let value = environment[key.variable].flatMap(key.rule.value) else { continue }
      found[key] = (value, .variable(key.variable))
    }
  }

  /// Reads the settings of a user and a library.
  ///
  /// - Parameters:
  ///   - library: the library's folder; nil for the user's settings alone.
  ///   - files: reads the two files.
  /// - Throws: the first error in the user's file or in a variable of the environment. An error in
  ///   the library's file is in `libraryProblem`.
  package init(
    environment: [String: String], library: String?, files: SettingsFiles = SettingsFiles()
  ) throws(SettingsError) {
    takeVariables(environment)
    if let path = SettingsFile.personal(environment: environment) {
      take(try files.file(at: path, .user))
    }
    if let library {
      do { take(try files.file(at: SettingsFile.ofLibrary(in: library), .library)) } catch {
        libraryProblem = error
      }
    }
    for key in SettingKey.allCases {
      guard let word = environment[key.variable] else { continue }
      if let value = key.rule.value(word) {
        found[key] = (value, .variable(key.variable))
      } else if !word.isEmpty {
        throw SettingsError(
          key.variable, "\(key.rawValue) takes \(key.rule.range), not '\(word)'")
      }
    }
  }

  /// Reads the variables of other programs.
  private mutating func takeVariables(_ environment: [String: String]) {
    for key in SettingKey.allCases {
      for name in key.rule.variables.reversed() {
        guard let value = environment[name].flatMap(key.rule.value) else { continue }
        found[key] = (value, .variable(name))
      }
    }
  }

  private mutating func take(_ file: SettingsFile) {
    for (key, value) in file.values {
      found[key] = (value.value, .file(file.path, line: value.line))
    }
  }

  /// The value of a setting, or its default.
  package subscript(key: SettingKey) -> SettingValue { found[key]?.value ?? key.rule.fallback }

  /// Returns the origin of a setting's value.
  package func origin(of key: SettingKey) -> Origin { found[key]?.origin ?? .fallback }

  /// Returns the value of a flag. Traps if the setting isn't a flag.
  package func isOn(_ key: SettingKey) -> Bool {
    guard case .flag(let flag) = self[key] else { preconditionFailure("\(key) is not a flag") }
    return flag
  }

  /// Returns the value of a number. Traps if the setting isn't a number.
  package func number(_ key: SettingKey) -> Int {
    guard case .number(let number) = self[key] else {
      preconditionFailure("\(key) is not a number")
    }
    return number
  }

  /// Returns the value of a text. Traps if the setting isn't a text.
  package func text(_ key: SettingKey) -> String {
    guard case .text(let text) = self[key] else { preconditionFailure("\(key) is not a text") }
    return text
  }

  /// The file with the certificates of sync targets; nil for those of the system.
  package var syncCertificates: String? {
    let path = text(.syncCertificates)
    return path.isEmpty ? nil : path
  }

  /// Whether `markdown.folders` contains a relative path.
  package var hasRelativeFolders: Bool {
    SettingRule.pairs(in: text(.markdownFolders)).contains { !$0.folder.hasPrefix("/") }
  }

  /// Returns the setting with a name.
  ///
  /// - Throws: `SettingsError` for an unknown name; its hint is the nearest known one.
  package static func key(_ name: String) throws(SettingsError) -> SettingKey {
    if let key = SettingKey(rawValue: name) { return key }
    throw SettingsError(
      nil, "there is no setting '\(name)'", hint: SettingsFile.hint(for: name))
  }

  /// Parses a value for a setting.
  ///
  /// - Throws: `SettingsError` with the allowed values if it isn't valid.
  package static func value(_ word: String, for key: SettingKey) throws(SettingsError)
    -> SettingValue
  {
    if let value = key.rule.value(word) { return value }
    let dialect = key == .markdownDialect ? MarkdownDialectName.known(by: word) : nil
    throw SettingsError(
      nil, "\(key.rawValue) takes \(key.rule.range), not '\(word)'",
      hint: dialect.map { "the dialect is called \($0)" })
  }
}
