package import Model
import Storage
package import SystemSupport

extension UserError {
  /// Returns the error for an id that no highlight has.
  static func noHighlight(_ id: String) -> UserError {
    if let ids = HighlightNumbers(id)?.words {
      return UserError(
        .notFound, "no highlight '\(id)'",
        hint: Hint("write a blank between numbers: \(ids.joined(separator: " "))"))
    }
    return UserError(.notFound, "no highlight '\(id)'", remedy: .action("highlight.list", [:]))
  }

  /// Creates the error for an id that no strategy has.
  package init(unknown error: UnknownStrategyError) {
    self.init(.usage, error.description)
    allowed = error.known
  }

  /// Returns the error for a highlight in the trash, which cannot be changed.
  package static func trashed(_ highlight: Highlight) -> UserError {
    UserError(
      .notFound, "highlight \(highlight.shortID) is in the trash",
      remedy: .action(
        "highlight.restore",
        ["highlights": .records([highlight.id.description], names: [highlight.shortID])]))
  }

  /// Returns the error for a document whose stored text another process has replaced.
  package static func changedMeanwhile(_ document: Document, hint: Hint) -> UserError {
    UserError(.conflict, "\(document.shownPath) changed meanwhile", hint: hint)
  }

  /// Returns the error for a document that was removed from the library.
  package static func removed(_ document: Document) -> UserError {
    UserError(
      .notFound, "\(document.shownPath) was removed from the library",
      remedy: .action(
        "document.restore",
        ["document": .record(document.id.description, name: document.shortID)]))
  }

  /// Returns the error for a text that is not in a library.
  package static func inNoLibrary(
    hint: Hint = "add it: \(unquoted: "document.add", ["paths": .asked("file")])"
  ) -> UserError {
    UserError(.usage, "the file is not in a library", hint: hint)
  }

  /// Returns the error for a stored range that the document's text does not have.
  package static func beyondText(
    _ range: TextRange, of highlight: Highlight, hint: Hint? = nil
  ) -> UserError {
    UserError(
      .damaged,
      "the stored range \(range) of highlight \(highlight.shortID) ends after the end of the "
        + "document's text",
      hint: hint)
  }

  /// Returns the error for reviewing a highlight whose position is not in doubt.
  static func notInDoubt(_ highlight: Highlight, remedy: Remedy) -> UserError {
    UserError(.nothing, "highlight \(highlight.shortID) is not in doubt", remedy: remedy)
  }

  /// Returns the error for a folder that contains no library.
  static func noLibrary(at folder: String) -> UserError {
    UserError(
      .notFound, "there is no library at \(folder)",
      hint: "\(action: "document.add", ["paths": .asked("file")]) makes one")
  }

  /// Returns the error for a document whose file does not exist.
  package static func missingFile(_ document: Document) -> UserError {
    UserError(
      .notFound, "\(document.shownPath) is missing; its highlights are kept",
      hint: """
        restore the file, search for it: \(action: "document.refresh", [:]), relink it: \
        \(action: "document.link", [
          "document": .record(document.id.description, name: document.shownPath),
          "path": .asked("path"),
        ]), or remove it: \
        \(action: "document.remove", [
          "document": .record(document.id.description, name: document.shownPath)
        ])
        """)
  }
}

extension ReadTransaction {
  /// Checks that a highlight is not in the trash.
  ///
  /// - Throws: `notFound` if it is.
  func requireKept(_ id: Highlight.ID) throws {
    if let highlight = try highlight(id), highlight.isTrashed { throw UserError.trashed(highlight) }
  }
}
