package import Model
package import Workspace

/// Lists the documents of a library.
package struct ListDocuments: Action {
  package static let name = "document.list"
  package static let summary = "Lists the documents, after checking their files."
  package static let effect = ActionEffect.reads
  package static let parameters: [ActionParameter] = []
  package static let examples = [ListDocuments()]

  package init() {}

  package func run(in session: ActionSession) async throws -> DocumentsOutcome {
    let reports = try await session.refreshAll()
    var outcome = try await DocumentsOutcome(session.library.documents(), in: session.library)
    outcome.reports = reports
    return outcome
  }
}

/// Documents after an action, with their highlights counted by state.
package struct DocumentsOutcome: ActionOutcome {
  package var documents: [(document: Document, counts: [AnchorState: Int])]
  package var location: LibraryLocation
  /// The reports of checking files; empty if the action checked none.
  package var reports: [RefreshReport] = []

  init(_ documents: [Document], in library: Library) async throws {
    let counts = try await library.highlightCounts()
    self.documents = documents.map { ($0, counts[$0.id] ?? [:]) }
    location = library.location
  }

  package var json: String {
    JSON.line(
      "diple.documents/1",
      documents.map { DocumentRecord($0.document, counts: $0.counts, in: location) })
  }
}

/// Shows a document.
package struct ShowDocument: DocumentAction {
  package static let name = "document.show"
  package static let summary = "Shows a document and its dialect, after checking its file."
  package static let effect = ActionEffect.reads
  package static let parameters = [ActionParameter.document]
  package static let examples = [ShowDocument(document: .example)]

  package var document: Document.ID

  package init(document: Document.ID) { self.document = document }

  package func run(in session: ActionSession) async throws -> DocumentOutcome {
    let library = session.library
    let found = try await session.document(document, orRemoved: true)
    let reports = found.state == .removed ? [] : try await library.refresh([found])
    var outcome = try await DocumentOutcome(document, in: library)
    outcome.dialect = library.dialects.choice(
      for: library.location.absolute(outcome.document.path))
    outcome.reports = reports
    return outcome
  }
}

/// An action on one document.
package protocol DocumentAction: Action where Outcome == DocumentOutcome {
  var document: Document.ID { get }
}

/// A document after an action, with its highlights counted by state.
package struct DocumentOutcome: ActionOutcome {
  package var document: Document
  /// The document before the action; nil if the action only reads.
  package var before: Document?
  package var counts: [AnchorState: Int]
  package var location: LibraryLocation
  /// The dialect; nil if the action does not return it.
  package var dialect: DialectChoice?
  /// The reports of checking the document's file; empty if the action did not check it.
  package var reports: [RefreshReport] = []

  /// Reads a document and the counts of its highlights.
  ///
  /// - Throws: `notFound` if the document does not exist.
  package init(_ id: Document.ID, in library: Library) async throws {
    document = try await library.document(id: id)
    counts = try await library.highlightCounts(of: id)[id] ?? [:]
    location = library.location
  }

  /// The number of highlights.
  package var highlights: Int { counts.values.reduce(0, +) }

  package var json: String {
    JSON.line("diple.document/1", DocumentRecord(document, counts: counts, in: location, dialect))
  }
}
