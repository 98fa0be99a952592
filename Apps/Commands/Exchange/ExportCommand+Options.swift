import Console
import Model
import Rendering
import SystemSupport
import Workspace

extension ExportCommand {
  /// What the exporter gets of this machine.
  func exportOptions(_ library: Library) throws -> ExportOptions {
    var options = ExportOptions()
    let location = library.location
    options.picture = { destination, document in
      PictureShow.bytes(destination, from: location.absolute(document.path), document, location)
    }
    return options
  }
}
