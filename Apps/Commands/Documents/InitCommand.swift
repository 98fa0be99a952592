import ArgumentParser
import Console
import DaemonKit
import LibraryExchange
import Model
import Rendering
import SystemSupport
import Workspace

/// The `init` command, which creates a library for a folder.
struct InitCommand: ContextCommand {
  static let configuration = CommandConfiguration(
    commandName: "init",
    abstract: "Create a library for this folder, in .diple.",
    discussion: """
      Commands run in this folder or below it then use this library. With --library DIR the \
      library is created in DIR.

      Example:
        diple init
      """)

  @OptionGroup var options: GlobalOptions
  @Flag(help: "Move this folder's documents from their present library to the new one.")
  var move = false
  @Flag(help: "Let version control see the library: do not write .diple/.gitignore.")
  var shared = false

  func run(in context: CommandContext) async throws {
    var location = LibraryLocation(folder: options.library ?? LibraryLocation.folderName)
    location.usePersonalFolders(of: context.terminal.environment)
    let library = try makeLibrary(at: location, context)
    let moved = try await outer(of: location, context)
    context.answer(
      options, "diple.library/1", ["folder": library.location.folder],
      plain: "library at \(library.location.folder.sanitizedForTerminal)")
    guard let (outer, contents) = moved else {
      if move { throw UserError(.nothing, "no other library has documents below this folder") }
      return
    }
    let folder = outer.location.folder.sanitizedForTerminal
    guard move else {
      context.show(
        """
        \(contents.summary) below this folder \(contents.documents == 1 ? "is" : "are") \
        in \(folder), so they are not listed here; \(command: "init", "--move") moves them
        """)
      return
    }
    let done = try await outer.moveDocuments(into: library)
    context.terminal.errors.line("moved \(done.summary) from \(folder)")
  }

  /// Opens or creates the library. Before creating it, writes a file that hides it from version
  /// control, unless `--shared` is set.
  private func makeLibrary(at location: LibraryLocation, _ context: CommandContext) throws
    -> Library
  {
    let hadFolder = try FileSystem.status(of: location.folder) != nil
    let isHidden = !shared && location.root != nil
    if isHidden, !location.exists { try location.ignoreInVersionControl() }
    do { return try context.libraries.openLibrary(at: location, opening: .create) } catch {
      if isHidden, !hadFolder { location.forgetVersionControl() }
      throw error
    }
  }

  /// Returns the library that was previously used for this folder, and the number of its documents
  /// and highlights below the folder. Nil if there is no such library, or if it has no documents
  /// below the folder.
  private func outer(of location: LibraryLocation, _ context: CommandContext) async throws -> (
    Library, FolderContents
  )? {
    guard let place = location.outer(environment: context.terminal.environment) else { return nil }
    if move {
      let library = try context.libraries.openLibrary(at: place, opening: .existing)
      let contents = try await library.contents(below: location)
      return contents.documents == 0 ? nil : (library, contents)
    }
    // The other library is only read. If that fails, the new library is created anyway.
    guard let library = try? context.libraries.openLibrary(at: place, opening: .readOnly),
      let contents = try? await library.contents(below: location)
    else { return nil }
    return contents.documents == 0 ? nil : (library, contents)
  }
}

extension FolderContents {
  /// The contents in words, such as `3 documents with 12 highlights`.
  fileprivate var summary: String {
    "\(documents.counted("document")) with \(highlights.counted("highlight"))"
  }
}
