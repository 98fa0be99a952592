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
package import Workspace

/// An ordered collection of texts, such as a project of a writing program.
package struct RichCollection: Sendable {
  /// A text, or a heading of the contents.
  package struct Item: Sendable {
    /// The path of the item's file: relative, without `..`, ending in `.md`.
    package var file: String
    /// The item's title in the contents.
    package var title: String
    /// The item's level in the contents, from 0.
    package var level: Int
    /// The file's Markdown; nil for a heading without a file.
    package var source: String?
    /// The formatting that Markdown cannot express; nil if there isn't any.
    package var conversion: MarkdownConversion?
    /// The pictures for the file's folder, by name.
    package var images: [(name: String, bytes: [UInt8])]
    /// The highlights of the text.
    package var highlights: [MarkdownConversion.Highlight]
    /// A note on the text, as Markdown; nil if it has no note.
    package var note: String?

    package init(
      file: String, title: String, level: Int, source: String?, conversion: MarkdownConversion?,
      images: [(name: String, bytes: [UInt8])], highlights: [MarkdownConversion.Highlight],
      note: String?
    ) {
      (self.file, self.title, self.level, self.source) = (file, title, level, source)
      (self.conversion, self.images, self.highlights) = (conversion, images, highlights)
      self.note = note
    }
  }

  /// The title of the contents; also the name of the folder, without unusable characters.
  package let title: String
  /// The texts and headings, in the order of the contents.
  package let items: [Item]

  package init(title: String, items: [Item]) { (self.title, self.items) = (title, items) }

  /// The name of the file with the contents.
  static let contentsName = "00 Contents.md"

  /// The Markdown of the contents, a document that marks the folder as a collection and links to
  /// the texts.
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
      // In Markdown, a list item can be only one level below the item before it.
      depth = min(item.level, depth + 1)
      let indent = String(repeating: "  ", count: min(depth, 20))
      let name = escaped(item.title.isEmpty ? "Untitled" : item.title)
      lines.append(
        item.source == nil ? "\(indent)- \(name)" : "\(indent)- [\(name)](<\(item.file)>)")
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// All files, beginning with the contents.
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

  /// Writes all files to a folder that does not exist yet. The folder has a temporary name until it
  /// is complete.
  ///
  /// - Throws: `conflict` if the disk is full or read-only; `notFound` if a file cannot be written
  ///   for another reason. No file is left then.
  fileprivate func write(to place: String) throws(UserError) {
    do throws(SystemCallError) {
      let folder = try StagedFolder(for: place)
      for (path, bytes) in files { try folder.write(bytes, to: path) }
      try folder.commit()
    } catch { throw FileSystem.systemError("write", place, number: error.number) }
  }

  fileprivate func remove(from place: String) { Self.remove(files.map(\.path), from: place) }

  /// Deletes files, and the folders that are empty afterwards.
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
  /// Returns the path for a collection's folder. See ``place(named:ending:at:)``.
  ///
  /// - Throws: `conflict` if a file exists at the path `output`.
  package func place(for collection: RichCollection, at output: String?) throws(UserError) -> String
  {
    try place(named: collection.title.fileName ?? "Project", ending: "", at: output)
  }
}

extension Library {
  /// Writes the files of a collection and adds them to the library with their formatting, comments
  /// and notes, as one step. If that fails, the files are deleted again.
  ///
  /// - Parameters:
  ///   - collection: the texts to add.
  ///   - place: a path of ``LibraryLocation/place(for:at:)``.
  /// - Returns: the added documents, the number of passages whose formatting the library stores,
  ///   and a line for each kind of loss.
  /// - Throws: `notFound` if the path is outside of the library's folder; the errors of writing the
  ///   files; `conflict` if a file was changed meanwhile; otherwise the first problem if no file
  ///   could be added.
  package func add(_ collection: RichCollection, at place: String) throws(UserError) -> (
    report: AddReport, formats: Int, losses: [String]
  ) {
    _ = try location.file(of: location.documentPath(place))
    try collection.write(to: place)
    do {
      var (formats, omittedStyles) = (0, 0)
      // Several texts may contain the same style of the project. It gets only one new id.
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
          try store(item.highlights, of: document, conversion.document, in: transaction)
        }
        if let note = item.note, !note.allSatisfy(\.isWhitespace) {
          let text = AttributedText(markdown: ParsedDocument(parsing: MarkdownSource(note)))
          let json = String(decoding: try text.json(), as: UTF8.self)
          _ = try transaction.setProperty(.note, json, of: .document(document.id))
        }
      }
      if report.additions.isEmpty, let problem = report.problems.first { throw problem }
      return (report, formats, Self.lossLines(omittedStyles))
    } catch {
      collection.remove(from: place)
      throw error as? UserError ?? UserError(.conflict, "\(error)")
    }
  }

  /// Returns the contents of a collection that was added before to the library's folder under the
  /// same title; nil if it is not there.
  ///
  /// - Throws: `damaged` or `conflict` if the library cannot be read.
  package func contents(of collection: RichCollection) throws(UserError) -> Document? {
    let folder = (location.root ?? location.folder).appending(
      collection.title.fileName ?? "Project")
    let path = location.documentPath(folder.appending(RichCollection.contentsName))
    let found = try storage { try store.read { try $0.document(at: path) } }
    return found?.state == .present ? found : nil
  }

  /// Returns the documents to which a collection's contents link, in order; nil if the document is
  /// not the contents of a collection.
  ///
  /// - Throws: `notFound` if the contents' file does not exist or cannot be read; `damaged` or
  ///   `conflict` if the library cannot be read.
  package func members(of document: Document) throws(UserError) -> [Document]? {
    guard document.state == .present, frontMatter(of: document)?["collection"] == "true" else {
      return nil
    }
    return try linked(from: document)
  }

  /// Returns the texts of a work to whose contents a document belongs: the members of a collection,
  /// or the chapters of a book beside its contents; empty for other documents.
  ///
  /// - Throws: as ``members(of:)``.
  func chapters(of document: Document) throws(UserError) -> [Document] {
    guard document.state == .present, let matter = frontMatter(of: document) else { return [] }
    if matter["collection"] == "true" { return try linked(from: document) }
    guard matter["csl-type"] == "book" else { return [] }
    let folder = document.path.string.parentFolder
    return try linked(from: document).filter { $0.path.string.parentFolder == folder }
  }

  /// Returns the documents to which the links of a document lead, in order.
  private func linked(from document: Document) throws(UserError) -> [Document] {
    let parsed = try current(document).parsed
    let folder = try location.file(of: document.path).parentFolder
    var members: [Document] = []
    var seen: Set<Document.ID> = [document.id]
    for inline in parsed.inlines {
      guard case .link(let link) = inline.kind else { continue }
      // A link to a path that is not a document of the library is ignored, wherever it leads.
      let path = FileSystem.absolute(parsed.links[link].destination, from: folder)
      let found = try storage {
        try store.read { try $0.document(at: location.documentPath(path)) }
      }
      if let found, found.state != .removed, seen.insert(found.id).inserted {
        members.append(found)
      }
    }
    return members
  }
}
