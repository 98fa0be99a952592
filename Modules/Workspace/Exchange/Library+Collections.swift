import Anchoring
import Files
import Glibc
import Interchange
import MarkdownParse
package import Model
package import RichMarkdown
import RichText
import Storage
package import SystemSupport

/// Texts in an order, as a program for writers keeps them in a project.
package struct RichCollection: Sendable {
  /// One text.
  package struct Item: Sendable {
    /// Where its file goes: a relative path without `..`, ending in `.md`.
    package var file: String
    /// What it is called in the list of contents.
    package var title: String
    /// How deep it stands in it, from 0.
    package var level: Int
    /// The file's text; nil for a heading of the list alone.
    package var source: String?
    /// What Markdown cannot say of it; nil where there is nothing.
    package var conversion: MarkdownConversion?
    /// Pictures beside the file, by their names.
    package var images: [(name: String, bytes: [UInt8])]
    /// Comments on passages.
    package var comments: [(range: TextRange, text: String)]
    /// A note on it, as Markdown; nil for none.
    package var note: String?

    /// Makes an item of its parts.
    package init(
      file: String, title: String, level: Int, source: String?, conversion: MarkdownConversion?,
      images: [(name: String, bytes: [UInt8])], comments: [(range: TextRange, text: String)],
      note: String?
    ) {
      (self.file, self.title, self.level, self.source) = (file, title, level, source)
      (self.conversion, self.images, self.comments) = (conversion, images, comments)
      self.note = note
    }
  }

  /// What it is called.
  package let title: String
  /// The texts in order.
  package let items: [Item]

  /// Makes a collection of its parts.
  package init(title: String, items: [Item]) { (self.title, self.items) = (title, items) }

  /// The file that lists the others.
  static let contentsName = "00 Contents.md"

  /// The list of contents: what names the collection, and is a document like any other.
  var contents: String {
    func escaped(_ text: String) -> String {
      text.oneLine.escapedForMarkdown
    }
    let quoted = title.oneLine.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
    var lines = [
      "---", "title: \"\(quoted)\"", "collection: true", "---", "", "# \(escaped(title))", "",
    ]
    var depth = -1
    for item in items {
      // A list goes down one step at a time.
      depth = min(item.level, depth + 1)
      let indent = String(repeating: "  ", count: min(depth, 20))
      let name = escaped(item.title.isEmpty ? "Untitled" : item.title)
      lines.append(
        item.source == nil ? "\(indent)- \(name)" : "\(indent)- [\(name)](<\(item.file)>)")
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// All files with their bytes, the list of contents first.
  fileprivate var files: [(path: String, bytes: [UInt8])] {
    var files = [(path: Self.contentsName, bytes: Array(contents.utf8))]
    for item in items {
      guard let source = item.source else { continue }
      files.append((item.file, Array(source.utf8)))
      let folder = item.file.parentFolder
      for image in item.images {
        files.append(
          (folder.isEmpty || folder == "." ? image.name : folder.appending(image.name), image.bytes)
        )
      }
    }
    return files
  }

  /// Writes all files into a folder where nothing is, which gets its name when it is complete.
  fileprivate func write(to place: String) throws(UserError) {
    do throws(SystemCallError) {
      let folder = try StagedFolder(for: place)
      for (path, bytes) in files { try folder.write(bytes, to: path) }
      try folder.commit()
    } catch { throw FileSystem.systemError("write", place, number: error.number) }
  }

  fileprivate func remove(from place: String) { Self.remove(files.map(\.path), from: place) }

  /// Removes files and the folders that are empty then, and nothing else.
  private static func remove(_ files: [String], from place: String) {
    var folders: Set<String> = [place]
    for file in files {
      let path = place.appending(file)
      unlink(path)
      var folder = path.parentFolder
      while folder != place, folders.insert(folder).inserted { folder = folder.parentFolder }
    }
    for folder in folders.sorted(by: { $0.utf8.count > $1.utf8.count }) { rmdir(folder) }
  }
}

extension LibraryLocation {
  /// Where the folder of a collection is made: as for a book.
  package func place(for collection: RichCollection, at output: String?) throws(UserError) -> String
  {
    try place(named: collection.title.fileName ?? "Project", ending: "", at: output)
  }
}

extension Library {
  /// Writes the files of a collection, and brings them into the library with their formats, comments and
  /// notes as one step. Where that fails the files are removed again.
  ///
  /// - Parameter place: what `LibraryLocation.place(for:at:)` gave.
  /// - Returns: what was added, and how many passages have a format beside their files.
  package func add(_ collection: RichCollection, at place: String) throws(UserError) -> (
    report: AddReport, formats: Int, losses: [String]
  ) {
    _ = try location.file(of: location.documentPath(place))
    try collection.write(to: place)
    do {
      var (formats, omittedStyles) = (0, 0)
      // Each text has those of the project's styles that it uses.
      var renamed: [StyleID: StyleID] = [:]
      for conversion in collection.items.lazy.compactMap(\.conversion) {
        renamed.merge(try newIDs(for: conversion.styles)) { first, _ in first }
      }
      var items: [DocumentPath: RichCollection.Item] = [:]
      var paths = [place.appending(RichCollection.contentsName)]
      for item in collection.items where item.source != nil {
        let path = place.appending(item.file)
        paths.append(path)
        items[location.documentPath(path)] = item
      }
      let label = "added \(location.documentPath(place).string) with \(items.count.counted("text"))"
      let report = try add(paths, label: label) { transaction, document in
        guard let item = items[document.path] else { return }
        if let conversion = item.conversion {
          formats += try store(
            conversion, of: document, renamed, omittedStyles: &omittedStyles, in: transaction)
          try store(item.comments, of: document, conversion, in: transaction)
        }
        if let note = item.note, !note.allSatisfy(\.isWhitespace) {
          let text = AttributedText(markdown: ParsedDocument(parsing: MarkdownSource(note)))
          let json = String(decoding: try text.json(), as: UTF8.self)
          _ = try transaction.setProperty(.note, json, of: .document(document.id))
        }
      }
      if report.additions.isEmpty, let problem = report.problems.first { throw problem }
      return (report, formats, Self.told(omittedStyles))
    } catch {
      collection.remove(from: place)
      throw error as? UserError ?? UserError(.conflict, "\(error)")
    }
  }

  /// The list of contents of a collection that the library has already, beside itself; nil for none.
  package func contents(of collection: RichCollection) throws(UserError) -> Document? {
    let folder = (location.root ?? location.folder).appending(
      collection.title.fileName ?? "Project")
    let path = location.documentPath(folder.appending(RichCollection.contentsName))
    let found = try storage { try store.read { try $0.document(at: path) } }
    return found?.state == .present ? found : nil
  }

  /// The documents that a list of contents names, in its order; nil for any other document.
  package func members(of document: Document) throws(UserError) -> [Document]? {
    guard document.state == .present, frontMatter(of: document)?["collection"] == "true" else {
      return nil
    }
    let parsed = try current(document).parsed
    let folder = try location.file(of: document.path).parentFolder
    var members: [Document] = []
    for inline in parsed.inlines {
      guard case .link(let link) = inline.kind else { continue }
      // What no document of the library has as its path is none of its members, whatever it leads to.
      let path = FileSystem.absolute(parsed.links[link].destination, from: folder)
      let found = try storage {
        try store.read { try $0.document(at: location.documentPath(path)) }
      }
      if let found, found.state != .removed, found.id != document.id { members.append(found) }
    }
    return members
  }
}
