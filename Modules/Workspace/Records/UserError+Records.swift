package import Model
package import SystemSupport

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
        restore the file, or relink it: \
        \(typed: "doc", "link", .word(document.title), "PATH")
        """)
  }
}
