import Actions
import ArgumentParser
import Configuration
import Console
import Rendering
import SystemSupport

extension ConfigCommand {
  /// The `config unset` command. It exits with 1 if the file does not have the setting.
  struct Unset: ContextCommand {
    static let configuration = CommandConfiguration(
      commandName: "unset",
      abstract: "Remove one setting from your file, so that its default applies.",
      discussion: """
        Only the line of that setting in the file is removed.

        Examples:
          diple config unset reader.width
          diple config unset --local highlight.default_color
        """)
    @OptionGroup var options: GlobalOptions
    @OptionGroup var writing: WriteOptions
    @OptionGroup var place: PlaceOptions
    @Argument(
      help: "Name of the setting, such as reader.width.", completion: .values(.setting))
    var key: String

    func run(in context: CommandContext) async throws {
      let setting = try key.settingKey
      let (path, owner) = try place.file(context, options)
      let isSet: Bool
      do throws(SettingsError) {
        isSet = try SettingsFile(path, owner).values[setting] != nil
      } catch { throw UserError(error) }
      guard isSet else {
        throw context.nothing("\(setting.rawValue) is not set in \(path)", options)
      }
      _ = try ChangeSetting(
        key: key, value: nil, local: place.local, dryRun: writing.dryRun
      ).change(path, owner)
      guard
        let settings = try ConfigCommand.settings(
          after: "\(setting.rawValue) is removed from \(path)", isStored: !writing.dryRun, context,
          options)
      else { return }
      context.show(setting, settings, options) {
        writing.dryRun
          ? "\(writing.verb(.remove)) \(setting.rawValue) from \(path)"
          : """
          \(setting.rawValue) = \(settings[setting].toml)  \
          # \(settings.origin(of: setting).originDescription)
          """
      }
    }
  }
}
