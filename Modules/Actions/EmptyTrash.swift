import Model
import Workspace

/// Restores highlights and documents from the trash, all or none, in one step.
package struct RestoreFromTrash: Action {
  package static let name = "trash.restore"
  package static let summary = "Restores highlights and documents from the trash in one step."
  package static let effect = ActionEffect.administers
  package static let parameters = [
    ActionParameter(
      "records", .list(.text), "Ids or numbers; of documents also paths and titles.",
      isRequired: true)
  ]
  package static let examples = [RestoreFromTrash(["4-7f3a0c5d9e1b2846"])]

  package var records: [String]

  package init(_ records: [String]) { self.records = records }

  /// Restores the records, then checks the files of the documents.
  ///
  /// - Throws: the errors of `Library.restoreFromTrash`, which then restored nothing; those of
  ///   `Library.refresh`.
  package func run(in session: ActionSession) async throws -> TrashOutcome {
    let library = session.library
    var outcome = TrashOutcome(try await library.restoreFromTrash(records))
    // Read the documents again. The earlier records are marked as removed, so `refresh` would skip
    // them.
    var restored: [Document] = []
    for document in outcome.contents.documents {
      restored.append(try await library.document(id: document.id))
    }
    outcome.reports = try await library.refresh(restored)
    return outcome
  }
}

/// Deletes the contents of the trash.
package struct EmptyTrash: Action {
  package static let name = "trash.empty"
  package static let summary = "Deletes everything in the trash permanently; files stay."
  package static let effect = ActionEffect.administers
  package static let parameters = [ActionParameter.dryRun]
  package static let examples = [EmptyTrash(dryRun: true)]

  package var dryRun: Bool?

  package init(dryRun: Bool? = nil) { self.dryRun = dryRun }

  package func run(in session: ActionSession) async throws -> TrashOutcome {
    TrashOutcome(try await session.library.emptyTrash(dryRun: dryRun ?? false))
  }
}
