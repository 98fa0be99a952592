import Console
import DaemonKit
import Editing
import Model
import Rendering
import SystemSupport
import Workspace

/// `diple.change/1`: what is changed in files.
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

/// One file's part of it.
struct FileChangeRecord: Encodable {
  var document: HighlightRecord.DocumentReference
  var places: Int
  var written: Bool
  var diff: String
  var highlights: [RefreshRecord.OutcomeRecord]

  init(_ change: FileChange) {
    document = .init(change.document)
    places = change.places
    written = change.report != nil
    diff = change.diff
    highlights = change.report.map { RefreshRecord($0).outcomes } ?? []
  }
}

extension CommandContext {
  /// Says what became of files: the diff of what would be written, or a line for what was.
  func say(
    _ changes: [FileChange], _ options: GlobalOptions, refused: [ReplaceReport.Refusal] = []
  ) {
    answer(options, "diple.change/1", ChangeRecord(changes, refused)) { lines(of: changes) }
  }

  /// The diff of what would be written into each file, or a line for what was.
  func lines(of changes: [FileChange]) {
    for change in changes {
      guard let report = change.report else {
        terminal.writeData(change.diff)
        continue
      }
      let places = change.places.counted("place")
      terminal.output.line(
        "wrote \(change.document.path.string.sanitizedForTerminal) (\(places))")
      if !report.outcomes.isEmpty { terminal.notify([report]) }
    }
  }
}
