import Files
import MarkdownParse
package import Model
import Storage
package import SystemSupport

/// A highlight that an edit would affect.
package struct AffectedHighlight: Hashable, Sendable {
  /// The highlight, with its place as the library knows it.
  package var highlight: Highlight
  /// Its document.
  package var document: Document
  /// Where it would stand after the edit: doubtful, or nowhere.
  package var after: Anchor
  /// The words that it would have there; nil when it would be nowhere.
  package var words: String?
}

extension Library {
  /// The highlights that are doubtful or orphaned in their files as they are now, those of missing
  /// files included. Detached ones are left out.
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

  /// The highlights that the next commit of the git work tree around a folder would make doubtful
  /// or orphaned: sure of their place in the last commit, and not in what is staged.
  ///
  /// - Throws: `notFound` when the folder is not in a git work tree.
  package func checkStaged(around folder: String) async throws(UserError) -> [AffectedHighlight] {
    let git = try await repository(around: folder)
    let documents = try documents()
    var affected: [AffectedHighlight] = []
    for change in try await git.stagedChanges() {
      // A renamed file is known under its old name until its file was checked.
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

  /// The git work tree around a folder.
  func repository(around folder: String) async throws(UserError) -> GitRepository {
    guard let git = try await GitRepository(holding: FileSystem.absolute(folder)) else {
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
      try placements(of: document, in: text).anchors
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
