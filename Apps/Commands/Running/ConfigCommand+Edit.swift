import Actions
import ArgumentParser
import Configuration
import Console
import Rendering
import SystemSupport

extension ConfigCommand {
  /// The `config edit` command. It requires a terminal unless the user has chosen an editor.
  struct Edit: ContextCommand {
    static let configuration = CommandConfiguration(
      commandName: "edit",
      abstract: "Open the settings file in your editor.",
      discussion: """
        A file with a mistake is not accepted; the text that you wrote is kept beside it.

        Examples:
          diple config edit
          diple config edit --local
        """)
    @OptionGroup var options: GlobalOptions
    @OptionGroup var place: PlaceOptions

    func run(in context: CommandContext) async throws {
      let (path, owner) = try place.file(context, options)
      try context.requireEditor(
        options, hint: "\(command: "config", "set", "KEY", "VALUE") changes one value")
      do {
        let changed = try SettingsEditing(path, owner).run(context, options)
        context.answer(
          options, "diple.settings-file/1", EditRecord(path: path, changed: changed),
          plain: "\(path.sanitizedForTerminal) \(changed ? "is changed" : "is unchanged")")
      } catch let problem as SettingsError { throw UserError(problem) }
    }
  }

  /// The edited file, a record of the schema `diple.settings-file/1`.
  private struct EditRecord: Encodable {
    var path: String
    var changed: Bool
  }
}
