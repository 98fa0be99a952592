import ArgumentParser
import Configuration
import Console
import DaemonKit
import FoundationEssentials
import Glibc
import Rendering
import SystemSupport
import Workspace

/// `config`: what a person can set.
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
    subcommands: [Show.self, Get.self, Set.self, Edit.self], defaultSubcommand: Show.self)

  /// The words that a setting can be, where there are only some.
  static func values(for name: String) -> [String] {
    switch SettingKey(rawValue: name)?.rule.kind {
    case .flag: ["true", "false"]
    case .choice(let words): words
    default: []
    }
  }

  /// `config show`.
  struct Show: ContextCommand {
    static let configuration = CommandConfiguration(
      commandName: "show",
      abstract: "List all settings and their values.",
      discussion: """
        Examples:
          diple config show
          diple config show --origin
        """)
    @OptionGroup var options: GlobalOptions
    @Flag(help: "Show where each is set, and what it does.") var origin = false

    func run(in context: CommandContext) async throws {
      let settings = try context.libraries.settings(options)
      if options.json {
        let records = SettingKey.allCases.map { SettingRecord($0, settings) }
        context.terminal.output.line(JSON.line(Envelope(schema: "diple.settings/1", data: records)))
        return
      }
      for key in SettingKey.allCases {
        if origin {
          context.terminal.output.line("# \(key.rule.help) \(key.rule.range.capitalizedFirst).")
        }
        let comment = origin ? "  # \(settings.origin(of: key).originDescription)" : ""
        context.terminal.output.line(
          "\(key.rawValue) = \(settings[key].toml)\(comment)".sanitizedForTerminal)
      }
    }
  }

  /// `config get`.
  struct Get: ContextCommand {
    static let configuration = CommandConfiguration(
      commandName: "get",
      abstract: "Print one setting.",
      discussion: """
        Example:
          diple config get reader.width
        """)
    @OptionGroup var options: GlobalOptions
    @Argument(
      help: "Name of the setting, such as reader.width.", completion: .values(.setting))
    var key: String

    func run(in context: CommandContext) async throws {
      let key = try key.settingKey
      let settings = try context.libraries.settings(options)
      context.say(key, settings, options) { settings[key].description.sanitizedForTerminal }
    }
  }

  /// `config set`.
  struct Set: ContextCommand {
    static let configuration = CommandConfiguration(
      commandName: "set",
      abstract: "Change one setting.",
      discussion: """
        Only the line of that setting in the file changes.

        Examples:
          diple config set reader.width 72
          diple config set --local highlight.default_color green
        """)
    @OptionGroup var options: GlobalOptions
    @OptionGroup var writing: WriteOptions
    @OptionGroup var place: PlaceOptions
    @Argument(
      help: "Name of the setting, such as reader.width.", completion: .values(.setting))
    var key: String
    @Argument(help: "New value.", completion: .values(.settingValue)) var value: String

    func run(in context: CommandContext) async throws {
      let key = try key.settingKey
      let (path, owner) = try place.file(context, options)
      do {
        let value = try Settings.value(value, for: key)
        guard owner == .person || !key.rule.isPersonal else {
          throw UserError(
            .usage, "'\(key.rawValue)' names a program, and a library may not",
            hint: "omit --local")
        }
        let change = { (file: SettingsFile) throws(SettingsProblem) -> SettingsFile in
          try file.setting(key, to: value, owner)
        }
        if writing.dryRun {
          _ = try change(try SettingsFile(path, owner))
        } else {
          try SettingsFile.change(path, owner, change)
        }
      } catch let problem as SettingsProblem { throw UserError(problem) }
      let settings: Settings
      do { settings = try context.libraries.settings(options) } catch {
        guard !writing.dryRun else { throw error }
        // The file holds it; that something else keeps it from being read is no failure of this.
        context.terminal.errors.line(
          "diple: \(key.rawValue) is set in \(path), but the settings cannot be read: \(error.message)"
            .sanitizedForTerminal)
        return
      }
      context.say(key, settings, options) {
        writing.dryRun
          ? "would set \(key.rawValue) in \(path.sanitizedForTerminal)"
          : "\(key.rawValue) = \(settings[key].toml)  # \(settings.origin(of: key).originDescription)"
      }
    }
  }

  /// `config edit`.
  struct Edit: ContextCommand {
    static let configuration = CommandConfiguration(
      commandName: "edit",
      abstract: "Open the settings file in your editor.",
      discussion: """
        A file with a mistake is not accepted; what you wrote is kept beside it.

        Examples:
          diple config edit
          diple config edit --local
        """)
    @OptionGroup var options: GlobalOptions
    @OptionGroup var place: PlaceOptions

    func run(in context: CommandContext) async throws {
      let (path, owner) = try place.file(context, options)
      let settings = try? context.libraries.settings(options)
      let names = ["DIPLE_EDITOR", "VISUAL", "EDITOR"]
      // Without a terminal only an editor that was chosen can know what to do.
      let isChosen =
        settings.map { $0.origin(of: .editor) != .fallback } ?? false
        || names.contains { context.terminal.environment[$0]?.isEmpty == false }
      guard isChosen || isatty(0) == 1 else {
        throw UserError(
          .usage, "an editor needs a terminal, and there is none",
          hint: "\(command: "config", "set", "KEY", "VALUE") changes one value")
      }
      do {
        let changed = try SettingsEditing(path, owner).run(context, options)
        if options.json {
          let record = EditRecord(path: path, changed: changed)
          context.terminal.output.line(
            JSON.line(Envelope(schema: "diple.settings-file/1", data: record)))
        } else {
          context.terminal.output.line(
            "\(path.sanitizedForTerminal) \(changed ? "is changed" : "stays as it was")")
        }
      } catch let problem as SettingsProblem { throw UserError(problem) }
    }
  }

  /// `diple.settings-file/1`.
  private struct EditRecord: Encodable {
    var path: String
    var changed: Bool
  }

  /// Which file is changed.
  struct PlaceOptions: ParsableArguments {
    @Flag(help: "Use the library's file instead of yours.")
    var local = false

    /// Its path, and whose it is.
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
      return (path, .person)
    }
  }
}

/// A setting in `diple.settings/1` and `diple.setting/1`.
struct SettingRecord: Encodable {
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

extension CommandContext {
  /// Says how a setting is now.
  fileprivate func say(
    _ key: SettingKey, _ settings: Settings, _ options: GlobalOptions, _ line: () -> String
  ) {
    terminal.output.line(
      options.json
        ? JSON.line(Envelope(schema: "diple.setting/1", data: SettingRecord(key, settings)))
        : line().sanitizedForTerminal)
  }
}

extension Settings.Origin {
  /// What a person calls it.
  fileprivate var originDescription: String {
    switch self {
    case .fallback: "default"
    case .file(let path, let line): "\(path.sanitizedForTerminal):\(line)"
    case .variable(let name): "$\(name)"
    }
  }
}

extension String {
  /// The setting of this name.
  fileprivate var settingKey: SettingKey {
    get throws(UserError) {
      do { return try Settings.key(self) } catch { throw UserError(error) }
    }
  }

  fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
