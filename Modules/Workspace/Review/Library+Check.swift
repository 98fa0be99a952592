import Files
import MarkdownParse
package import Model
import Storage
package import SystemSupport

/// A highlight that became doubtful or orphaned, or would become so with an edit.
///
/// ```swift
/// for affected in try await library.checkStaged(around: ".") {
///   print(affected.document.path, affected.after.state, affected.words ?? "not found")
/// }
/// ```
package struct AffectedHighlight: Hashable, Sendable {
  /// The highlight, with its stored anchor.
  package var highlight: Highlight
  package var document: Document
  /// The anchor after the edit: doubtful or orphaned.
  package var after: Anchor
  /// The text at that anchor; nil for an orphan.
  package var words: String?
}

extension Library {
  /// Returns the highlights that are doubtful or orphaned in the current text of their files,
  /// including all highlights of missing files. Detached highlights are omitted.
  ///
  /// - Parameter documents: the documents to check; nil for all.
  /// - Throws: `damaged` or `conflict` if the library cannot be read or written.
  package func check(_ documents: [Document]? = nil) throws(UserError) -> [AffectedHighlight] {
    _ = try refresh(documents)
    let all = Dictionary(uniqueKeysWithValues: try self.documents().map { ($0.id, $0) })
    return try highlights(HighlightFilter(documents: documents?.map(\.id))).compactMap {
      guard let document = all[$0.document], !$0.isDetached else { return nil }
      if document.state == .missing {
        return AffectedHighlight(highlight: $0, document: document, after: .orphan, words: nil)
      }
      guard [.doubtful, .orphaned].contains($0.anchor.state) else { return nil }
      return AffectedHighlight(
        highlight: $0, document: document, after: $0.anchor,
        words: $0.anchor.range.flatMap { try? words(of: document, in: $0) })
    }
  }

  private func words(of document: Document, in range: TextRange) throws(UserError) -> String {
    parse(try SourceFile(reading: location.file(of: document.path))).text.substring(range)
  }

  /// Returns the highlights that the next commit would make doubtful or orphaned: those with a sure
  /// position in the last commit, but not in the staged files. Detached highlights are omitted.
  ///
  /// - Parameter folder: a folder of the git work tree.
  /// - Throws: `notFound` if the folder is not in a git work tree.
  package func checkStaged(around folder: String) async throws(UserError) -> [AffectedHighlight] {
    let git = try await repository(around: folder)
    let documents = try documents()
    var affected: [AffectedHighlight] = []
    for change in try await git.stagedChanges() {
      // Until its file is checked, the library knows a renamed file by its old path.
      let paths = [change.path, change.oldPath].compactMap { $0 }.map {
        location.documentPath(git.root + "/" + $0)
      }
      guard let document = documents.first(where: { paths.contains($0.path) }) else { continue }
      let dialect = dialects.choice(for: location.absolute(document.path)).dialect
      let before = await git.content(of: change.oldPath, in: "HEAD")
        .map { ParsedDocument(parsing: MarkdownSource($0), in: dialect) }
      var after: ParsedDocument?
      if let path = change.path {
        after = await git.content(of: path, in: "").map {
          ParsedDocument(parsing: MarkdownSource($0), in: dialect)
        }
      }
      affected += try compare(document, before: before, after: after)
    }
    return affected
  }

  /// Returns the git work tree that contains a folder.
  ///
  /// - Throws: `notFound` if the folder is not in a git work tree.
  func repository(around folder: String) async throws(UserError) -> GitRepository {
    guard let git = try await GitRepository(containing: FileSystem.absolute(folder)) else {
      throw UserError(
        .notFound, "\(FileSystem.absolute(folder)) is not in a git work tree",
        hint: "`git init` makes one")
    }
    return git
  }

  private func compare(
    _ document: Document, before: ParsedDocument?, after: ParsedDocument?
  ) throws(UserError) -> [AffectedHighlight] {
    let live = try highlights(HighlightFilter(documents: [document.id])).filter { !$0.isDetached }
    guard !live.isEmpty else { return [] }
    func places(in text: ParsedDocument) throws(UserError) -> [Highlight.ID: Anchor] {
      try placements(of: document, in: text.mapped).anchors
    }
    let old = try before.map(places)
    let new = try after.map(places)
    let isHurt = { (anchor: Anchor) in [.doubtful, .orphaned].contains(anchor.state) }
    return live.compactMap { highlight in
      let was = old?[highlight.id] ?? highlight.anchor
      let becomes = new?[highlight.id] ?? .orphan
      guard !isHurt(was), isHurt(becomes) else { return nil }
      return AffectedHighlight(
        highlight: highlight, document: document, after: becomes,
        words: becomes.range.flatMap { after?.text.substring($0) })
    }
  }
}
