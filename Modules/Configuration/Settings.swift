import Model
import SystemSupport

/// What is set here and now: by the environment, by the library's file, by the person's, or by nobody.
/// What a command line says comes before all of it and is the front-end's.
package struct Settings: Sendable {
  /// Who set a value.
  package enum Origin: Hashable, Sendable {
    /// Nobody.
    case fallback
    /// A file, in a line from 1.
    case file(String, line: Int)
    /// A variable of the environment.
    case variable(String)
  }

  /// Why the library's file is left out as a whole; nil when it is right. It may be somebody else's,
  /// who must not keep a person from working.
  package private(set) var libraryProblem: SettingsProblem?

  private var found: [SettingKey: (value: SettingValue, origin: Origin)] = [:]

  /// What the environment alone sets, where it can be understood: for those who mend a file.
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
  ) throws(SettingsProblem) {
    takeVariables(environment)
    if let path = SettingsFile.personal(environment: environment) {
      take(try files.file(at: path, .person))
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
        throw SettingsProblem(
          key.variable, "\(key.rawValue) takes \(key.rule.range), not '\(word)'")
      }
    }
  }

  /// Takes what other programs go by too.
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

  /// The value of a setting.
  package subscript(key: SettingKey) -> SettingValue { found[key]?.value ?? key.rule.fallback }

  /// Who set it.
  package func origin(of key: SettingKey) -> Origin { found[key]?.origin ?? .fallback }

  /// Whether a setting that is a flag is on.
  package func isOn(_ key: SettingKey) -> Bool {
    guard case .flag(let flag) = self[key] else { preconditionFailure("\(key) is not a flag") }
    return flag
  }

  /// The number of a setting that is one.
  package func number(_ key: SettingKey) -> Int {
    guard case .number(let number) = self[key] else {
      preconditionFailure("\(key) is not a number")
    }
    return number
  }

  /// The text of a setting that is one.
  package func text(_ key: SettingKey) -> String {
    guard case .text(let text) = self[key] else { preconditionFailure("\(key) is not a text") }
    return text
  }

  /// Whether `markdown.folders` names a folder by a relative path.
  package var hasRelativeFolders: Bool {
    SettingRule.pairs(in: text(.markdownFolders)).contains { !$0.folder.hasPrefix("/") }
  }

  /// The key of a name.
  ///
  /// - Throws: the nearest one, when there is none of this name.
  package static func key(_ name: String) throws(SettingsProblem) -> SettingKey {
    if let key = SettingKey(rawValue: name) { return key }
    throw SettingsProblem(
      nil, "there is no setting '\(name)'", hint: SettingsFile.hint(for: name))
  }

  /// The value that a word means for a key.
  ///
  /// - Throws: what is allowed, when it is none.
  package static func value(_ word: String, for key: SettingKey) throws(SettingsProblem)
    -> SettingValue
  {
    if let value = key.rule.value(word) { return value }
    let dialect = key == .markdownDialect ? MarkdownDialectName.known(by: word) : nil
    throw SettingsProblem(
      nil, "\(key.rawValue) takes \(key.rule.range), not '\(word)'",
      hint: dialect.map { "the dialect is called \($0)" })
  }
}
