import BuiltIn
import Foundation
package import Model
import SystemSupport
package import Workspace

/// A library in a temporary folder, which is deleted with the object.
package final class LibraryBench {
  package let folder = NSTemporaryDirectory() + "/diple-bench-" + UUID().uuidString

  package init() throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  package func path(_ name: String) -> String { folder + "/" + name }

  package func write(_ name: String, _ text: String) throws {
    try FileManager.default.createDirectory(
      atPath: path(name).parentFolder, withIntermediateDirectories: true)
    try Data(text.utf8).write(to: URL(fileURLWithPath: path(name)))
  }

  package func open() throws -> Library {
    try Library(
      at: LibraryLocation(folder: folder + "/.diple"), plugins: .builtIn, opening: .create)
  }

  /// Opens a library with one document.
  package func open(with text: String) async throws -> (Library, Document) {
    try write("a.md", text)
    let library = try open()
    return (library, try await library.add([path("a.md")]).additions[0].document)
  }
}
