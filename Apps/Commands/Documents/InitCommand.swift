import ArgumentParser
import Console
import DaemonKit
import SystemSupport
import Workspace

/// `init`: makes a library for a folder.
struct InitCommand: ContextCommand {
  static let configuration = CommandConfiguration(
    commandName: "init", abstract: "Make a library for this folder, in .diple.")

  @OptionGroup var options: GlobalOptions

  func run(in context: CommandContext) async throws {
    var location = LibraryLocation(folder: options.library ?? LibraryLocation.folderName)
    location.usePersonalFolders(of: context.terminal.environment)
    let library = try context.libraries.openLibrary(at: location, opening: .create)
    if options.json {
      context.terminal.output.line(
        JSON.line(Envelope(schema: "diple.library/1", data: ["folder": library.location.folder])))
    } else {
      context.terminal.output.line("library at \(library.location.folder)")
    }
  }
}
