import Files
import Glibc
package import Model
import Storage
package import SystemSupport

extension Library {
  /// Returns the documents below a folder, in the order of their paths. Nil if a document has that
  /// name, or if the folder does not exist and no document was in it.
  ///
  /// - Throws: `notFound` if the folder exists but contains no document of the library.
  package func documents(below name: String) throws(UserError) -> [Document]? {
    let folder = FileSystem.absolute(name)
    let path = location.documentPath(name)
    // Most names are document paths. For these the other documents need not be read.
    let named = try storage { try store.read { try $0.document(at: path) } }
    if let named, named.state != .removed { return nil }
    let all = try documents()
    if all.contains(where: { $0.path == path || $0.title == name || $0.path.name == name }) {
      return nil
    }
    let prefix = folder == "/" ? "/" : folder + "/"
    let below = all.filter { location.absolute($0.path).hasPrefix(prefix) }
    if !below.isEmpty { return below }
    guard (try? FileSystem.status(of: folder))??.isFolder == true else { return nil }
    throw UserError(
      .notFound, "the library has no document below \(name)",
      hint: "\(action: "document.add", ["paths": .list([name])]) adds its Markdown files")
  }

  /// Returns the colours that a name refers to: the colour with that name, or all colours whose
  /// label is the name, ignoring case.
  ///
  /// - Throws: `usage`, with the valid names, if no colour or label has that name.
  package func colors(named name: String) throws(UserError) -> [HighlightColor] {
    if let color = HighlightColor(rawValue: name) { return [color] }
    let labels = try labels()
    let wanted = name.lowercased()
    let found = HighlightColor.allCases.filter { labels[$0]?.lowercased() == wanted }
    guard found.isEmpty else { return found }
    let names = HighlightColor.allCases.map { color in
      labels[color].map { "\(color.rawValue) (\($0))" } ?? color.rawValue
    }
    let near = Spelling.suggestion(
      for: wanted, among: HighlightColor.allCases.map(\.rawValue) + labels.values)
    let all = "here are: \(names.joined(separator: ", "))"
    throw UserError(
      .usage, "no colour or label '\(name)'",
      hint: near.map { "\($0) T\(all)" } ?? "t\(all)")
  }

  /// Checks that a path is neither that of a document nor that of the library's database, before a
  /// file is written there. O(documents).
  ///
  /// - Throws: `conflict` if it is, if the path is another link to the same file, or if it leads
  ///   out of the library's folder.
  package func requireForeign(_ path: String) throws(UserError) {
    let absolute = FileSystem.absolute(path)
    _ = try OutputFile.target(of: path)
    let status = try FileSystem.status(of: path)
    func isThere(_ other: String) -> Bool {
      if other == absolute { return true }
      guard let status, let found = (try? FileSystem.status(of: other)) ?? nil else { return false }
      return (found.st_ino, found.st_dev) == (status.st_ino, status.st_dev)
    }
    for ending in ["", "-wal", "-shm"] where isThere(location.database + ending) {
      throw UserError(.conflict, "\(path) is the library itself", hint: "choose another file")
    }
    let place = location.documentPath(path)
    // A folder in the path may be a symbolic link that leads out of the library's folder.
    if !place.isAbsolute, location.isOutside(place) {
      throw UserError(
        .conflict, "\(path) is outside the library's folder, or in a folder of version control",
        hint: "choose another file")
    }
    if let document = try documents().first(where: { isThere(location.absolute($0.path)) }) {
      throw UserError(
        .conflict, "\(path) is a document of the library (\(document.title))",
        hint: "choose another file")
    }
  }
}
