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
  /// - Parameter isUndo: Whether the files were restored. Then their changes are not counted,
  ///   because the two marks around a formatted passage would count as two changes.
  func lines(of changes: [FileChange], isUndo: Bool = false) {
    for change in changes {
      guard let report = change.report else {
        terminal.writeData(change.diff)
        continue
      }
      let path = shown(change.document.path)
      terminal.output.line(
        isUndo ? "restored \(path)" : "wrote \(path) (\(change.places.counted("place")))")
      if !report.outcomes.isEmpty { notify([report]) }
    }
  }
}
