import ArgumentParser
import Console
import DaemonKit
import Model
import SystemSupport
import Workspace

/// `serve`: starts the reader in a browser, a program of its own.
struct ServeCommand: ContextCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract: "Read and highlight in a browser on this machine (starts diple-serve).",
    discussion: """
      It prints the address of a page, whose code is good for one minute and one browser; Enter \
      prints a new one, Ctrl-C ends it. Nobody else on the network can reach it. The port is 3475, \
      or any other where that is taken.

      Examples:
        diple serve
        diple serve essay.md --open
      """)

  @OptionGroup var options: GlobalOptions
  @OptionGroup var adding: AddOptions
  @Option(help: "Port; 0 takes a free one.") var port: Int?
  @Flag(help: "Open the page with xdg-open.") var open = false
  @Argument(
    help: "Path, title, a unique part of either, or id; the list of documents when omitted.",
    completion: .values(.document))
  var doc: String?

  func validate() throws {
    if let port, !(0...65_535).contains(port) {
      throw ValidationError("--port takes a number from 0 to 65535, not \(port)")
    }
  }

  func run(in context: CommandContext) async throws {
    if context.terminal.suspendingTerminal != nil || context.terminal.isInteractive {
      throw UserError(
        .usage, "serve runs until it is interrupted",
        hint: "start it in a shell: \(typed: "diple", "serve")")
    }
    // What cannot be served is said here.
    if let doc { try await context.offerToAdd(doc, adding, options) }
    let library = try context.libraries.library(options, .readOnly)
    var document: Document?
    if let doc { document = try await context.document(doc, in: library) }
    context.terminal.output.drain()
    context.terminal.errors.flush()
    // Without a name it is found again there, by the same rules.
    var words = options.library.map { ["--library", $0] } ?? []
    if options.json { words.append("--json") }
    if let port { words += ["--port", "\(port)"] }
    if open { words.append("--open") }
    if let document { words += ["--", document.id.description] }
    throw Program.sibling("diple-serve", words).replaceThisProcess().userError
  }
}
