import Actions
import ArgumentParser
import Configuration
import Console
import Rendering
import SystemSupport
import Workspace

extension ConfigCommand {
  /// The `config set` command. It warns if the value has no effect because it is overridden.
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
    @Argument(help: "New value.", completion: .values(.settingValue)) var value: String?
    @Flag(help: ArgumentHelp("Remove the setting.", visibility: .hidden)) var unset = false

    func run(in context: CommandContext) async throws {
      if unset {
        throw UserError(
          .usage, "`config set` sets a value",
          hint: "\(command: "config", "unset", .word(key)) removes it")
      }
      guard let value else {
        throw UserError(
          .usage, "VALUE is missing",
          hint: "for example \(command: "config", "set", "reader.width", "72")")
      }
      _ = try key.settingKey
      let (path, owner) = try place.file(context, options)
      let key = try ChangeSetting(
        key: key, value: value, local: place.local, dryRun: writing.dryRun
      ).change(path, owner)
      guard
        let settings = try ConfigCommand.settings(
          after: "\(key.rawValue) is set in \(path)", isStored: !writing.dryRun, context, options)
      else { return }
      if !writing.dryRun { warn(of: key, in: path, settings, context) }
      context.show(key, settings, options) {
        writing.dryRun
          ? "\(writing.verb(.set)) \(key.rawValue) in \(path.sanitizedForTerminal)"
          : "\(key.rawValue) = \(settings[key].toml)  # \(settings.origin(of: key).originDescription)"
      }
    }

    /// Prints a warning if the new value has no effect, for example because a variable overrides
    /// it.
    private func warn(
      of key: SettingKey, in path: String, _ settings: Settings, _ context: CommandContext
    ) {
      let origin = settings.origin(of: key)
      if case .file(path, _) = origin {
        let hasRoot = (try? context.libraries.location(options))?.root != nil
        if key == .markdownFolders, !hasRoot, settings.hasRelativeFolders {
          context.terminal.errors.line(
            """
            diple: the library belongs to no folder, so relative folders have no base; write \
            absolute paths
            """
          )
        }
        return
      }
      if settings.libraryProblem != nil, origin == .fallback { return }
      context.terminal.errors.line(
        "diple: \(key.rawValue) is set in \(path.sanitizedForTerminal), but "
          + "\(origin.originDescription) overrides it"
      )
    }
  }
}
