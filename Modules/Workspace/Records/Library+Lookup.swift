package import Model
import Storage
package import SystemSupport

extension Library {
  /// The document that a person means: an id or its unique prefix, a path, a title, or a part of a
  /// path or title that only one document has.
  ///
  /// - Throws: `notFound`, or `ambiguous` with the documents that fit.
  package func document(_ name: String) throws(UserError) -> Document {
    let path = location.documentPath(name)
    let folder = try documentsOfFolder(name)
    let found = try storage { () -> [Document] in
      try store.read { transaction in
        if let document = try transaction.document(at: path) { return [document] }
        if let id = Document.ID(name), let document = try transaction.document(id) {
          return [document]
        }
        let ids = try transaction.documentIDs(withPrefix: name)
        if ids.count == 1, let document = try transaction.document(ids[0]) { return [document] }
        if let folder { return folder }
        return Self.bestMatches(name, try transaction.documents(includingRemoved: true))
      }
    }
    if found.count == 1 { return found[0] }
    guard found.isEmpty else {
      throw UserError(
        .ambiguous,
        "'\(name)' \(folder == nil ? "fits" : "is a folder with") \(found.count.counted("document"))",
        hint: "write more of the path or title, or the id",
        candidates: found.map { "\($0.id)  \($0.path.string)  \($0.title)" })
    }
    throw UserError(
      .notFound, "no document '\(name)' in the library",
      hint: "\(command: "add", "FILE") adds one")
  }

  /// The documents of a folder that is there, when it has several; nil for what is not a folder, or
  /// names a document all the same.
  ///
  /// - Throws: `notFound` for one that has none.
  private func documentsOfFolder(_ name: String) throws(UserError) -> [Document]? {
    guard (try? FileSystem.status(of: FileSystem.absolute(name)))??.isFolder == true else {
      return nil
    }
    do {
      guard let below = try documents(below: name), below.count > 1 else { return nil }
      return below
    } catch {
      throw UserError(
        .notFound, "\(name) is a folder",
        hint: "\(command: "add", .word(name)) adds its Markdown files")
    }
  }

  /// The document with an identity, removed ones too.
  ///
  /// - Throws: `notFound` when it was deleted permanently.
  package func document(id: Document.ID) throws(UserError) -> Document {
    if let document = try storage({ try store.read { try $0.document(id) } }) { return document }
    throw UserError(
      .notFound, "no document '\(id)' in the library",
      hint: "\(command: "add", "FILE") adds one")
  }

  /// The highlight with an identity, trashed ones too.
  ///
  /// - Throws: `notFound` when it was deleted permanently.
  package func highlight(id: Highlight.ID) throws(UserError) -> Highlight {
    if let highlight = try storage({ try store.read { try $0.highlight(id) } }) {
      return withUnsaved(highlight)
    }
    throw .noHighlight(id.description)
  }

  /// The documents that fit best: those with that title or file name, else those with it inside;
  /// a removed document only when no other fits.
  private static func bestMatches(_ name: String, _ documents: [Document]) -> [Document] {
    let wanted = name.lowercased()
    let tests: [(Document) -> Bool] = [
      { $0.title == name || $0.path.name == name },
      { $0.title.lowercased() == wanted || $0.path.name.lowercased() == wanted },
      { $0.title.lowercased().contains(wanted) || $0.path.string.lowercased().contains(wanted) },
    ]
    for removed in [false, true] {
      for test in tests {
        let found = documents.filter { ($0.state == .removed) == removed && test($0) }
        if !found.isEmpty { return found }
      }
    }
    return []
  }

  /// The highlight with an id or a unique prefix of one; trashed ones are found too.
  ///
  /// - Throws: `notFound`, or `ambiguous` with the highlights that fit.
  package func highlight(_ id: String) throws(UserError) -> Highlight {
    let found = try storage { () -> [Highlight] in
      try store.read { transaction in
        try transaction.highlightIDs(withPrefix: id).compactMap { try transaction.highlight($0) }
      }
    }
    guard let first = found.first else { throw .noHighlight(id) }
    guard found.count == 1 else {
      throw UserError(
        .ambiguous, "'\(id)' fits \(found.count.counted("highlight"))",
        hint: "write more of the id",
        candidates: found.map { "\($0.id)  \($0.selector.exact.prefix(60))" })
    }
    return withUnsaved(first)
  }

  /// The highlight with the place that could not be stored, if there is one.
  func withUnsaved(_ highlight: Highlight) -> Highlight {
    guard let anchor = unsaved[highlight.id] else { return highlight }
    var highlight = highlight
    highlight.anchor = anchor
    return highlight
  }
}
