import Actions
import ArgumentParser
import Console
import DaemonKit
import FoundationEssentials
import Glibc
import Model
import Reader
import SystemSupport
import Workspace

/// The `pick` command, which prints the path of a document that the user chooses.
struct PickCommand: ContextCommand {
  static let configuration = CommandConfiguration(
    commandName: "pick",
    abstract: "Choose a document from a list, and print its path.",
    discussion: """
      The list is full-screen. It has the documents read last first, and is filtered while you \
      type: the letters must occur in this order in the title, the path or a heading. Enter prints \
      the path, Esc ends with exit code 130.

      Without a terminal, prints the only document that fits QUERY, or lists those that fit.

      Examples:
        vim "$(diple pick)"
        diple pick walden --json
      """)

  @OptionGroup var options: GlobalOptions
  @Argument(help: "Letters of the title, the path or a heading.") var query: [String] = []

  func run(in context: CommandContext) async throws {
    let query = query.joined(separator: " ")
    if Self.hasTerminal(context) {
      // Report errors before the list takes over the screen.
      _ = try await DocumentChoices(context, options)
      context.terminal.output.drain()
      context.terminal.errors.flush()
      var words = ["--pick"]
      if options.json { words.append("--json") }
      if let library = options.library { words += ["--library", library] }
      let picker = Program.sibling("diple-read", words + ["--", query])
      guard context.terminal.isInteractive else { throw picker.replaceThisProcess().userError }
      let code: Int32
      do { code = try picker.run() } catch { throw error.userError }
      if code != 0 { throw ExitCode(code) }
      return
    }
    try Self.write(try await only(query, in: context), json: options.json, to: context)
  }

  private static func hasTerminal(_ context: CommandContext) -> Bool {
    guard context.terminal.allowsPrompts,
      context.terminal.output.isTerminal || context.terminal.errors.isTerminal
    else { return false }
    let device = Glibc.open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC)
    guard device >= 0 else { return false }
    close(device)
    return true
  }

  /// The number of documents that an error lists.
  private static let shownCandidates = 20

  /// Returns the only document that fits the query. Headings are only compared if no title or path
  /// fits.
  ///
  /// - Throws: ``UserError`` with the code `nothing` if none fits, `ambiguous` if several do.
  private func only(_ query: String, in context: CommandContext) async throws -> DocumentChoice {
    let choices = try await DocumentChoices(context, options)
    var picker = Picker("", choices.entries, query: query, columns: 80, rows: 24)
    if picker.matches.isEmpty { picker.add(choices.readHeadings()) }
    guard let first = picker.matches.first else {
      throw UserError(
        .nothing, "no document fits '\(query)'", hint: "\(command: "doc", "list") lists them")
    }
    guard picker.matches.count == 1 else {
      throw UserError(
        .ambiguous,
        query.isEmpty
          ? "there are \(picker.matches.count.counted("document")) to choose from"
          : "'\(query)' fits \(picker.matches.count.counted("document"))",
        hint: "write more of the title or path, or choose in a terminal",
        candidates: picker.matches.prefix(Self.shownCandidates).map {
          let entry = choices.entries[$0.entry]
          return "\(entry.path)  \(entry.title)"
        })
    }
    return choices.choice(first.entry, heading: first.heading)
  }
}

extension PickCommand {
  /// A chosen document in JSON.
  struct Record: Encodable {
    struct Heading: Encodable {
      var text: String
      var offset: TextOffset
    }
    @Nullable var document: Document.ID?
    var path: String
    var title: String
    @Nullable var heading: Heading?
  }

  /// Prints the path of a chosen document, or its record in JSON.
  static func write(_ choice: DocumentChoice, json: Bool, to context: CommandContext) throws {
    var options = GlobalOptions.none
    options.json = json
    let heading = choice.heading.map { Record.Heading(text: $0.text, offset: $0.offset) }
    context.answer(
      options, "diple.pick/1",
      Record(
        document: choice.document, path: choice.path, title: choice.title, heading: heading)
    ) {
      context.terminal.writeData(FileSystem.shown(choice.path) + "\n")
    }
  }
}

extension DocumentChoice {
  /// Prints the path of the document on standard output, or its record in JSON.
  package func write(json: Bool) throws {
    let context = CommandContext.standard()
    try PickCommand.write(self, json: json, to: context)
    context.terminal.output.flush()
  }
}
