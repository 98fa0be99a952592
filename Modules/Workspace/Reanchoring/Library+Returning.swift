import Files
import MarkdownParse
import Model
import Storage
import SystemSupport
import Watching

/// Finds files that are back at a former path of their document, for example after a switch of
/// branches.
extension Library {
  /// The maximum number of former paths to check.
  private static let formerLimit = 8

  /// Returns the files that exist at former paths of a document, latest path first. Former paths
  /// are those from which Diple followed the file since a user last set the path. O(operations on
  /// the document).
  ///
  /// - Throws: `damaged` or `conflict` if the library cannot be read.
  func formerFiles(of document: Document) throws(UserError) -> [String] {
    let followed = try storage {
      try store.read { try $0.followedPaths(of: document.id) }
    }
    var seen: Set<DocumentPath> = [document.path]
    var paths: [DocumentPath] = []
    for operation in followed {
      guard case .text(let text) = operation.previous, !text.isEmpty else { continue }
      let path = DocumentPath(text)
      if seen.insert(path).inserted { paths.append(path) }
    }
    return paths.prefix(Self.formerLimit).compactMap { try? location.file(of: $0) }
      .filter(Self.isFile)
  }

  /// Checks whether a document's file moved back to a former path while another file took its
  /// present path. That is the case if a former path has the last known bytes and the text at the
  /// present path is not similar to the document's.
  ///
  /// - Returns: the document with its former path, which has been stored; nil if it did not move
  ///   back.
  /// - Throws: `damaged` or `conflict` if the library cannot be read or written.
  func relocated(_ document: Document, _ revision: Revision, now: SourceFile)
    throws(UserError) -> Document?
  {
    guard document.state == .present, !isReadOnly else { return nil }
    for path in try formerFiles(of: document) {
      let target = location.documentPath(path)
      let owner = try storage { try store.read { try $0.document(at: target) } }
      guard owner == nil || owner?.state == .removed,
        (try? SourceFile(reading: path))?.digest == revision.sourceDigest,
        let text = try storage({
          try store.read { try $0.snapshot(revision.textDigest, of: document.id) }
        })
      else { continue }
      let likeness = TextSimilarity(text).scoreOfNamesake(parse(now).text.string)
      guard likeness < Self.likeness else { return nil }
      _ = try storage {
        try store.write { transaction in
          // A followed file is not a user action, so there is nothing to undo.
          transaction.journal(JournalStep(nil))
          return try transaction.setPath(target, of: document.id)
        }
      }
      var back = try self.document(id: document.id)
      back.state = .missing
      return back
    }
    return nil
  }
}
