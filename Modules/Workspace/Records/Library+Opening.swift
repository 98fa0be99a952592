package import Editing
import Files
package import MarkdownParse
package import Model
package import Rendering
import Storage
package import SystemSupport

extension Library {
  /// Finds the document that a name refers to. The name is a path, an id, a number or a title. It
  /// can also be the start of an id, or a part of a path or title, if only one document has it. If
  /// the name is the path of an existing file that is not in the library, only a missing document
  /// whose text it has is returned for it.
  ///
  /// - Throws: `notFound` if no document matches; `ambiguous`, with the documents, if several
  ///   match.
  package func document(_ name: String) throws(UserError) -> Document {
    try lookUp(name).document
  }

  /// Finds the document that a name refers to, as `document(_:)` does. `isPart` is true if the name
  /// is only a part of the document's path or title.
  ///
  /// - Throws: the same errors as `document(_:)`.
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
        let ids = try transaction.documentIDs(named: name)
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
        """
        '\(name)' \(folder == nil ? "matches" : "is a folder with") \
        \(found.count.counted("document"))
        """,
        hint: "write more of the path or title, or the id",
        candidates: found.prefix(Self.shownCandidates).map(Self.candidate))
    }
    if isFile {
      if let found = try claim([FileSystem.absolute(name)], for: try documentsWithoutFiles()).first
      {
        return (found, false)
      }
      throw UserError(
        .notFound, "\(name) is not in the library",
        remedy: .action("document.add", ["paths": .list([name])]))
    }
    if let highlight = try? highlight(name) {
      throw UserError(
        .notFound, "\(name) is a highlight, not a document",
        hint: """
          \(action: "highlight.show", [
            "highlight": .record(highlight.id.description, name: highlight.shortID)
          ]) shows it
          """)
    }
    throw UserError(
      .notFound, "no such file or document: '\(name)'",
      hint: try nearestName(to: name).map { Hint(Spelling.question($0)) }
        ?? "\(action: "document.add", ["paths": .asked("file")]) adds one")
  }

  /// Returns the path or title of the document that an unknown name most probably means; nil if
  /// none is similar enough or the name is too long. A path is shown from the current folder.
  ///
  /// If the name is a path with the wrong folder, this is the document with its file name.
  /// Otherwise it is the document with the most similar path, file name or title.
  private func nearestName(to name: String) throws(UserError) -> String? {
    guard name.count <= Self.longestName else { return nil }
    let documents = try documents()
    let paths = ShownPaths(location)
    let isPath = name.contains("/")
    let wanted = isPath ? paths.name(ofFile: FileSystem.absolute(name)) : name
    if isPath {
      let file = name.lastComponent.lowercased()
      let elsewhere = documents.filter { $0.path.name.lowercased() == file }
        .map { paths.name($0.path) }
      if elsewhere.count == 1 { return elsewhere[0] }
      if let nearest = Spelling.nearest(to: wanted, among: elsewhere) { return nearest }
    }
    let limit = 4 * Spelling.mostEdits(max(name.count, wanted.count))
    // The names that are compared, with those that are suggested.
    var names: [(form: String, written: String)] = []
    for document in documents {
      let shown = paths.name(document.path)
      names += [
        (document.path.name, shown), (document.title, document.title),
        (document.path.string, shown), (shown, shown),
      ].filter { abs($0.0.utf8.count - wanted.utf8.count) <= limit }
    }
    let forms = names.map(\.form)
    let nearest =
      Spelling.nearest(to: name, among: forms) ?? Spelling.nearest(to: wanted, among: forms)
    return nearest.flatMap { form in names.first { $0.form == form }?.written }
  }

  /// The number of candidates that an error lists. Its message contains their full number.
  private static let shownCandidates = 20

  /// The maximum length in characters of an unknown name for which a similar one is suggested.
  private static let longestName = 100

  /// Returns the documents below an existing folder. Nil if there is only one, if the name is not
  /// that of a folder, or if a document has the same name.
  ///
  /// - Throws: `notFound` if no document is below the folder.
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
        hint: "\(action: "document.add", ["paths": .list([name])]) adds its Markdown files")
    }
  }

  /// Returns a line for each document that a text may refer to, at most 20 lines. These are the
  /// documents whose id begins with the text. If there are none, they are the documents that match
  /// it best as a name. Reads no files.
  ///
  /// - Throws: `damaged` or `conflict` if the library cannot be read.
  package func documentCandidates(_ name: String) throws(UserError) -> [String] {
    try storage {
      try store.read { transaction in
        let ids = try transaction.documentIDs(named: name)
        let found =
          ids.isEmpty
          ? Self.bestMatches(name, try transaction.documents(includingRemoved: false)).0
          : try ids.prefix(Self.shownCandidates).compactMap { try transaction.document($0) }
        return found.prefix(Self.shownCandidates).map(Self.candidate)
      }
    }
  }

  /// Returns a line for each highlight whose id begins with a text, at most 20 lines.
  ///
  /// - Throws: `damaged` or `conflict` if the library cannot be read.
  package func highlightCandidates(_ prefix: String) throws(UserError) -> [String] {
    try storage {
      try store.read { transaction in
        try transaction.highlightIDs(named: prefix).prefix(Self.shownCandidates)
          .compactMap { try transaction.highlight($0) }.map(Self.candidate)
      }
    }
  }

  private static func candidate(_ document: Document) -> String {
    "\(document.id)  \(document.shownPath)  \(document.title)"
  }

  private static func candidate(_ highlight: Highlight) -> String {
    "\(highlight.id)  \(highlight.selector.exact.prefix(60))"
  }

  /// Returns the document with an id, even if it was removed.
  ///
  /// - Throws: `notFound` if no such document exists, for example because it was deleted
  ///   permanently.
  package func document(id: Document.ID) throws(UserError) -> Document {
    if let document = try storage({ try store.read { try $0.document(id) } }) { return document }
    throw UserError(
      .notFound, "no document '\(id)' in the library",
      hint: "\(action: "document.add", ["paths": .asked("file")]) adds one")
  }

  /// Returns the highlight with an id, even if it is in the trash.
  ///
  /// - Throws: `notFound` if no such highlight exists, for example because it was deleted
  ///   permanently.
  package func highlight(id: Highlight.ID) throws(UserError) -> Highlight {
    if let highlight = try storage({ try store.read { try $0.highlight(id) } }) {
      return withUnsaved(highlight)
    }
    throw .noHighlight(id.description)
  }

  /// Returns the documents that match a name best, by the first of these tests that a document
  /// passes:
  ///
  /// 1. Its title, path or file name is the name.
  /// 2. Its title, path or file name is the name, ignoring case.
  /// 3. Its title or path contains the name.
  ///
  /// Removed documents are returned only if no other document matches.
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

  /// Returns the highlight with a number, an id or a unique beginning of one, even if it is in the
  /// trash.
  ///
  /// - Throws: `notFound` if no id matches; `ambiguous`, with the highlights, if several match.
  package func highlight(_ id: String) throws(UserError) -> Highlight {
    let (found, count) = try storage { () -> ([Highlight], Int) in
      try store.read { transaction in
        let ids = try transaction.highlightIDs(named: id)
        let shown = ids.prefix(Self.shownCandidates)
        return (try shown.compactMap { try transaction.highlight($0) }, ids.count)
      }
    }
    guard let first = found.first else { throw .noHighlight(id) }
    guard count == 1 else {
      throw UserError(
        .ambiguous, "'\(id)' matches \(count.counted("highlight"))", hint: "write more of the id",
        candidates: found.map(Self.candidate))
    }
    return withUnsaved(first)
  }

  /// Returns the highlight with its current anchor if that could not be stored, otherwise
  /// unchanged.
  package func withUnsaved(_ highlight: Highlight) -> Highlight {
    guard let anchor = unsaved[highlight.id] else { return highlight }
    var highlight = highlight
    highlight.anchor = anchor
    return highlight
  }
}

/// A document that was read and parsed, with its highlights and formatting, ready to be rendered.
///
/// ```swift
/// let open = try await library.open(document)
/// open.parsed.text  // the rendered text
/// open.overlays     // the highlights to draw
/// ```
package struct OpenDocument: Sendable {
  /// The library's record; nil if the text is not in a library.
  package var document: Document?
  package var parsed: ParsedDocument
  /// The live highlights, orphans last.
  package var highlights: [Highlight]
  /// The formatting that the library stores for the document; nil if it stores none.
  package var format: ShownFormat?
  /// The report of checking the file; nil if the text is not in a library.
  package var report: RefreshReport?
  /// The digest of the rendered text; nil if the text is not in a library.
  package internal(set) var textDigest: ContentDigest?

  /// Creates an open document from a text that is not in a library.
  package init(parsed: ParsedDocument) {
    self.init(document: nil, parsed: parsed, highlights: [], report: nil)
  }

  init(
    document: Document?, parsed: ParsedDocument, highlights: [Highlight], report: RefreshReport?,
    textDigest: ContentDigest? = nil
  ) {
    self.document = document
    self.parsed = parsed
    self.highlights = highlights
    self.report = report
    self.textDigest = textDigest
  }

  /// The title in the library, else the title that the text itself has.
  package var title: String {
    document?.title ?? DocumentTitle.of(parsed, path: DocumentPath(""))
  }

  /// The overlays to draw: one for each highlight that has a range.
  package var overlays: [Overlay] {
    highlights.compactMap { Overlay($0, id: $0.shortID) }
  }
}

extension Library {
  /// Opens a document: reads its current file and anchors its highlights.
  ///
  /// - Throws: `notFound` if the file does not exist or cannot be read; `damaged` or `conflict` if
  ///   the library cannot be read or written.
  package func open(_ document: Document) throws(UserError) -> OpenDocument {
    let reading = try current(document)
    var open = OpenDocument(
      document: reading.report.document, parsed: reading.parsed,
      highlights: within(reading.parsed, try shownHighlights(of: document.id)),
      report: reading.report, textDigest: reading.digests.text)
    open.format = try storedFormat(of: document).shown(in: reading.parsed)
    return open
  }

  /// Returns the highlights, with those whose stored range lies beyond the text turned into
  /// orphans. Each such highlight is reported once, as a damaged row.
  package func within(_ parsed: ParsedDocument, _ highlights: [Highlight]) -> [Highlight] {
    let count = parsed.text.utf16.count
    return highlights.map { highlight in
      guard let range = highlight.anchor.range, !range.lies(in: count) else { return highlight }
      store.report(UserError.beyondText(range, of: highlight).message)
      var highlight = highlight
      highlight.anchor = .orphan
      return highlight
    }
  }

  /// Returns the highlights of a document without the context of their quotes, which pages do not
  /// need.
  func shownHighlights(of document: Document.ID) throws(UserError) -> [Highlight] {
    var filter = HighlightFilter(documents: [document])
    filter.detail = .withoutContext
    return try highlights(filter)
  }

  /// Opens a Markdown file that need not be in a library.
  ///
  /// - Parameters:
  ///   - dialect: the dialect to parse the file in; nil to detect it.
  ///   - dialects: detects the dialect.
  /// - Throws: `notFound` or `usage` if the file cannot be read as a document.
  package static func openFile(
    _ path: String, in dialect: MarkdownDialect? = nil, _ dialects: Dialects
  ) throws(UserError) -> OpenDocument {
    let file = try SourceFile(reading: FileSystem.absolute(path))
    guard let dialect else { return OpenDocument(parsed: dialects.parse(file)) }
    return OpenDocument(
      parsed: ParsedDocument(parsing: MarkdownSource(file.bytes), in: dialect))
  }

  /// Returns whether there is something at a path that could be opened as a document: anything
  /// except a folder.
  package static func isFile(_ path: String) -> Bool {
    guard let status = try? FileSystem.status(of: FileSystem.absolute(path)) else { return false }
    return !status.isFolder
  }

  /// Returns the range that a selection selects in an open document.
  ///
  /// - Throws: the `UserError` of the `SelectionError`; see `UserError.init(selection:)`.
  package func select(_ spec: SelectionSpec, in open: OpenDocument) throws(UserError) -> TextRange {
    try resolve(spec, in: open.parsed)
  }

  /// Returns the range that a selection selects in a file that is not in a library. The file has no
  /// highlights to refer to.
  ///
  /// - Parameter plugins: contains the strategy that matches patterns.
  /// - Throws: the `UserError` of the `SelectionError`, see `UserError.init(selection:)`; `notFound`
  ///   for the id of a highlight.
  package static func select(
    _ spec: SelectionSpec, inFile parsed: ParsedDocument, _ plugins: PluginSet
  ) throws(UserError) -> TextRange {
    if let id = spec.highlight {
      throw UserError(.notFound, "no highlight '\(id)': the file is not in a library")
    }
    do {
      return try spec.resolve(
        in: parsed,
        matches: { (pattern) throws(SelectionError) in
          try plugins.matches(ofPattern: pattern, in: parsed)
        })
    } catch { throw UserError(selection: error) }
  }
}

extension UserError {
  /// Creates the error of a failed selection: `nothing` if it is empty or its text was not found,
  /// `ambiguous` with the candidates if it fits several passages, `usage` otherwise.
  package init(selection error: SelectionError) {
    let message = error.description
    self =
      switch error {
      case .empty: UserError(.nothing, message)
      case .notFound: UserError(.nothing, message)
      case .misquoted(_, let near, let candidate):
        UserError(
          .nothing, message, hint: "the nearest passage, \(near.difference), is this",
          candidates: [
            "\(candidate.spec)  \(candidate.position.line):\(candidate.position.column)  "
              + candidate.excerpt
          ])
      case .noSuchOccurrence(_, let candidates, let count):
        UserError(
          .nothing, message,
          hint: count > candidates.count
            ? "the first \(candidates.count) are listed"
            : candidates.last.map { "the last is \(words: .spec($0.spec))" },
          candidates: candidates.map(\.description), sections: candidates.map(\.section))
      case .unquoted(_, let spec):
        UserError(.nothing, message, hint: "write \(words: .spec(spec.description))")
      case .ambiguous(_, let candidates, let count, _):
        UserError(
          .ambiguous, message,
          hint: candidates.first.map { first in
            let example: Hint = "choose one, for example \(words: .spec(first.spec))"
            return count > candidates.count
              ? "\(example); the first \(candidates.count) are listed" : example
          },
          candidates: candidates.map(\.description), sections: candidates.map(\.section))
      default: UserError(.usage, message)
      }
  }
}
