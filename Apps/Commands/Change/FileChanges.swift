import Actions
import Console
import DaemonKit
import Editing
import Model
import Rendering
import SystemSupport
import Workspace

/// The changes of files, a record of the schema `diple.change/1`.
struct ChangeRecord: Encodable {
  struct Refusal: Encodable {
    var document: HighlightRecord.DocumentReference
    var line: Int
    var column: Int
    var text: String
    var reason: String
  }

  var files: [FileChangeRecord]
  var refused: [Refusal]

  init(_ changes: [FileChange], _ refused: [ReplaceReport.Refusal]) {
    files = changes.map(FileChangeRecord.init)
    self.refused = refused.map {
      Refusal(
        document: .init($0.document), line: $0.position.line, column: $0.position.column,
        text: $0.words, reason: $0.reason.description)
    }
  }
}

extension CommandContext {
  /// Prints the changes of files: the diff in a dry run, or else one line for each written file.
  func show(
    _ changes: [FileChange], _ options: GlobalOptions, refused: [ReplaceReport.Refusal] = []
  ) {
    answer(options, "diple.change/1", ChangeRecord(changes, refused)) { lines(of: changes) }
  }

  /// Prints the diff of each file in a dry run, or else one line for each written file.
  ///
  /// - Parameter isUndo: Whether the files were restored. Then their changes are not counted, because
  ///   the marks at both ends of one formatted passage are two.
  func lines(of changes: [FileChange], isUndo: Bool = false) {
    for change in changes {
      guard let report = change.report else {
        terminal.writeData(change.diff)
        continue
      }
      let path = change.document.path.string.sanitizedForTerminal
      terminal.output.line(
        isUndo ? "restored \(path)" : "wrote \(path) (\(change.places.counted("place")))")
      if !report.outcomes.isEmpty { terminal.notify([report]) }
    }
  }
}
