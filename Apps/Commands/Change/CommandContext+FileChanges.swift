import Actions
import Console
import DaemonKit
import Editing
import Model
import Rendering
import SystemSupport
import Workspace

extension CommandContext {
  /// Prints the changes of files: in a dry run the diff, otherwise one line for each written file.
  func show(_ report: ReplaceReport, _ options: GlobalOptions) {
    answer(options, json: ReplaceText.Outcome(report).json) { lines(of: report.changes) }
  }

  /// Prints the diff of each file in a dry run, otherwise one line for each written file.
  ///
  /// - Parameters:
  ///   - isUndo: Whether the files were restored. Then their changes are not counted, because the
  ///     two marks around a formatted passage would count as two changes.
  ///   - doing: The change in words, such as `bold on`; nil for replaced text.
  func lines(of changes: [FileChange], isUndo: Bool = false, doing: String? = nil) {
    for change in changes {
      guard let report = change.report else {
        terminal.writeData(change.diff)
        continue
      }
      let path = shown(change.document.path)
      let places = change.places.counted("place")
      terminal.output.line(
        isUndo
          ? "restored \(path)"
          : doing.map { "\($0.sanitizedForTerminal), \(places) in \(path)" }
            ?? "wrote \(path) (\(places))")
      if !report.affected.isEmpty || report.lostFormats > 0 { notify([report]) }
    }
  }
}
