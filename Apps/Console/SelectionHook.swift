import Actions
import Configuration
import DaemonKit
import FoundationEssentials
import Glibc
package import MarkdownParse
package import Model
import SystemSupport

/// Runs the program of the setting `select.hook` when the selection changes.
///
/// The program receives the path of a file with `diple.selection/1`, like a hook of the daemon. The
/// file is deleted when the program ends. The program runs in the background, and its output is
/// discarded because the terminal belongs to the front end.
package struct SelectionHook {
  private var last: Reported?
  /// The text of the last reported selection.
  private var lastText: ParsedDocument?

  private struct Reported: Hashable {
    var document: Document.ID?
    var range: TextRange
  }

  /// Runs the program after the selection was cleared. It receives an empty range at the start of
  /// the last selection.
  package mutating func notifyCleared(_ context: CommandContext, _ options: GlobalOptions) {
    guard let last, let lastText else { return }
    let start = last.range.lowerBound
    notify(TextRange(start, start), in: lastText, of: last.document, context, options)
  }

  /// Runs the program if the selection differs from that of the last call. A caret is an empty
  /// selection. Empty selections before the first one with text aren't reported.
  package mutating func notify(
    _ range: TextRange, in parsed: ParsedDocument, of document: Document.ID?,
    _ context: CommandContext,
    _ options: GlobalOptions
  ) {
    let now = Reported(document: document, range: range)
    guard now != last, !range.isEmpty || last?.range.isEmpty == false else { return }
    (last, lastText) = (now, parsed)
    guard let command = try? context.libraries.settings(options).text(.selectHook), !command.isEmpty
    else {
      return
    }
    let record = SelectionRecord.line(range, in: parsed) + "\n"
    guard
      let file = TemporaryFile(
        "selection", containing: record, environment: context.terminal.environment)
    else { return }
    // The shell exits immediately and the command continues in the background.
    let line = "{ (\(command) \"$1\"); rm -f \"$1\"; } </dev/null >/dev/null 2>&1 &"
    if ShellCommand(script: line, file.path).run() != 0 { unlink(file.path) }
  }
}
