import FoundationEssentials
package import Model
package import SystemSupport
package import Workspace

/// Lists the events of a highlight, oldest first.
package struct HighlightLog: Action {
  package static let name = "highlight.log"
  package static let summary =
    "Lists a highlight's changes, places in each text and git commits, oldest first."
  package static let effect = ActionEffect.reads
  package static let parameters = [ActionParameter.highlight]
  package static let examples = [HighlightLog(highlight: .example)]

  package var highlight: Highlight.ID

  package init(highlight: Highlight.ID) { self.highlight = highlight }

  package struct Outcome: ActionOutcome {
    package var entries: [LogEntry]
    /// The reason why git commits are missing from the entries; nil if they are complete.
    package var problem: UserError?
    /// The reports of checking the document's file.
    package var reports: [RefreshReport]

    package var json: String { JSON.line("diple.log/1", entries.map(LogRecord.init)) }
  }

  package func run(in session: ActionSession) async throws -> Outcome {
    let shown = try await ShowHighlight(highlight: highlight).run(in: session)
    let (entries, problem) = try await session.library.log(of: shown.highlight)
    return Outcome(entries: entries, problem: problem, reports: shown.reports)
  }
}

/// An entry of the history, an element of `diple.log/1`.
private struct LogRecord: Encodable {
  struct CommitRecord: Encodable {
    var hash: String
    var author: String
    var subject: String
  }

  var date: Date
  var kind: String
  @Nullable var field: String?
  @Nullable var state: AnchorState?
  @Nullable var range: TextRange?
  @Nullable var before: String?
  @Nullable var after: String?
  @Nullable var commit: CommitRecord?

  init(_ entry: LogEntry) {
    date = entry.date
    switch entry.event {
    case .operation(let operation):
      kind = "operation"
      field = operation.field.rawValue
      (before, after) = (operation.previous.text, operation.value.text)
    case .seen(let anchor, let words):
      kind = "seen"
      (state, range, after) = (anchor.state, anchor.range, words)
    case .commit(let hash, let author, let subject, let before, let after):
      kind = "commit"
      (self.before, self.after) = (before, after)
      commit = CommitRecord(hash: hash, author: author, subject: subject)
    }
  }
}

extension Operation.Value {
  /// The value as text. Nil if the field had no value.
  fileprivate var text: String? {
    switch self {
    case .none: nil
    case .flag(let isOn): isOn ? "true" : "false"
    case .text(let text): text
    case .selector(let selector): selector.exact
    case .reference(let dot): dot.description
    case .other: "(from a newer Diple)"
    }
  }
}
