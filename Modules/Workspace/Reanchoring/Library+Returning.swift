import Files
import MarkdownParse
import Model
import Storage
import SystemSupport
import Watching

/// Files that are back where their documents stood before, as after a change of branch.
extension Library {
  /// How many of the places where a document stood are looked at.
  private static let formerLimit = 8

  /// Where a document's file stood before it was followed here, the latest first, as far as
  /// something is there now. What a person linked stays linked. O(operations on the document).
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

  /// The document where it stood before, when just the bytes that were last seen of it are there
  /// again and its file has become another text: the file went back, and another took its place.
  /// Nil when it is where it was; else the library has its path.
  func broughtBack(_ document: Document, _ revision: Revision, now: SourceFile)
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
          // As for every file that is followed, nobody did this here.
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
