import Files
import Model
import SystemSupport
import Watching

extension UserError {
  /// Says that no highlight has an id.
  static func noHighlight(_ id: String) -> UserError {
    UserError(.notFound, "no highlight '\(id)'", hint: "`diple list` shows the ids")
  }

  /// Says that a document's file is not there.
  static func missingFile(_ document: Document) -> UserError {
    UserError(
      .notFound, "\(document.path.string) is missing; its highlights are kept",
      hint: "put the file back, or say where it is:",
      typing: ["diple", "doc", "link", document.title, "PATH"].map { .word($0) })
  }
}
