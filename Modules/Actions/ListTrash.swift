import SystemSupport
package import Workspace

/// Lists the removed highlights and documents.
package struct ListTrash: Action {
  package static let name = "trash.list"
  package static let summary = "Lists removed highlights and documents."
  package static let effect = ActionEffect.reads
  package static let parameters: [ActionParameter] = []
  package static let examples = [ListTrash()]

  package init() {}

  package func run(in session: ActionSession) async throws -> TrashOutcome {
    guard session.seesTrash else { throw UserError(.usage, "the trash is not listed here") }
    return TrashOutcome(try await session.library.trash())
  }
}

/// Contents of the trash.
package struct TrashOutcome: ActionOutcome {
  package var contents: TrashContents
  /// The reports of checking the files of restored documents.
  package var reports: [RefreshReport] = []

  package init(_ contents: TrashContents) { self.contents = contents }

  /// The record `diple.trash/1`.
  private struct Record: Encodable {
    var highlights: [HighlightRecord]
    var documents: [HighlightRecord.DocumentReference]
  }

  package var json: String {
    JSON.line(
      "diple.trash/1",
      Record(
        highlights: contents.highlights.map { HighlightRecord($0.highlight, in: $0.document) },
        documents: contents.documents.map { .init($0) }))
  }
}
