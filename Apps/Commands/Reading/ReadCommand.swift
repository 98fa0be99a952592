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
      the keys. Begins where you stopped reading. Without DOC, lists the documents to choose from, \
      those read last first. A file that is in no library can be read; its first highlight adds it. \
      An address that `export --links` wrote opens its document at the highlight.

      Examples:
        diple read essay.md
        man ls | col -b | diple read -
      """, aliases: ["open"])

  @OptionGroup var options: GlobalOptions
  @OptionGroup var drawing: DrawOptions
  @OptionGroup var adding: AddOptions
  @Flag(help: "Begin at the start, not where you stopped reading.") var start = false
  @Argument(
    help: """
      Path, title, a unique part of either, or id; - for standard input. When omitted, a list to \
      choose from; in the line editor, the current document.
      """,
    completion: .values(.document))
  var doc: String?

  func run(in context: CommandContext) async throws {
    if options.json {
      throw UserError(
        .usage, "read has no JSON output", hint: "\(command: "show", "--json") prints the page")
    }
    if doc == Self.inputName { return try readInput(in: context) }
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
    let hasTerminal = isatty(0) == 1 && context.terminal.output.isTerminal
    let isList =
      doc == nil && hasTerminal && context.selection.document == nil
      && context.selection.file == nil
    if isList {
      _ = try await DocumentChoices(context, options)
      return try startReader(nil, highlight: nil, options, in: context)
    }
    let document = try await context.open(doc, options).document
    guard hasTerminal else { throw Self.noTerminal }
    try startReader(
      document.map(\.id.description) ?? doc ?? context.selection.file, highlight: highlight,
      options, in: context)
  }

  private static let inputName = ReaderController.inputName
  private static let noTerminal = UserError(
    .usage, "the reader needs a terminal", hint: "\(command: "show") prints the page")

  /// Starts the reader with the text of a pipe.
  private func readInput(in context: CommandContext) throws {
    if adding.adds {
      throw UserError(
        .usage, "standard input cannot be added to a library",
        hint: "save it to a file, and add that")
    }
    guard context.terminal.allowsPrompts, !context.terminal.isInteractive, isatty(0) != 1 else {
      throw UserError(
        .usage, "read - reads a pipe, and there is none",
        hint: "for example: man ls | col -b | diple read -")
    }
    guard context.terminal.output.isTerminal else { throw Self.noTerminal }
    try startReader(Self.inputName, highlight: nil, options, in: context)
  }

  /// Starts the reader. Returns only in the line editor, after the reader has ended.
  ///
  /// - Parameter doc: the name of the document; nil to list all.
  private func startReader(
    _ doc: String?, highlight: Highlight.ID?, _ options: GlobalOptions, in context: CommandContext
  ) throws {
    context.terminal.output.drain()
    context.terminal.errors.flush()
    var words: [String] = []
    if let library = options.library { words += ["--library", library] }
    if let theme = drawing.theme { words += ["--theme", theme.rawValue] }
    if let hides = drawing.hideTitle { words.append(hides ? "--hide-title" : "--no-hide-title") }
    words += ["--color", drawing.noColor ? "never" : drawing.choice.rawValue]
    if start { words.append("--start") }
    if let highlight { words += ["--highlight", highlight.description] }
    if let width = drawing.width { words += ["--width", "\(width)"] }
    words += ["--"] + (doc.map { [$0] } ?? [])
    let reader = Program.sibling("diple-read", words)
    guard context.terminal.isInteractive else { throw reader.replaceThisProcess().userError }
    let code: Int32
    do { code = try reader.run() } catch { throw error.userError }
    if code != 0 { throw ExitCode(code) }
  }
}
