import Files
package import Model
package import Rendering
import SystemSupport
package import Workspace

extension PictureShow {
  /// Reads the file to which a link refers. It must be below the library's folder, below the folder
  /// of a document outside it, or, for an address from the root of a site, below one of the site's
  /// folders. Returns nil for other files and for web addresses.
  package static func bytes(
    _ destination: String, from file: String, _ document: Document?, _ location: LibraryLocation?
  ) -> [UInt8]? {
    guard case .file(let path, nil) = LinkTarget(destination, from: file) else { return nil }
    func bytes(_ path: String, below folder: String) -> [UInt8]? {
      var path = path
      if let document, let location {
        guard let linked = try? location.file(linked: path, from: document) else { return nil }
        path = linked
      }
      return EmbeddedFile.bytes(at: path, below: folder, longest: Picture.longest)
    }
    let site = Site(around: file, below: location?.root, home: location?.home)
    for folder in site?.folders(ofPicture: destination) ?? [] {
      if let found = bytes(folder + path, below: folder) { return found }
    }
    var folder = file.parentFolder
    if document != nil, let root = location?.root, file.isBelow(root) { folder = root }
    return bytes(path, below: folder)
  }
}
