import ArgumentParser
import Model
import ProcessPlugins
import Workspace

/// `plugin`: the person's own strategies.
struct PluginCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "plugin", abstract: "List, show, add and remove programs that are strategies.",
    discussion: """
      A plugin is a folder with a plugin.json and a program, which speaks JSON lines; \
      Documentation/plugins.md describes both. Plugins run with your rights: add only what you \
      trust.
      """,
    subcommands: [List.self, Show.self, Add.self, Remove.self], defaultSubcommand: List.self)

  /// `plugin list`.
  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "List the plugins.")
    @OptionGroup var options: GlobalOptions

    func run() async throws {
      let entries = try PluginCommand.folder().entries
      PluginCommand.say(entries, options) { entry in
        switch entry.program {
        case .success(let program):
          "\(entry.name.neutralized)  \(program.manifest.kind.rawValue)  "
            + program.manifest.summary.shortened
        case .failure(let problem): "\(entry.name.neutralized)  unusable: \(problem)".neutralized
        }
      }
      if entries.isEmpty { throw ExitCode(1) }
    }
  }

  /// `plugin show`.
  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "show", abstract: "Say what a plugin is and may do.")
    @OptionGroup var options: GlobalOptions
    @Argument(help: "Its id.") var id: String

    func run() async throws {
      let folder = try PluginCommand.folder()
      guard let entry = folder.entries.first(where: { $0.name == id }) else {
        throw folder.noPlugin(id)
      }
      PluginCommand.say([entry], options) { entry in
        switch entry.program {
        case .failure(let problem): return "unusable  \(problem)".neutralized
        case .success(let program):
          let manifest = program.manifest
          return """
            id       \(manifest.id)
            kind     \(manifest.kind.rawValue)
            summary  \(manifest.summary.shortened)
            folder   \(program.folder.neutralized)
            run      \(manifest.run.joined(separator: " ").neutralized)
            offsets  \(manifest.offsets.rawValue)
            limits   \(manifest.seconds) s, \(manifest.megabytes) MiB of memory, \
            \(manifest.output) MiB of output
            """
        }
      }
    }
  }

  /// `plugin add`.
  struct Add: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "add", abstract: "Copy a plugin's folder in.")
    @OptionGroup var options: GlobalOptions
    @OptionGroup var writing: WriteOptions
    @Argument(help: "The folder.", completion: .directory) var path: String

    func run() async throws {
      let folder = try PluginCommand.folder()
      let program: PluginProgram
      if writing.dryRun {
        do { program = try PluginFolder.program(in: path) } catch {
          throw LibraryError(.usage, "\(path) is no plugin: \(error)")
        }
      } else {
        program = try folder.add(path)
      }
      PluginCommand.say([.init(program)], options) { _ in
        "\(writing.dryRun ? "would add" : "added") \(program.manifest.id), "
          + "a strategy for: \(program.manifest.kind.rawValue)"
      }
    }
  }

  /// `plugin remove`.
  struct Remove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "remove", abstract: "Take a plugin away.")
    @OptionGroup var options: GlobalOptions
    @OptionGroup var writing: WriteOptions
    @Flag(name: .shortAndLong, help: "Do not ask.") var yes = false
    @Argument(help: "Its id.") var id: String

    func run() async throws {
      let session = Session.current
      let folder = try PluginCommand.folder()
      guard let entry = folder.entries.first(where: { $0.name == id }) else {
        throw folder.noPlugin(id)
      }
      if !writing.dryRun {
        try session.confirm("Remove the plugin \(id.neutralized)?", yes: yes)
        try folder.remove(id)
      }
      PluginCommand.say([entry], options) { _ in
        "\(writing.dryRun ? "would remove" : "removed") \(id.neutralized)"
      }
    }
  }

  private static func folder() throws -> PluginFolder {
    guard let folder = PluginFolder(environment: Session.current.environment) else {
      throw LibraryError(
        .usage, "no place for plugins: HOME is not set", hint: "name one in DIPLE_PLUGINS")
    }
    return folder
  }

  private static func say(
    _ entries: [PluginFolder.Entry], _ options: GlobalOptions,
    line: (PluginFolder.Entry) -> String
  ) {
    let session = Session.current
    guard !options.json else {
      session.output.line(
        JSON.line(Envelope(schema: "diple.plugins/1", data: entries.map(PluginRecord.init))))
      return
    }
    for entry in entries { session.output.line(line(entry)) }
  }
}

/// One plugin of `diple.plugins/1`.
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
