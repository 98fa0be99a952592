import Model
import Rendering
import SystemSupport
import Workspace

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
        hint: "\(command: "add", .word(name)) brings it in, or pass --add")
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
