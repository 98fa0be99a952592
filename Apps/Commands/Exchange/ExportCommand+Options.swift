import Actions
import Console
import LibraryExchange
import Model
import Rendering
import SystemSupport
import Workspace

extension ExportCommand {
  /// Returns the options for the exporter. With `--links` the library is added to the known
  /// libraries, so that the exported addresses can be resolved later.
  func exportOptions(_ library: Library, _ context: CommandContext) async throws -> ExportOptions {
    var options = ExportOptions()
    let location = library.location
    options.picture = { destination, document in
      PictureShow.bytes(destination, from: location.absolute(document.path), document, location)
    }
    guard links, !library.isAbsent else { return options }
    let identity = try await library.identity()
    try KnownLibraries(environment: context.terminal.environment).remember(
      identity, in: location.folder)
    options.link = { LibraryAddress(.highlight($0), in: identity).description }
    return options
  }
}
