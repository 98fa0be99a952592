import Files
package import MarkdownParse
package import Model
package import SystemSupport

extension Library {
  /// The file that the name of a note means, `[[name]]`: a path below the vault, else the only file of
  /// that name, without regard to case and to the ending `.md`. Of several the one beside the link is
  /// meant. Looked for are the documents of the library, then the files of the vault.
  ///
  /// - Parameter file: where the link stands, absolute.
  /// - Throws: `notFound` for no file, `ambiguous` for several.
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

  /// Whether a path ends with a name, whole components and without regard to case.
  private static func isNote(_ path: String, named name: String) -> Bool {
    let path = path.lowercased()
    let name = "/" + name.lowercased()
    return path.hasSuffix(name) || path.hasSuffix(name + ".md")
  }
}

extension ParsedDocument {
  /// Where the part of a note stands that a link names behind `#`: a heading by its words, the last of
  /// several that lie in each other (`A#B`), or a block by its id (`^id`). Nil where it is not there.
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
