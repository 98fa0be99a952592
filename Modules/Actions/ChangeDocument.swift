package import Model
import SystemSupport
import Workspace

/// Removes a document and its highlights from the library. The file stays.
package struct RemoveDocument: Action {
  package static let name = "document.remove"
  package static let summary = "Removes a document and its highlights; the file stays."
  package static let effect = ActionEffect.administers
  package static let parameters = [ActionParameter.document]
  package static let examples = [RemoveDocument(document: .example)]

  package var document: Document.ID

  package init(document: Document.ID) { self.document = document }

  package func run(in session: ActionSession) async throws -> RemovalOutcome {
    let document = try await session.library.document(id: document)
    let count = try await session.library.remove(document)
    return RemovalOutcome(
      document: try await session.changed(document, "removed"), highlights: count)
  }
}

/// The result of removing a document.
package struct RemovalOutcome: ActionOutcome {
  package var document: DocumentOutcome
  /// The number of highlights that were removed with it.
  package var highlights: Int

  package var json: String { document.json }
}

/// Restores a removed document and its highlights.
package struct RestoreDocument: DocumentAction {
  package static let name = "document.restore"
  package static let summary = "Restores a removed document and its highlights."
  package static let effect = ActionEffect.administers
  package static let parameters = [ActionParameter.document]
  package static let examples = [RestoreDocument(document: .example)]

  package var document: Document.ID

  package init(document: Document.ID) { self.document = document }

  /// Restores the document, then checks its file.
  ///
  /// - Throws: the errors of `Library.restore`; `unconfirmed` if the document was restored but its
  ///   file could not be checked.
  package func run(in session: ActionSession) async throws -> DocumentOutcome {
    let library = session.library
    let document = try await library.document(id: document)
    _ = try await library.restore(document)
    let reports: [RefreshReport]
    do {
      reports = try await library.refresh([try await library.document(id: document.id)])
    } catch {
      // The document is restored, so the action must not be repeated.
      throw UserError(
        .unconfirmed,
        "\(document.shownPath) is restored, but its file was not checked: \(error.message)",
        hint: "\(action: RefreshDocuments.name) checks it")
    }
    var outcome = try await session.changed(document, "restored")
    outcome.reports = reports
    return outcome
  }
}

/// Changes the title of a document in the library.
package struct RenameDocument: DocumentAction {
  package static let name = "document.rename"
  package static let summary = "Changes a document's title in the library; the file stays the same."
  package static let effect = ActionEffect.administers
  package static let parameters = [
    ActionParameter.document,
    ActionParameter("title", .text, "The new title.", isRequired: true),
  ]
  package static let examples = [RenameDocument(document: .example, title: "On reading")]

  package var document: Document.ID
  package var title: String

  package init(document: Document.ID, title: String) {
    (self.document, self.title) = (document, title)
  }

  package func run(in session: ActionSession) async throws -> DocumentOutcome {
    let document = try await session.document(document)
    do throws(UserError) { try await session.library.rename(document, to: title) } catch {
      throw error.code == .usage ? error.about("title") : error
    }
    return try await session.changed(document, "renamed")
  }
}

/// Points a document at another file and locates its highlights there.
package struct LinkDocument: DocumentAction {
  package static let name = "document.link"
  package static let summary = "Links a document to another file, for example after a move."
  package static let effect = ActionEffect.administers
  package static let parameters = [
    ActionParameter.document,
    ActionParameter("path", .text, "The path of the file.", isRequired: true),
  ]
  package static let examples = [LinkDocument(document: .example, path: "/home/ada/essay.md")]

  package var document: Document.ID
  package var path: String

  package init(document: Document.ID, path: String) {
    (self.document, self.path) = (document, path)
  }

  package func run(in session: ActionSession) async throws -> DocumentOutcome {
    let document = try await session.document(document)
    let report = try await session.library.link(document, to: path)
    var outcome = try await session.changed(document, "linked")
    outcome.reports = [report]
    return outcome
  }
}

/// Separates documents that were merged across devices.
package struct UnlinkDocument: Action {
  package static let name = "document.unlink"
  package static let summary = "Separates documents that were merged across devices."
  package static let effect = ActionEffect.administers
  package static let parameters = [ActionParameter.document]
  package static let examples = [UnlinkDocument(document: .example)]

  package var document: Document.ID

  package init(document: Document.ID) { self.document = document }

  package func run(in session: ActionSession) async throws -> DocumentsOutcome {
    let document = try await session.document(document)
    let documents = try await session.library.separate(document)
    return try await DocumentsOutcome(documents, in: session.library)
  }
}

extension ActionSession {
  /// Returns the outcome of a change that was stored.
  ///
  /// - Parameter done: the change in the past tense, for the message of the error.
  ///
  /// - Throws: `unconfirmed` if the library cannot be read any more.
  fileprivate func changed(_ document: Document, _ done: String) async throws -> DocumentOutcome {
    do {
      var outcome = try await DocumentOutcome(document.id, in: library)
      outcome.before = document
      return outcome
    } catch let error as UserError {
      throw UserError(
        .unconfirmed,
        "\(done) \(document.shownPath), but the library cannot be read any more: \(error.message)"
      )
    }
  }
}
