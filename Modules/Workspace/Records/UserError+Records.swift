package import Model
package import SystemSupport

extension UserError {
  /// Says that no highlight has an id.
  static func noHighlight(_ id: String) -> UserError {
    UserError(.notFound, "no highlight '\(id)'", hint: "\(command: "list") shows the ids")
  }

  /// Says that a document has another text by now, stored by another process.
  static func changedMeanwhile(_ document: Document, hint: Hint) -> UserError {
    UserError(.conflict, "\(document.path.string) changed meanwhile", hint: hint)
  }

  /// Says that a document was removed from the library.
  package static func removed(_ document: Document, hint: Hint) -> UserError {
    UserError(.notFound, "\(document.path.string) was removed from the library", hint: hint)
  }

  /// Says that a text is no document of the library.
  package static func inNoLibrary(hint: Hint = "add it: \(typed: "add", "FILE")") -> UserError {
    UserError(.usage, "the file is in no library", hint: hint)
  }

  /// Says that a highlight is sure of its place.
  static func notInDoubt(_ highlight: Highlight, hint: Hint) -> UserError {
    UserError(.nothing, "highlight \(highlight.id) is not in doubt", hint: hint)
  }

  /// Says that there is no library in a folder.
  static func noLibrary(at folder: String) -> UserError {
    UserError(
      .notFound, "there is no library at \(folder)", hint: "\(command: "add", "FILE") makes one")
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
