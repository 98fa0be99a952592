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
  @Argument(help: "Path, title, a unique part of either, or id.", completion: .file()) var doc:
    String

  package init() {}

  /// Runs until the user quits the reader.
  package static func main() async -> Never {
    // Let `malloc` return the parser's temporary memory to the system, even after a large text.
    mallopt(M_ARENA_MAX, 1)
    mallopt(M_MMAP_THRESHOLD, 256 << 10)
    signal(SIGPIPE, SIG_IGN)
    let words = parseOrExit()
    guard isatty(0) == 1, isatty(1) == 1 else { end("the reader needs a terminal", code: 2) }
    let environment = CommandContext.standard().terminal.environment
    guard !ColorMode.isDumb(environment) else {
      end("the terminal does not support cursor movement; `diple show` prints the page", code: 2)
    }
    do {
      let controller = try await ReaderController(
        environment, doc: words.doc, library: words.library,
        appearance: ReaderAppearance(words.drawing),
        columns: FullScreen.size.columns, rows: FullScreen.size.rows)
      if let id = words.highlight { await controller.begin(atHighlight: id) }
      let screen = FullScreen(
        hasMouse: controller.reader.hasMouse, ordersText: !controller.refusesOrdering)
      let code = await ReadingLoop(controller, screen).run()
      screen.write(controller.cleanupSequence)
      screen.leave()
      Glibc.exit(code)
    } catch {
      Glibc.exit(Diple.refuse(error))
    }
  }
}
