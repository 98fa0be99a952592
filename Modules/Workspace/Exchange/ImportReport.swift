package import Model
package import SystemSupport

/// What importing highlights did.
package struct ImportReport: Sendable {
  /// What was read: the form, and how many highlights of how many documents.
  package var sources: [Source] = []
  /// The highlights that are new, with their documents; some may be doubtful or orphaned.
  package var made: [(highlight: Highlight, document: Document)] = []
  /// Those that their source says otherwise since the last import, as they are now.
  package var updated: [(highlight: Highlight, document: Document)] = []
  /// How many were in the library already.
  package var known = 0
  /// The documents that hold quotes of texts which the library does not have.
  package var books: [(document: Document, isNew: Bool)] = []
  /// What was changed here and at the source, and keeps what is said here: one line each.
  package var kept: [String] = []
  /// What was left out, and why: one line each.
  package var skipped: [String] = []
  /// Why others are not: one line for each of their documents.
  package var problems: [UserError] = []
  /// How many highlights these are.
  package var failed = 0
  /// Why it is not known that the new ones would outlast a power cut; nil when they would.
  package var unconfirmed: UserError?

  /// What one file, or the clipboard, held.
  package struct Source: Hashable, Sendable {
    /// What its form is called.
    package var format: String
    /// How many highlights there are.
    package var highlights: Int
    /// How many documents they are of.
    package var documents: Int
    /// Whether it says dates without their time zone, which are taken for those of this machine's.
    package var hasLocalDates: Bool
  }

  /// Nothing yet.
  package init() {}

  /// How many of the new ones have a place.
  package var placed: Int { made.count { $0.highlight.anchor.range != nil } }

  /// Adds what was done next. O(what was done next).
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
