import Configuration
import FoundationEssentials
import Glibc
import MarkdownParse
import Model

/// Tells a person's own program what is selected now: the setting `select.hook`.
///
/// The program is handed the path of a file with `diple.selection/1`, as a hook of the daemon is, and
/// the file is taken away when it has ended. Nobody waits for it, and what it prints goes nowhere: the
/// terminal is the front-end's.
struct SelectionHook {
  private var told: Told?

  private struct Told: Hashable {
    var document: Document.ID?
    var range: TextRange
  }

  /// Runs the program when the selection is another one than when this was last called. A caret is a
  /// selection of no text, and before the first selection nothing is told.
  mutating func tell(
    _ range: TextRange, in parsed: ParsedDocument, of document: Document.ID?, _ session: Session,
    _ options: GlobalOptions
  ) {
    let now = Told(document: document, range: range)
    guard now != told, !range.isEmpty || told?.range.isEmpty == false else { return }
    told = now
    guard let command = try? session.settings(options).text(.selectHook), !command.isEmpty else {
      return
    }
    let folder = session.environment["TMPDIR"].flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
    var template = Array("\(folder)/diple-selection-XXXXXX".utf8CString)
    let descriptor = mkstemp(&template)
    guard descriptor >= 0 else { return }
    let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let output = Output(descriptor: descriptor)
    output.line(SelectionRecord.line(range, in: parsed))
    output.flush()
    close(descriptor)
    // The shell ends at once, and leaves the command behind.
    let line = "{ (\(command) \"$1\"); rm -f \"$1\"; } </dev/null >/dev/null 2>&1 &"
    if ShellCommand(script: line, path).run() != 0 { unlink(path) }
  }
}
