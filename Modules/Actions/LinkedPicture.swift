import Files
package import Model
package import Rendering
import SystemSupport
package import Workspace

extension PictureShow {
  /// Reads the file to which a link refers. It must be below the library's folder, or below the
  /// folder of a document outside it. Returns nil for other files and for web addresses.
  package static func bytes(
    _ destination: String, from file: String, _ document: Document?, _ location: LibraryLocation?
  ) -> [UInt8]? {
    guard case .file(let path, nil) = LinkTarget(destination, from: file) else { return nil }
    var folder = file.parentFolder
    if let document, let location {
      guard let linked = try? location.file(linked: path, from: document) else { return nil }
      if let root = location.root, file.isBelow(root) { folder = root }
      return EmbeddedFile.bytes(at: linked, below: folder, longest: Picture.longest)
    }
    return EmbeddedFile.bytes(at: path, below: folder, longest: Picture.longest)
  }
}
