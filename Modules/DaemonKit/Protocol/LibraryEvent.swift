import Files
package import FoundationEssentials
import Model
package import SystemSupport
package import Workspace

/// An event for subscribed clients: `diple.event/1`.
package struct LibraryEvent: Hashable, Sendable, Codable {
  package enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
    /// Files were changed, moved, deleted or restored, and the library is up to date with them.
    case changed
    /// All documents were checked. Differences were reported before, in events of their kind.
    case rescanned
    /// A folder couldn't be watched or a file couldn't be read.
    case problem
    /// Changes are collected but not processed, until `resumed`.
    case paused
    /// Changes are processed again.
    case resumed
    /// The daemon is stopping.
    case stopping
  }

  package var kind: Kind
  /// The time at which the event was created.
  package var time: Date
  /// The changed documents; empty unless the kind is `changed`.
  package var documents: [DocumentChange]
  /// A message for the user, one line, or nil.
  package var message: String?

  /// A document whose file changed, and the effect on its highlights.
  package struct DocumentChange: Hashable, Sendable, Codable {
    /// The document's identity.
    package var id: String
    /// The current path as stored in the library.
    package var path: String
    /// The document's title.
    package var title: String
    /// The kind of change of the file.
    package var change: RefreshReport.Change
    /// The path before, if the file was moved.
    package var movedFrom: String?
    /// A description for the user, one line.
    package var summary: String
    /// The number of highlights in each state; empty if the text is unchanged.
    package var states: [String: Int]
    /// The highlights that became doubtful or orphaned, at most twenty.
    package var lost: [LostHighlight]
  }

  /// A highlight without a certain position.
  package struct LostHighlight: Hashable, Sendable, Codable {
    /// The highlight's identity.
    package var id: String
    /// The short id, which commands print and accept.
    package var name: String?
    /// `doubtful` or `orphaned`.
    package var state: String
    /// The first 200 characters of the highlighted text.
    package var quote: String
  }

  /// Creates an event without documents.
  package init(_ kind: Kind, message: String? = nil) {
    self.kind = kind
    time = .now
    documents = []
    self.message = message
  }

  /// Creates the event for some reports, or returns nil if they contain no visible change. Hints in
  /// it have the given words.
  package init?(_ reports: [RefreshReport], in words: Hint.Syntax) {
    self.init(.changed)
    documents = reports.compactMap { DocumentChange($0, in: words) }
    if documents.isEmpty { return nil }
  }
}

extension LibraryEvent.DocumentChange {
  /// The maximum number of lost highlights in a change.
  private static let lostLimit = 20

  init?(_ report: RefreshReport, in words: Hint.Syntax) {
    guard let summary = report.summary(in: words) else { return nil }
    self.summary = summary
    id = report.document.id.description
    path = report.document.path.string
    title = report.document.title
    change = report.change
    movedFrom = report.movedFrom?.string
    states = [:]
    for outcome in report.outcomes { states[outcome.after.state.rawValue, default: 0] += 1 }
    lost = report.outcomes.lazy
      .filter(\.isNewlyLost)
      .prefix(Self.lostLimit)
      .map { outcome in
        LibraryEvent.LostHighlight(
          id: outcome.highlight.description, name: outcome.name,
          state: outcome.after.state.rawValue, quote: String(outcome.quote.prefix(200)))
      }
  }
}
