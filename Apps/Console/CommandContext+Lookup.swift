package import Model
import Rendering
import SystemSupport
package import Workspace

extension CommandContext {
  /// Checks the files of documents for changes and reports what happened to their highlights.
  /// `documents` is nil for all documents. These aren't checked if a running daemon has already
  /// checked them since their last change.
  ///
  /// - Throws: ``UserError`` with the code `damaged` or `conflict` if the library cannot be read or
  ///   written.
  package func refresh(_ library: Library, _ documents: [Document]?, _ options: GlobalOptions)
    async throws
  {
    if documents == nil, libraries.filesAreSettled(library, options) { return }
    if let documents {
      terminal.notify(try await library.refresh(documents))
    } else {
      terminal.notify(try await library.refreshChanged())
    }
  }

  /// Returns the document for a command's DOC. In a REPL, nil refers to the current document.
  ///
  /// - Parameters:
  ///   - makesCurrent: whether a named document becomes the current document of the REPL.
  ///   - toChange: whether the command writes. Then a part of a name is only accepted if the user
  ///     confirms the document.
  /// - Throws: ``UserError`` with the code `usage` if no document is named and none is current,
  ///   `notFound` or `ambiguous` if the name doesn't match exactly one document.
  package func document(
    _ name: String?, in library: Library, makesCurrent: Bool = true, toChange: Bool = false
  ) async throws -> Document {
    guard let name else {
      guard let document = selection.document else {
        throw UserError(
          .usage, "which document?",
          hint: terminal.isInteractive
            ? "name one, or make it the current one with \(command: "show", "DOC")"
            : "name its path or title; \(command: "doc", "list") shows them")
      }
      return try await library.document(id: document.id)
    }
    let (found, isPart) = try await library.lookUp(name)
    if toChange, isPart { try confirmPartialMatch(found, by: name) }
    if terminal.isInteractive, makesCurrent { selection.document = found }
    return found
  }

  /// Returns whether a word is a complete name: an existing file, `-`, a folder of documents, or
  /// the path, title or id of a document.
  package func isWholeName(_ word: String, in library: Library?) async -> Bool {
    if Library.isFile(word) || word == "-" { return true }
    guard let library else { return false }
    if (try? await library.documents(below: word)) ?? nil != nil { return true }
    return (try? await library.lookUp(word))?.isPart == false
  }

  /// Asks the user to confirm a document of which only a part of the name was typed.
  ///
  /// - Throws: ``UserError`` with the code `notFound` if the question needs a terminal, `nothing`
  ///   if the user declines.
  private func confirmPartialMatch(_ document: Document, by name: String) throws {
    let path = document.path.string.sanitizedForTerminal
    guard terminal.canPrompt else {
      throw UserError(
        .notFound, "'\(name)' is only a part of \(document.path.string)",
        hint: "to change that document, name its whole path or title")
    }
    try terminal.confirm(
      "Use \(path), whose name contains '\(name.sanitizedForTerminal)'?", yes: false)
  }

  /// Returns a highlight and its document, after checking the document's file for changes.
  ///
  /// - Parameter id: the highlight's id or the beginning of it.
  /// - Throws: ``UserError`` with the code `notFound` if no highlight has the id, or `ambiguous` if
  ///   several ids begin with it.
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

extension CommandContext {
  /// Adds a file to the library before a command uses it, if `--add` is set or the user agrees when
  /// asked. Creates the library if it doesn't exist.
  ///
  /// - Parameters:
  ///   - name: the command's DOC. Nothing happens unless it is a file that isn't in the library.
  ///   - isWanted: whether the command is useless without the file. Then an empty answer means yes.
  /// - Throws: ``UserError`` with the code `notFound` if the file isn't in the library and there is
  ///   no terminal for the question, `nothing` if the user declines.
  package func addIfWanted(
    _ name: String, _ adding: AddOptions, _ options: GlobalOptions, isWanted: Bool = true
  ) async throws {
    guard Library.isFile(name), libraries.hasPlace(options) else { return }
    let library = try libraries.library(options, .readOnlyOrEmpty)
    if (try? await library.lookUp(name)) != nil { return }
    guard adding.adds || terminal.canPrompt else {
      throw UserError(
        .notFound, "\(name) is not in the library",
        hint: "\(command: "add", .word(name)) adds it, or pass --add")
    }
    let shown = name.sanitizedForTerminal
    let place = library.isAbsent ? "a new library" : "the library"
    let question = "Add \(shown) to \(place)? \(isWanted ? "[Y/n]" : "[y/N]")"
    if !adding.adds, !(try terminal.agrees(question, unlessSaid: isWanted)) {
      throw UserError(.nothing, "nothing was changed")
    }
    let result = try await libraries.library(options, .create).add([name]) { _ in }
    if let problem = result.problems.first { throw problem }
    terminal.errors.line("added \(shown)")
  }
}
