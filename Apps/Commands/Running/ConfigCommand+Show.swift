import Actions
import ArgumentParser
import Configuration
import Console
import Rendering

extension ConfigCommand {
  /// The `config show` command. With `--origin` it also prints the origin and the description of
  /// each setting.
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
    @Flag(help: "Show where each setting is set, and what it does.") var origin = false

    func run(in context: CommandContext) async throws {
      let settings = try context.libraries.settings(options)
      context.answer(options, json: ListSettings.Outcome(settings).json) {
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
