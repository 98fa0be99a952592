import Actions
import ArgumentParser
import Configuration
import Console
import Rendering
import SystemSupport

extension ConfigCommand {
  /// The `config show` command. It prints the description and the value of each setting, and the
  /// origin of each value that is not the default; with `--origin`, of all values.
  struct Show: ContextCommand {
    static let configuration = CommandConfiguration(
      commandName: "show",
      abstract: "List the settings, what they do and their values.",
      discussion: """
        Examples:
          diple config show reader
          diple config show --origin
        """)
    @OptionGroup var options: GlobalOptions
    @Flag(help: "Show where each setting is set, and its range.") var origin = false
    @Argument(
      help: "A setting or a group, such as reader. Default: all.", completion: .values(.setting))
    var name: String?

    func run(in context: CommandContext) async throws {
      let settings = try context.libraries.settings(options)
      let keys = try keys()
      context.answer(options, json: ListSettings.Outcome(settings, keys).json) {
        let output = context.terminal.output
        for (index, key) in keys.enumerated() {
          if index > 0, key.group != keys[index - 1].group || key.group == nil { output.line("") }
          let range = origin ? " \(key.rule.range.capitalizedFirst)." : ""
          output.line("# \(key.rule.help)\(range)")
          let place = settings.origin(of: key)
          let isShown = origin || place != .fallback
          let comment = isShown ? "  # \(place.originDescription)" : ""
          output.line(
            "\(key.rawValue) = \(settings[key].toml)\(comment)".sanitizedForTerminal)
        }
      }
    }

    /// Returns the settings to list.
    ///
    /// - Throws: ``UserError`` if no setting or group has the name.
    private func keys() throws(UserError) -> [SettingKey] {
      guard let name else { return SettingKey.allCases }
      let keys = SettingKey.allCases.filter { $0.rawValue == name || $0.group == name }
      return keys.isEmpty ? [try name.settingKey] : keys
    }
  }

  /// The `config get` command. It prints the bare value without quotation marks.
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
      context.show(key, settings, options) { settings[key].description.sanitizedForTerminal }
    }
  }
}
