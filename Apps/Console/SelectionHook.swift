import Configuration
import DaemonKit
import FoundationEssentials
import Glibc
package import MarkdownParse
package import Model
import SystemSupport

/// Tells a person's own program what is selected now: the setting `select.hook`.
///
/// The program is handed the path of a file with `diple.selection/1`, as a hook of the daemon is, and
/// the file is deleted when it has ended. Nobody waits for it, and what it prints goes nowhere: the
/// terminal is the front-end's.
package struct SelectionHook {
  private var told: Told?
  /// The text of what was told.
  private var toldText: ParsedDocument?

  private struct Told: Hashable {
    var document: Document.ID?
    var range: TextRange
  }

  /// Runs the program when nothing is selected any more: it gets the place where the last selection
  /// began, without text.
  package mutating func tellNothing(_ context: CommandContext, _ options: GlobalOptions) {
    guard let told, let toldText else { return }
    let start = told.range.lowerBound
    tell(TextRange(start, start), in: toldText, of: told.document, context, options)
  }

  /// Runs the program when the selection is another one than when this was last called. A caret is a
  /// selection of no text, and before the first selection nothing is told.
  package mutating func tell(
    _ range: TextRange, in parsed: ParsedDocument, of document: Document.ID?,
    _ context: CommandContext,
    _ options: GlobalOptions
  ) {
    let now = Told(document: document, range: range)
    guard now != told, !range.isEmpty || told?.range.isEmpty == false else { return }
    (told, toldText) = (now, parsed)
    guard let command = try? context.libraries.settings(options).text(.selectHook), !command.isEmpty
    else {
      return
    }
    let record = SelectionRecord.line(range, in: parsed) + "\n"
    guard
      let file = TemporaryFile(
        "selection", holding: record, environment: context.terminal.environment)
    else { return }
    // The shell ends at once, and leaves the command behind.
    let line = "{ (\(command) \"$1\"); rm -f \"$1\"; } </dev/null >/dev/null 2>&1 &"
    if ShellCommand(script: line, file.path).run() != 0 { unlink(file.path) }
  }
}
