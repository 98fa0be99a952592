import ArgumentParser
import Console
import DaemonKit
import Glibc
import Model
import SystemSupport
import Workspace

/// The `read` command, which starts the full-screen reader as a separate program.
struct ReadCommand: ContextCommand {
  static let configuration = CommandConfiguration(
    commandName: "read",
    abstract: "Read a document full-screen (starts diple-read).",
    discussion: """
      Select with keys or the mouse; Enter lists what can be done with the selection, ? lists \
      the keys. Files that are in no library can be read, but not marked. An address that `export \
      --links` wrote opens its document at the highlight.

      Examples:
        diple read essay.md
        diple read diple:hl/42-9f3c0a5517e2b846
      """, aliases: ["open"])

  @OptionGroup var options: GlobalOptions
  @OptionGroup var drawing: DrawOptions
  @OptionGroup var adding: AddOptions
  @Argument(
    help: """
      Path, title, a unique part of either, or id; in the line editor, the current document when \
      omitted.
      """,
    completion: .values(.document))
  var doc: String?

  func run(in context: CommandContext) async throws {
    if options.json {
      throw UserError(
        .usage, "read has no JSON output", hint: "\(command: "show", "--json") prints the page")
    }
    // A file that is not in the library can be read without `--add`. The reader's menu offers to
    // add it.
    if let doc, adding.adds { try await context.addIfWanted(doc, adding, options) }
    // Report errors before the reader takes over the screen.
    var (options, doc, highlight) = (self.options, self.doc, Highlight.ID?.none)
    if let address = doc, LibraryAddress.isAddress(address) {
      let found = try await context.passage(at: address, options)
      (options, doc, highlight) = (
        found.options, found.document.id.description, found.highlight?.id
      )
    }
    let document = try await context.open(doc, options).document
    guard isatty(0) == 1, context.terminal.output.isTerminal else {
      throw UserError(
        .usage, "the reader needs a terminal", hint: "\(command: "show") prints the page")
    }
    context.terminal.output.drain()
    context.terminal.errors.flush()
    var words: [String] = []
    if let library = options.library { words += ["--library", library] }
    if let theme = drawing.theme { words += ["--theme", theme.rawValue] }
    if let hides = drawing.hideTitle { words.append(hides ? "--hide-title" : "--no-hide-title") }
    words += ["--color", drawing.noColor ? "never" : drawing.choice.rawValue]
    if let highlight { words += ["--highlight", highlight.description] }
    if let width = drawing.width { words += ["--width", "\(width)"] }
    words += ["--", document.map(\.id.description) ?? doc ?? ""]
    let reader = Program.sibling("diple-read", words)
    guard context.terminal.isInteractive else { throw reader.replaceThisProcess().userError }
    let code: Int32
    do { code = try reader.run() } catch { throw error.userError }
    if code != 0 { throw ExitCode(code) }
  }
}
