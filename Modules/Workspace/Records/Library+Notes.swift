import Files
package import MarkdownParse
package import Model
package import SystemSupport

extension Library {
  /// Returns the file that a wiki link `[[name]]` refers to. The name can be a path relative to the
  /// vault or to the linking file's folder. Otherwise, it is compared with file names, ignoring
  /// case and the extension `.md`; if several files match, the one in the linking file's folder is
  /// returned. The library's documents are searched first, then the files of the vault.
  ///
  /// - Parameter file: the absolute path of the file that contains the link.
  /// - Throws: `notFound` if there is no such file; `ambiguous` if there are several and none is in
  ///   the linking file's folder.
  package func file(ofNote name: String, from file: String) throws(UserError) -> String {
    let vault = dialects.vault(around: file) ?? location.root ?? file.parentFolder
    let folder = file.parentFolder
    for base in [vault, folder] {
      for ending in ["", ".md"] {
        let path = FileSystem.absolute(name + ending, from: base)
        if path.isBelow(vault), Self.isFile(path) { return path }
      }
    }
    let known = try documents().filter { $0.state == .present }.map { location.absolute($0.path) }
    for paths in [known, FolderScan(vault).files] {
      let found = Array(Set(paths.filter { Self.isNote($0, named: name) })).sorted()
      if found.count == 1 { return found[0] }
      if let near = found.first(where: { $0.parentFolder == folder }) { return near }
      if !found.isEmpty {
        throw UserError(
          .ambiguous, "'\(name)' is the name of \(found.count.counted("file"))", candidates: found)
      }
    }
    throw UserError(.notFound, "there is no note '\(name)' in \(vault)")
  }

  /// Returns whether the last components of a path are `name`, ignoring case and the extension
  /// `.md`.
  private static func isNote(_ path: String, named name: String) -> Bool {
    let path = path.lowercased()
    let name = "/" + name.lowercased()
    return path.hasSuffix(name) || path.hasSuffix(name + ".md")
  }
}

extension ParsedDocument {
  /// Returns the range of the block that the fragment of a wiki link refers to. The fragment is the
  /// text after `#`: the words of a heading, or `^` and the id of any block. For nested headings,
  /// such as `A#B`, the last one is used. Nil if no block matches.
  package func notePart(_ name: String) -> TextRange? {
    if name.hasPrefix("^") {
      for block in blocks {
        let isIt = inlines[block.inlines].contains {
          $0.kind == .hidden && source.text(in: $0.source).lowercased() == name.lowercased()
        }
        if isIt { return block.text }
      }
      return nil
    }
    func words(_ text: some StringProtocol) -> String {
      text.lowercased().split { !$0.isLetter && !$0.isNumber }.joined(separator: " ")
    }
    let wanted = words(name.split(separator: "#").last ?? "")
    return blocks.first {
      if case .heading = $0.kind { words(text.substring($0.text)) == wanted } else { false }
    }?.text
  }
}
