package import FoundationEssentials
package import Model
package import Storage
import SystemSupport
package import Workspace

/// The library of a front-end, with the state of the front-end that actions need.
package struct ActionSession: Sendable {
  package let library: Library
  /// The start of the session. `history.undo` for a document reverts only later steps, and
  /// earlier ones that changed nothing else.
  package var began = Date.distantPast
  /// Whether highlights in the trash can be named. False for pages, which do not show them.
  package var seesTrash = true
  /// Returns a text that the front-end showed, by its digest, or nil. The library itself stores
  /// earlier texts only of documents with highlights.
  package var shownText: @Sendable (ContentDigest) -> String? = { _ in nil }

  /// Creates a session that begins with the library's whole history.
  package init(_ library: Library) { self.library = library }

  /// Returns the highlight with an id.
  ///
  /// - Throws: ``UserError`` with the code `notFound` if there is none, or it is in the trash and
  ///   the session does not see the trash.
  package func highlight(_ id: Highlight.ID) async throws -> Highlight {
    let highlight = try await library.highlight(id: id)
    guard seesTrash || !highlight.isTrashed else {
      throw UserError(
        .notFound, "the highlight was removed",
        hint: "\(command: "highlight", "restore", .word(id.description)) restores it")
    }
    return highlight
  }

  /// Returns the document with an id.
  ///
  /// - Throws: ``UserError`` with the code `notFound` if there is none or it was removed.
  package func document(_ id: Document.ID) async throws -> Document {
    let document = try await library.document(id: id)
    guard document.state != .removed else {
      throw UserError(
        .notFound, "the document was removed from the library",
        hint: "\(command: "doc", "restore", .word(id.description)) restores it")
    }
    return document
  }

  /// Returns the steps that undo and redo may take: those of a document since the session began,
  /// or all if `document` is nil.
  package func scope(_ document: Document.ID?) -> SessionScope? {
    document.map { SessionScope(document: $0, began: began) }
  }
}
