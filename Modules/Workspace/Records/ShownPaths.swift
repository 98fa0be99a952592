package import Model
import SystemSupport

/// The paths of documents as people read and type them, in lists and messages. Paths are shown from
/// one folder, which a long list reads only once.
///
/// ```swift
/// let paths = ShownPaths(library.location)
/// for document in documents { print(paths.name(document.path)) }
/// ```
package struct ShownPaths: Sendable {
  private let location: LibraryLocation?
  private let folder: String

  /// - Parameters:
  ///   - location: the library of the documents; nil if no library was opened.
  ///   - folder: the current folder.
  package init(_ location: LibraryLocation?, from folder: String) {
    (self.location, self.folder) = (location, folder)
  }

  /// Shows paths from the current folder of the process.
  package init(_ location: LibraryLocation?) {
    self.init(location, from: FileSystem.currentFolder)
  }

  /// The path as a word of a command, as ``FileSystem/shown(_:from:)`` returns it. It may contain
  /// control characters. The path of a file on another device is returned as stored.
  package func name(_ path: DocumentPath) -> String {
    if path.isElsewhere { return path.string }
    guard let location else { return path.isAbsolute ? name(ofFile: path.string) : path.string }
    return name(ofFile: location.absolute(path))
  }

  /// The absolute path of a file as a word of a command. It may contain control characters.
  package func name(ofFile path: String) -> String { FileSystem.shown(path, from: folder) }

  /// Returns a stored description of a change with the path of one of its documents as it is shown.
  /// Descriptions end with the path, or continue with a colon after it.
  func description(_ label: String, of documents: [DocumentPath]) -> String {
    for path in documents {
      let name = name(path)
      if name == path.string { continue }
      if label.hasSuffix(" " + path.string) {
        return label.dropLast(path.string.count) + name
      }
      if label.contains(" \(path.string): ") {
        return label.replacing(" \(path.string): ", with: " \(name): ", maxReplacements: 1)
      }
    }
    return label
  }
}

extension Document {
  /// The path of the document for messages that know no library. It is shown from the current
  /// folder if it is absolute; otherwise it is relative to the library's root.
  package var shownPath: String { ShownPaths(nil).name(path) }
}
