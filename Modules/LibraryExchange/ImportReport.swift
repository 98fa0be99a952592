package import Model
package import SystemSupport
import Workspace

/// The outcome of importing highlights.
package struct ImportReport: Sendable {
  /// The files that were read, with their format and counts.
  package var sources: [Source] = []
  /// The new highlights with their documents. Some may have an uncertain location or none.
  package var made: [(highlight: Highlight, document: Document)] = []
  /// The highlights that changed at their source since the last import, in their new state, with
  /// their documents.
  package var updated: [(highlight: Highlight, document: Document)] = []
  /// The number of highlights that were already in the library.
  package var known = 0
  /// The files of quotes for texts that the library does not have, and whether each file is new.
  package var books: [(document: Document, isNew: Bool)] = []
  /// Conflicts between changes in the library and at the source, in which the value in the library
  /// was kept; one line each.
  package var kept: [String] = []
  /// The records that were skipped, with the reason; one line each.
  package var skipped: [String] = []
  /// The errors that prevented an import into a document; one for each document.
  package var problems: [UserError] = []
  /// The number of highlights that could not be imported because of ``problems``.
  package var failed = 0
  /// The error because of which the import may not be durable; nil if it is durable.
  package var unconfirmed: UserError?

  /// The content of one file, or of the clipboard.
  package struct Source: Hashable, Sendable {
    /// The name of the format.
    package var format: String
    /// The number of highlights in it.
    package var highlights: Int
    /// The number of documents to which they belong.
    package var documents: Int
    /// Whether it contains dates without a time zone, which are interpreted in the local one.
    package var hasLocalDates: Bool
  }

  package init() {}

  /// The number of new highlights that have a location.
  package var placed: Int { made.count { $0.highlight.anchor.range != nil } }

  /// Appends the report of the next part of the import. O(next).
  package mutating func add(_ next: ImportReport) {
    sources += next.sources
    made += next.made
    updated += next.updated
    known += next.known
    books += next.books
    kept += next.kept
    skipped += next.skipped
    problems += next.problems
    failed += next.failed
    unconfirmed = unconfirmed ?? next.unconfirmed
  }
}
