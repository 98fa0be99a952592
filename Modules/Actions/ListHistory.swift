import Model
import Storage
package import Workspace

/// Lists the steps of the history, newest first.
package struct ListHistory: Action {
  package static let name = "history.list"
  package static let summary = "Lists the changes made, newest first."
  package static let effect = ActionEffect.reads
  package static let parameters = [
    ActionParameter("limit", .integer, "Lists at most this many steps; 50 when omitted.")
  ]
  package static let examples = [ListHistory(limit: 10)]

  package var limit: Int?

  package init(limit: Int? = nil) { self.limit = limit }

  package struct Outcome: ActionOutcome {
    package var steps: [HistoryStep]
    /// The numbers of the unfinished steps that other machines began.
    package var foreignSteps: [Int64]

    package var json: String { JSON.line("diple.history/1", steps.map(HistoryRecord.init)) }
  }

  package func run(in session: ActionSession) async throws -> Outcome {
    // Read the history first, because reading it updates `foreignSteps`.
    let steps = try await session.library.history(limit: min(limit ?? 50, session.rowLimit))
    return Outcome(steps: steps, foreignSteps: await session.library.foreignSteps)
  }
}
