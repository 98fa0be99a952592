package import Model
import Rendering
import SystemSupport
package import Workspace

extension CommandContext {
  /// Looks at files and reports what became of highlights; not where a daemon has done so after their
  /// last change.
  package func refresh(_ library: Library, _ documents: [Document]?, _ options: GlobalOptions)
    async throws
  {
    if documents == nil, libraries.filesAreSettled(library, options) { return }
    terminal.notify(try await library.refresh(documents))
  }

  /// The document that a command's DOC means; in a REPL the current one when it is left out.
  ///
  /// - Parameters:
  ///   - makesCurrent: whether one that is named becomes the current document there.
  ///   - toChange: whether the command writes something: then a part of a name is not enough, unless
  ///     a person says that the document is meant.
  package func document(
    _ name: String?, in library: Library, makesCurrent: Bool = true, toChange: Bool = false
  ) async throws -> Document {
    guard let name else {
      guard let document = selection.document else {
        throw UserError(
          .usage, "no document is named",
          hint: terminal.isInteractive
            ? "\(command: "show", "DOC") makes one the current document" : "name it: DOC")
      }
      return try await library.document(id: document.id)
    }
    let (found, isPart) = try await library.lookUp(name)
    if toChange, isPart { try requireMeant(found, by: name) }
    if terminal.isInteractive, makesCurrent { selection.document = found }
    return found
  }

  /// Whether a word is the whole name of something: a file that is there, a folder, or a document by
  /// its path, title or id.
  package func isWholeName(_ word: String, in library: Library?) async -> Bool {
    if Library.isFile(word) || word == "-" { return true }
    guard let library else { return false }
    if (try? await library.documents(below: word)) ?? nil != nil { return true }
    return (try? await library.lookUp(word))?.isPart == false
  }

  /// Asks whether a document is meant of which only a part of the name was written.
  ///
  /// - Throws: `notFound` where nobody can be asked, and `nothing` when another one was meant.
  private func requireMeant(_ document: Document, by name: String) throws {
    let path = document.path.string.sanitizedForTerminal
    guard terminal.canPrompt else {
      throw UserError(
        .notFound, "no document is called '\(name)'",
        hint: "to change \(document.path.string), write its path or title")
    }
    try terminal.confirm(
      "'\(name.sanitizedForTerminal)' is a part of \(path). Is it meant?", yes: false)
  }

  /// The highlight with an id or the start of one, and its document, as the file is now.
  package func highlight(_ id: String, in library: Library) async throws -> (Highlight, Document) {
    let found = try await library.highlight(id)
    let document = try await library.document(id: found.document)
    if document.state == .removed { return (found, document) }
    terminal.notify(try await library.refresh([document]))
    return (
      try await library.highlight(id: found.id),
      try await library.document(id: found.document)
    )
  }
}
