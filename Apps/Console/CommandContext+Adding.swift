import Model
import Rendering
import SystemSupport
import Workspace

extension CommandContext {
  /// Brings a file into the library before a command works on it, when `--add` says so or a person
  /// who is asked does; the library is made where there is none.
  ///
  /// - Parameters:
  ///   - name: as a command's DOC; nothing happens unless it is a file that is not in the library.
  ///   - isWanted: whether the command can do nothing else, so that an empty answer is a yes.
  /// - Throws: `notFound` where nobody can be asked, `nothing` when the answer is no.
  package func offerToAdd(
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
