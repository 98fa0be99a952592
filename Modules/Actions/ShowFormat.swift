import Editing
package import Model
import Workspace

/// Shows the format of a passage.
package struct ShowFormat: Action {
  package static let name = "passage.show"
  package static let summary = "Shows the attributes that a passage has."
  package static let effect = ActionEffect.reads
  package static let parameters = [
    .document, ActionParameter("passage", .passage, "The passage.", isRequired: true),
  ]
  package static let examples = [
    ShowFormat(
      document: .example, passage: .spec(SelectionSpec(units: TextRange(utf16: 3..<9))))
  ]

  package var document: Document.ID
  package var passage: RequestedPassage

  package init(document: Document.ID, passage: RequestedPassage) {
    (self.document, self.passage) = (document, passage)
  }

  package func run(in session: ActionSession) async throws -> FormatRecord {
    let library = session.library
    let open = try await library.open(session.document(document))
    return FormatRecord(
      try await library.format(of: open), of: try await passage.range(in: open, of: library),
      in: open)
  }
}

extension FormatRecord: ActionOutcome {
  package var json: String { JSON.line("diple.format/1", self) }
}
