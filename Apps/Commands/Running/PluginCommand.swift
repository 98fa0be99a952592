import Actions
import ArgumentParser
import Console
import DaemonKit
import Model
import ProcessPlugins
import Rendering
import SystemSupport
import Workspace

/// The `plugin` command, which manages the user's plugins.
struct PluginCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "plugin",
    abstract: "List, show, add and remove plugins: programs that add strategies.",
    discussion: """
      A plugin is a folder with a plugin.json and a program that speaks JSON lines; \
      Documentation/plugins.md describes both. Plugins run with your rights: add only what you \
      trust.

      Examples:
        diple plugin list
        diple plugin add ~/plugins/roots
      """,
    subcommands: [List.self, Show.self, Add.self, Remove.self], defaultSubcommand: List.self)

  /// The `plugin list` command. Invalid plugins are listed with the reason. It exits with 1 without
  /// plugins.
  struct List: ContextCommand {
    static let configuration = CommandConfiguration(
      commandName: "list",
      abstract: "List the plugins.",
      discussion: """
        Example:
          diple plugin list
        """)
    @OptionGroup var options: GlobalOptions

    func run(in context: CommandContext) async throws {
      let entries = try PluginCommand.folder(context).entries
      PluginCommand.show(entries, options, context) { entry in
        switch entry.program {
        case .success(let program):
          "\(entry.name.sanitizedForTerminal)  \(program.manifest.kind.rawValue)  "
            + program.manifest.summary.shortened
        case .failure(let problem):
          "\(entry.name.sanitizedForTerminal)  unusable: \(problem)".sanitizedForTerminal
        }
      }
      if entries.isEmpty {
        throw context.nothing(
          "there are no plugins; \(command: "plugin", "add", "FOLDER") adds one", options)
      }
    }
  }

  /// The `plugin show` command. It also accepts an invalid plugin and prints the reason.
  struct Show: ContextCommand {
    static let configuration = CommandConfiguration(
      commandName: "show",
      abstract: "Show a plugin's kind, command and limits.",
      discussion: """
        Example:
          diple plugin show roots
        """)
    @OptionGroup var options: GlobalOptions
    @Argument(help: "Id of the plugin.", completion: .values(.plugin)) var id: String

    func run(in context: CommandContext) async throws {
      let folder = try PluginCommand.folder(context)
      guard let entry = folder.entries.first(where: { $0.name == id }) else {
        throw folder.noPlugin(id)
      }
      PluginCommand.show([entry], options, context) { entry in
        switch entry.program {
        case .failure(let problem): return "unusable  \(problem)".sanitizedForTerminal
        case .success(let program):
          let manifest = program.manifest
          return """
            id       \(manifest.id)
            kind     \(manifest.kind.rawValue)
            summary  \(manifest.summary.shortened)
            folder   \(program.folder.sanitizedForTerminal)
            run      \(manifest.run.joined(separator: " ").sanitizedForTerminal)
            offsets  \(manifest.offsets.rawValue)
            limits   \(manifest.seconds) s, \(manifest.megabytes) MiB of memory, \
            \(manifest.output) MiB of output
            """
        }
      }
    }
  }

  /// The `plugin add` command. In a dry run it only validates the plugin.
  struct Add: ContextCommand {
    static let configuration = CommandConfiguration(
      commandName: "add",
      abstract: "Install a plugin: copy its folder.",
      discussion: """
        Example:
          diple plugin add ~/plugins/roots
        """)
    @OptionGroup var options: GlobalOptions
    @OptionGroup var writing: WriteOptions
    @Argument(help: "Folder of the plugin.", completion: .directory) var path: String

    func run(in context: CommandContext) async throws {
      let folder = try PluginCommand.folder(context)
      let program =
        writing.dryRun ? try PluginFolder.candidate(in: path) : try folder.add(path)
      context.libraries.close()
      PluginCommand.show([.init(program)], options, context) { _ in
        "\(writing.verb(.add)) \(program.manifest.id), "
          + "a strategy for: \(program.manifest.kind.rawValue)"
      }
    }
  }

  /// The `plugin remove` command. It asks for confirmation before it deletes the plugin's folder.
  struct Remove: ContextCommand {
    static let configuration = CommandConfiguration(
      commandName: "remove",
      abstract: "Uninstall a plugin.",
      discussion: """
        Example:
          diple plugin remove roots
        """)
    @OptionGroup var options: GlobalOptions
    @OptionGroup var writing: WriteOptions
    @Flag(name: .shortAndLong, help: "Do not ask for confirmation.") var yes = false
    @Argument(help: "Id of the plugin.", completion: .values(.plugin)) var id: String

    func run(in context: CommandContext) async throws {
      let folder = try PluginCommand.folder(context)
      guard let entry = folder.entries.first(where: { $0.name == id }) else {
        throw folder.noPlugin(id)
      }
      if !writing.dryRun {
        try context.terminal.confirm("Remove the plugin \(id.sanitizedForTerminal)?", yes: yes)
        try folder.remove(id)
        context.libraries.close()
      }
      PluginCommand.show([entry], options, context) { _ in
        "\(writing.verb(.remove)) \(id.sanitizedForTerminal)"
      }
    }
  }

  static func folder(_ context: CommandContext) throws -> PluginFolder {
    guard let folder = PluginFolder(environment: context.terminal.environment) else {
      throw UserError(
        .usage, "no place for plugins: HOME is not set", hint: "name one in DIPLE_PLUGINS")
    }
    return folder
  }

  private static func show(
    _ entries: [PluginFolder.Entry], _ options: GlobalOptions, _ context: CommandContext,
    line: (PluginFolder.Entry) -> String
  ) {
    context.answer(options, "diple.plugins/1", entries.map(PluginRecord.init)) {
      for entry in entries { context.terminal.output.line(line(entry)) }
    }
  }
}

/// A plugin, an element of `diple.plugins/1`. For an invalid plugin, only the name and the problem
/// are set.
struct PluginRecord: Encodable {
  var name: String
  @Nullable var kind: PluginManifest.Kind?
  @Nullable var summary: String?
  @Nullable var folder: String?
  @Nullable var problem: String?

  init(_ entry: PluginFolder.Entry) {
    name = entry.name
    switch entry.program {
    case .success(let program):
      (kind, summary) = (program.manifest.kind, program.manifest.summary)
      folder = program.folder
    case .failure(let failure): problem = failure.description
    }
  }
}
