package import Model
import Storage
package import SystemSupport

extension Library {
  /// The document that a person means: a path, an id or its unique prefix, a title, or a part of a
  /// path or title that only one document has. A file that is there and not in the library is never
  /// taken for another document.
  ///
  /// - Throws: `notFound`, or `ambiguous` with the documents that fit.
  package func document(_ name: String) throws(UserError) -> Document {
    try lookUp(name).document
  }

  /// The same, and whether the name is only a part of the document's path or title.
  ///
  /// - Throws: as `document` does.
  package func lookUp(_ name: String) throws(UserError) -> (document: Document, isPart: Bool) {
    let path = location.documentPath(name)
    let isFile = Self.isFile(name)
    let resolved = isFile ? FileSystem.resolved(FileSystem.absolute(name)) : nil
    let folder = try documentsOfFolder(name)
    let (found, isPart) = try storage { () -> ([Document], Bool) in
      try store.read { transaction in
        if let document = try transaction.document(at: path) { return ([document], false) }
        if let resolved,
          let document = try transaction.document(at: self.location.documentPath(resolved))
        {
          return ([document], false)
        }
        if let id = Document.ID(name), let document = try transaction.document(id) {
          return ([document], false)
        }
        if isFile { return ([], false) }
        let ids = try transaction.documentIDs(withPrefix: name)
        if ids.count == 1, let document = try transaction.document(ids[0]) {
          return ([document], false)
        }
        if let folder { return (folder, false) }
        return Self.bestMatches(name, try transaction.documents(includingRemoved: true))
      }
    }
    if found.count == 1 { return (found[0], isPart) }
    guard found.isEmpty else {
      throw UserError(
        .ambiguous,
        "'\(name)' \(folder == nil ? "fits" : "is a folder with") \(found.count.counted("document"))",
        hint: "write more of the path or title, or the id",
        candidates: found.prefix(Self.shownCandidates).map {
          "\($0.id)  \($0.path.string)  \($0.title)"
        })
    }
    if isFile {
      throw UserError(
        .notFound, "\(name) is not in the library",
        hint: "\(command: "add", .word(name)) brings it in")
    }
    throw UserError(
      .notFound, "no such file or document: '\(name)'",
      hint: try nearestName(to: name).map { "did you mean '\($0)'?" }
        ?? "\(command: "add", "FILE") adds one")
  }

  /// The path, file name or title most like a name that no document has; nil when none is.
  private func nearestName(to name: String) throws(UserError) -> String? {
    let limit = max(1, name.count / 3)
    guard name.count <= Self.longestName else { return nil }
    let names = try documents().flatMap { [$0.path.name, $0.title, $0.path.string] }
    return nearestMatch(
      to: name, among: names.filter { abs($0.utf8.count - name.utf8.count) <= 4 * limit })
  }

  /// How many of the things that a name fits are listed; their number is said.
  private static let shownCandidates = 20

  /// The longest name, in characters, for which one that is like it is looked for.
  private static let longestName = 100

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
  private static func bestMatches(_ name: String, _ documents: [Document]) -> (
    [Document], isPart: Bool
  ) {
    let wanted = name.lowercased()
    let tests: [(isPart: Bool, fits: (Document) -> Bool)] = [
      (false, { $0.title == name || $0.path.name == name || $0.path.string == name }),
      (
        false,
        {
          $0.title.lowercased() == wanted || $0.path.name.lowercased() == wanted
            || $0.path.string.lowercased() == wanted
        }
      ),
      (
        true,
        { $0.title.lowercased().contains(wanted) || $0.path.string.lowercased().contains(wanted) }
      ),
    ]
    for removed in [false, true] {
      for test in tests {
        let found = documents.filter { ($0.state == .removed) == removed && test.fits($0) }
        if !found.isEmpty { return (found, test.isPart) }
      }
    }
    return ([], false)
  }

  /// The highlight with an id or a unique prefix of one; trashed ones are found too.
  ///
  /// - Throws: `notFound`, or `ambiguous` with the highlights that fit.
  package func highlight(_ id: String) throws(UserError) -> Highlight {
    let (found, count) = try storage { () -> ([Highlight], Int) in
      try store.read { transaction in
        let ids = try transaction.highlightIDs(withPrefix: id)
        let shown = ids.prefix(Self.shownCandidates)
        return (try shown.compactMap { try transaction.highlight($0) }, ids.count)
      }
    }
    guard let first = found.first else { throw .noHighlight(id) }
    guard count == 1 else {
      throw UserError(
        .ambiguous, "'\(id)' fits \(count.counted("highlight"))", hint: "write more of the id",
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
