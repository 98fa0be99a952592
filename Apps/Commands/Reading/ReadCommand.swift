import ArgumentParser
import Console
import DaemonKit
import Glibc
import Model
import SystemSupport
import Workspace

/// `read`: starts the full-screen reader, a program of its own.
struct ReadCommand: ContextCommand {
  static let configuration = CommandConfiguration(
    commandName: "read",
    abstract: "Read a document full-screen (starts diple-read).",
    discussion: """
      Select with keys or the mouse; Enter lists what can be done with the selection, ? lists \
      the keys. Files that are in no library can be read, but not marked.

      Example:
        diple read essay.md
      """)

  @OptionGroup var options: GlobalOptions
  @OptionGroup var drawing: DrawOptions
  @Argument(
    help: "Path, title, a unique part of either, or id; in the line editor the current document.",
    completion: .values(.document))
  var doc: String?

  func run(in context: CommandContext) async throws {
    if options.json {
      throw UserError(
        .usage, "read has no JSON output", hint: "\(command: "show", "--json") gives the page")
    }
    // What cannot be opened is said here, before the screen changes.
    let document = try await context.open(doc, options).document
    guard isatty(0) == 1, context.terminal.output.isTerminal else {
      throw UserError(.usage, "this needs a terminal", hint: "\(command: "show") prints the page")
    }
    context.terminal.output.flush()
    context.terminal.errors.flush()
    var words = ["diple-read"]
    if let library = options.library { words += ["--library", library] }
    if let theme = drawing.theme { words += ["--theme", theme.rawValue] }
    if let hides = drawing.hideTitle { words.append(hides ? "--hide-title" : "--no-hide-title") }
    words += ["--color", drawing.noColor ? "never" : drawing.choice.rawValue]
    if let width = drawing.width { words += ["--width", "\(width)"] }
    words += ["--", document.map(\.id.description) ?? doc ?? ""]
    let program = SiblingExecutable.path("diple-read") ?? "diple-read"
    if context.terminal.isInteractive {
      let code = ChildProcess.run(program, words)
      if code == 0 { return }
      if code != 127 { throw ExitCode(code) }
    } else {
      let arguments: [UnsafeMutablePointer<CChar>?] =
        words.map { (word: String) in strdup(word) } + [nil]
      execvp(program, arguments)
    }
    throw UserError(
      .notFound, "diple-read cannot be started: \(String(cString: strerror(errno)))",
      hint: "it should stand beside diple")
  }
}
