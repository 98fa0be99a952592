import Actions
import ArgumentParser
import Configuration
import Console
import Rendering
import SystemSupport
import Workspace

/// The `config` command, which shows and changes settings.
struct ConfigCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "config",
    abstract: "Show and change settings.",
    discussion: """
      Settings are TOML. Yours are in $XDG_CONFIG_HOME/diple/config.toml \
      (~/.config/diple/config.toml when unset); config.toml in the library's folder overrides \
      them. A variable DIPLE_NAME (DIPLE_READER_WIDTH for reader.width) overrides both, and an \
      option overrides all. A library's file cannot name programs: editor, pager and hooks are \
      set in yours only.

      Examples:
        diple config show --origin
        diple config set reader.width 72
      """,
    subcommands: [Show.self, Get.self, Set.self, Unset.self, Edit.self],
    defaultSubcommand: Show.self)

  /// Returns the allowed values of a setting. Empty for settings with other values and for unknown
  /// names.
  static func values(for name: String) -> [String] {
    switch SettingKey(rawValue: name)?.rule.kind {
    case .flag: ["true", "false"]
    case .choice(let words): words
    default: []
    }
  }

  /// The option that selects the settings file.
  struct PlaceOptions: ParsableArguments {
    @Flag(help: "Use the library's file instead of yours.")
    var local = false

    /// Returns the path of the file and its owner.
    ///
    /// - Throws: ``UserError`` with the code `usage` if there is no home folder; with `--local`,
    ///   the errors of opening the library.
    func file(_ context: CommandContext, _ options: GlobalOptions) throws -> (
      String, SettingsFile.Owner
    ) {
      if local {
        let library = try context.libraries.library(options, .existing)
        return (SettingsFile.ofLibrary(in: library.location.folder), .library)
      }
      guard let path = SettingsFile.personal(environment: context.terminal.environment) else {
        throw UserError(.usage, "no place for settings: HOME is not set")
      }
      return (path, .user)
    }
  }
}

extension CommandContext {
  /// Prints the current value of a setting.
  func show(
    _ key: SettingKey, _ settings: Settings, _ options: GlobalOptions, _ line: () -> String
  ) {
    answer(
      options, json: ChangeSetting.Outcome(key, settings).json,
      plain: line().sanitizedForTerminal)
  }
}

extension ConfigCommand {
  /// Returns the settings after a change. Nil if the change was stored and other settings are
  /// invalid, which is not an error of the command: a warning is printed then.
  ///
  /// - Parameter change: what was stored, for the warning.
  static func settings(
    after change: String, isStored: Bool, _ context: CommandContext, _ options: GlobalOptions
  ) throws -> Settings? {
    do { return try context.libraries.settings(options) } catch {
      guard isStored else { throw error }
      context.terminal.errors.line(
        "diple: \(change), but the settings cannot be read: \(error.message)"
          .sanitizedForTerminal)
      return nil
    }
  }
}

extension Settings.Origin {
  /// The origin of a value for display: `default`, the file and line, or the variable.
  var originDescription: String {
    switch self {
    case .fallback: "default"
    case .file(let path, let line): "\(path.sanitizedForTerminal):\(line)"
    case .variable(let name): "$\(name)"
    }
  }
}

extension String {
  /// The setting with this name.
  ///
  /// - Throws: ``UserError`` with the code `usage` if it doesn't exist.
  var settingKey: SettingKey {
    get throws(UserError) {
      do { return try Settings.key(self) } catch { throw UserError(error) }
    }
  }

  var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
