package import Configuration
package import FoundationEssentials
package import Model
import Rendering
package import Storage
package import SystemSupport
package import Workspace

/// The context in which a front-end runs actions: its library, limits and state.
package struct ActionSession: Sendable {
  package let library: Library
  /// The time at which the session began. For a document, `history.undo` reverts an earlier step
  /// only if the step changed just that document.
  package var began = Date.distantPast
  /// Whether requests can refer to highlights in the trash. False for pages, which do not show
  /// them.
  package var seesTrash = true
  /// The maximum number of rows of a list in an outcome. Pages set a lower limit.
  package var rowLimit = Int(Int32.max)
  /// The maximum duration of a search; nil for no limit.
  package var searchTime: Duration?
  /// Returns whether a daemon reports that the library is up to date with all its files.
  package var filesAreSettled: @Sendable () -> Bool = { false }
  /// Returns the current settings of the user and the library.
  package var settings: @Sendable () throws(UserError) -> Settings
  /// The environment that locates the user's files, such as the settings.
  package var environment = ProcessInfo.processInfo.environment
  /// Returns the state of the library's daemon; nil if the front-end does not know it.
  package var daemon: @Sendable () async -> DaemonState? = { nil }
  /// Returns a text that the front-end has shown, by its digest; nil if it is unknown. The library
  /// stores earlier texts only of documents with highlights.
  package var shownText: @Sendable (ContentDigest) -> String? = { _ in nil }

  /// Creates a session that can undo all earlier steps. `settings` reads the environment of the
  /// process and the file of the library at each call.
  package init(_ library: Library) {
    self.library = library
    settings = { [folder = library.location.folder] () throws(UserError) in
      do throws(SettingsError) {
        return try Settings(
          environment: ProcessInfo.processInfo.environment, library: folder)
      } catch { throw UserError(error) }
    }
  }

  /// Checks the files of all documents, unless a daemon reports that the library is up to date.
  /// Returns the reports of files that changed or cannot be read.
  ///
  /// - Throws: `damaged` or `conflict` if the library cannot be read or written.
  package func refreshAll() async throws -> [RefreshReport] {
    filesAreSettled() ? [] : try await library.refreshChanged()
  }

  /// Returns the highlight with an id.
  ///
  /// - Throws: ``UserError`` with the code `notFound` and the path `parameter`, if the highlight
  ///   does not exist, or it is in the trash and the session does not see the trash.
  package func highlight(_ id: Highlight.ID, _ parameter: String = "highlight") async throws
    -> Highlight
  {
    let highlight: Highlight
    do throws(UserError) { highlight = try await library.highlight(id: id) } catch {
      throw error.about(parameter)
    }
    guard seesTrash || !highlight.isTrashed else {
      throw UserError(
        .notFound, "the highlight was removed",
        remedy: .action(
          RestoreHighlights.name,
          ["highlights": .records([id.description], names: [highlight.shortID])])
      ).about(parameter)
    }
    return highlight
  }

  /// Returns the documents with the ids in a request's member `documents`, in the same order.
  ///
  /// - Throws: ``UserError`` with the code `notFound` and the path of the first document that does
  ///   not exist.
  func documents(_ ids: [Document.ID]) async throws -> [Document] {
    var documents: [Document] = []
    for (index, id) in ids.enumerated() {
      do throws(UserError) { documents.append(try await library.document(id: id)) } catch {
        throw error.about("documents.\(index)")
      }
    }
    return documents
  }

  /// Returns the document with an id.
  ///
  /// - Parameter orRemoved: Whether a removed document is returned, too, if the session sees the
  ///   trash.
  /// - Throws: ``UserError`` with the code `notFound` if it does not exist or was removed.
  package func document(_ id: Document.ID, orRemoved: Bool = false) async throws -> Document {
    let document: Document
    do throws(UserError) { document = try await library.document(id: id) } catch {
      throw error.about("document")
    }
    guard document.state != .removed || orRemoved && seesTrash else {
      throw UserError(
        .notFound, "the document was removed from the library",
        remedy: .action(
          RestoreDocument.name,
          ["document": .record(id.description, name: document.shortID)])
      ).about("document")
    }
    return document
  }

  /// Returns the scope of undo and redo: the steps that concern a document, and those for the whole
  /// library since the session began. Nil, for all steps, if `document` is nil.
  package func scope(_ document: Document.ID?) -> SessionScope? {
    document.map { SessionScope(document: $0, began: began) }
  }
}

extension UserError {
  /// Converts a problem with the settings to an error of a command. The code is `conflict` if the
  /// environment is the cause, or else `usage`.
  package init(_ problem: SettingsError) {
    self.init(
      problem.isEnvironmental ? .conflict : .usage, problem.description.sanitizedForTerminal,
      hint: problem.hint)
  }
}
