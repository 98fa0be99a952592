import ArgumentParser
import Console
import DaemonKit
import Model
import SystemSupport
import Workspace

/// The `serve` command, which serves the library to browsers and manages paired devices.
struct ServeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract: "Read and highlight in a browser, on this machine or a paired device.",
    discussion: """
      `serve [DOC] [--open] [--port N] [--lan ADDRESS]` starts diple-serve and prints the address \
      of a page; `serve start -h` shows all options. The other commands manage the phones and \
      tablets that were paired with --lan.

      Examples:
        diple serve essay.md --open
        diple serve --lan 192.168.1.20
      """,
    subcommands: [Start.self, Devices.self, Allow.self, Revoke.self],
    defaultSubcommand: Start.self)
}

extension ServeCommand {
  /// The `serve start` command, which starts the server as a separate program.
  struct Start: ContextCommand {
    static let configuration = CommandConfiguration(
      commandName: "start",
      abstract: "Serve the library to browsers until it is interrupted.",
      discussion: """
        Prints the address of a page. Its code is valid for one minute and one browser; Enter \
        prints a new one, Ctrl-C stops the server. Only this machine can connect. The port is \
        3475, or another one if that is in use.

        With --lan, devices on the network of that address can be paired with the QR code or the \
        letters that are shown. A paired device can only read until you run `serve allow`. The \
        connection is not encrypted.

        Examples:
          diple serve start essay.md --open
          diple serve start --lan 192.168.1.20
        """)

    @OptionGroup var options: GlobalOptions
    @OptionGroup var adding: AddOptions
    @Option(help: "Port; 0 for any free port.") var port: Int?
    @Option(
      help: ArgumentHelp(
        "Address of this machine at which devices on its network can be paired.",
        valueName: "address"))
    var lan: String?
    @Flag(help: "Open the page with xdg-open.") var open = false
    @Argument(
      help: "Path, title, a unique part of either, or id; the list of documents when omitted.",
      completion: .values(.document))
    var doc: String?

    func validate() throws {
      if let port, !(0...65_535).contains(port) {
        throw ValidationError("--port must be from 0 to 65535, not \(port)")
      }
    }

    func run(in context: CommandContext) async throws {
      if context.terminal.suspendingTerminal != nil || context.terminal.isInteractive {
        throw UserError(
          .usage, "serve runs until it is interrupted",
          hint: "start it in a shell: \(typed: "diple", "serve")")
      }
      // Report errors here, before the server starts.
      if let doc { try await context.addIfWanted(doc, adding, options) }
      let library = try context.libraries.library(options, .readOnly)
      var document: Document?
      if let doc { document = try await context.document(doc, in: library) }
      context.terminal.output.drain()
      context.terminal.errors.flush()
      // Without `--library` the server finds the same library by the same rules.
      var words = options.library.map { ["--library", $0] } ?? []
      if options.json { words.append("--json") }
      if let port { words += ["--port", "\(port)"] }
      if let lan { words.append("--lan=\(lan)") }
      if open { words.append("--open") }
      if let document { words += ["--", document.id.description] }
      throw Program.sibling("diple-serve", words).replaceThisProcess().userError
    }
  }
}
