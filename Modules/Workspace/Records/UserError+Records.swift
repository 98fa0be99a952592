import Files
package import Model
package import SystemSupport
import Watching

extension UserError {
  /// Says that no highlight has an id.
  static func noHighlight(_ id: String) -> UserError {
    UserError(.notFound, "no highlight '\(id)'", hint: "\(command: "list") shows the ids")
  }

  /// Says that a document's file is not there.
  package static func missingFile(_ document: Document) -> UserError {
    UserError(
      .notFound, "\(document.path.string) is missing; its highlights are kept",
      hint: """
        put the file back, or say where it is: \
        \(typed: "doc", "link", .word(document.title), "PATH")
        """)
  }
}
