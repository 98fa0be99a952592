package import ArgumentParser
import CMalloc
import Commands
import Console
import Glibc
import Reader
import Rendering
import SystemSupport

/// The full-screen reader `diple-read`, which is started by `diple read`.
package struct ReaderProgram: ParsableCommand {
  package static let configuration = CommandConfiguration(
    commandName: "diple-read", abstract: "Read a document full-screen.",
    discussion: "`diple read` starts it. ? lists the keys. Example: diple-read notes.md")

  @Option(help: ArgumentHelp("Folder of the library.", valueName: "dir"), completion: .directory)
  var library: String?
  @OptionGroup var drawing: DrawOptions
  @Option(help: ArgumentHelp("Begin at a highlight.", valueName: "id")) var highlight: String?
  @Flag(help: "Begin at the start, not where you stopped reading.") var start = false
  @Flag(help: "Print the path of a document chosen from a list; DOC is the initial filter.")
  var pick = false
  @Flag(help: "With --pick, write JSON.") var json = false
  @Argument(
    help: """
      Path, title, a unique part of either, or id; - for standard input. A list to choose from when \
      omitted.
      """, completion: .file())
  var doc: String?

  package init() {}

  /// Runs until the user quits the reader.
  package static func main() async -> Never {
    // Let `malloc` return the parser's temporary memory to the system, even after a large text.
    mallopt(M_ARENA_MAX, 1)
    mallopt(M_MMAP_THRESHOLD, 256 << 10)
    signal(SIGPIPE, SIG_IGN)
    let words = parseOrExit()
    let isInput = words.doc == "-" && !words.pick
    guard words.pick || (isInput || isatty(0) == 1) && isatty(1) == 1 else {
      end("the reader needs a terminal", code: 2)
    }
    let environment = CommandContext.standard().terminal.environment
    guard !ColorMode.isDumb(environment) else {
      end("the terminal does not support cursor movement; `diple show` prints the page", code: 2)
    }
    do {
      if words.pick { try await words.printChoice() }
      let input = isInput ? try readInput() : nil
      let choice = words.doc == nil ? try await words.choose("Read") : nil
      let controller = try await ReaderController(
        environment, doc: choice?.name ?? words.doc ?? "", library: words.library,
        appearance: ReaderAppearance(words.drawing),
        columns: FullScreen.size.columns, rows: FullScreen.size.rows,
        startsAtTop: words.start || choice?.heading != nil, input: input)
      controller.begin(at: choice?.heading)
      if let id = words.highlight { await controller.begin(atHighlight: id) }
      let screen = FullScreen(
        hasMouse: controller.reader.hasMouse, ordersText: !controller.refusesOrdering)
      let end = await ReadingLoop(controller, screen).run()
      controller.keepPlace()
      screen.write(controller.cleanupSequence)
      screen.leave()
      end.leaveProcess()
    } catch {
      Glibc.exit(Diple.refuse(error))
    }
  }

  /// Reads the text of a pipe to its end, and connects standard input to the terminal.
  ///
  /// - Throws: ``UserError`` with the code `usage` if the text is too large or not text, or if there
  ///   is no terminal.
  private static func readInput() throws -> [UInt8] {
    let bytes = try CommandContext.standard().pipedText()
    try ControllingTerminal.connect([0])
    return bytes
  }

  /// Lets the user choose a document. Exits with code 130 if the user leaves the list.
  private func choose(_ name: String, query: String = "") async throws -> DocumentChoice {
    var options = GlobalOptions.none
    options.library = library
    let choices = try await DocumentChoices(.standard(), options)
    let screen = FullScreen(hasMouse: true, ordersText: true)
    let end = PickingLoop(name, choices, screen, query: query).run()
    screen.leave()
    switch end {
    case .chosen(let choice): return choice
    case .cancelled: Glibc.exit(130)
    case .closed: Glibc.exit(129)
    }
  }

  /// Lets the user choose a document on the terminal, and prints it on standard output.
  private func printChoice() async throws -> Never {
    let output = dup(1)
    guard output >= 0 else { throw UserError(.usage, "there is no standard output") }
    try ControllingTerminal.connect([0, 1])
    let choice = try await choose("Pick", query: doc ?? "")
    dup2(output, 1)
    try choice.write(json: json)
    Glibc.exit(0)
  }
}
