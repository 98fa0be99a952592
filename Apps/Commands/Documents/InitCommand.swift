import ArgumentParser
import Console
import DaemonKit
import SystemSupport
import Workspace

/// `init`: makes a library for a folder.
struct InitCommand: ContextCommand {
  static let configuration = CommandConfiguration(
    commandName: "init",
    abstract: "Create a library for this folder, in .diple.",
    discussion: """
      Commands run in this folder or below it then use this library. With --library DIR the \
      library is created in DIR.

      Example:
        diple init
      """)

  @OptionGroup var options: GlobalOptions

  func run(in context: CommandContext) async throws {
    let location = LibraryLocation(folder: options.library ?? LibraryLocation.folderName)
    let library = try context.libraries.openLibrary(at: location, opening: .create)
    if options.json {
      context.terminal.output.line(
        JSON.line(Envelope(schema: "diple.library/1", data: ["folder": library.location.folder])))
    } else {
      context.terminal.output.line("library at \(library.location.folder)")
    }
  }
}
