package import Model
package import Workspace

/// Checks the files of documents for changes, and finds files that were moved.
package struct RefreshDocuments: Action {
  package static let name = "document.refresh"
  package static let summary = "Checks files for changes, and finds their highlights again."
  package static let effect = ActionEffect.reads
  package static let opening = Library.Opening.readOnly
  package static let parameters = [ActionParameter.documents]
  package static let examples = [RefreshDocuments(documents: [.example])]

  package var documents: [Document.ID]?

  package init(documents: [Document.ID]? = nil) { self.documents = documents }

  package struct Outcome: ActionOutcome {
    package var reports: [RefreshReport]

    package var json: String { JSON.line("diple.refresh/1", reports.map(RefreshRecord.init)) }
  }

  package func run(in session: ActionSession) async throws -> Outcome {
    var named: [Document]?
    if let documents { named = try await session.documents(documents) }
    return Outcome(reports: try await session.library.refresh(named, searching: true))
  }
}
