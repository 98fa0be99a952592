import ArgumentParser
import Workspace

/// `init`: makes a library for a folder.
struct InitCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "init", abstract: "Make a library for this folder, in .diple.")

  @OptionGroup var options: GlobalOptions

  func run() async throws {
    let session = Session.current
    let location = LibraryLocation(folder: options.library ?? LibraryLocation.folderName)
    let library = try session.openLibrary(at: location, opening: .create)
    if options.json {
      session.output.line(
        JSON.line(Envelope(schema: "diple.library/1", data: ["folder": library.location.folder])))
    } else {
      session.output.line("library at \(library.location.folder)")
    }
  }
}
