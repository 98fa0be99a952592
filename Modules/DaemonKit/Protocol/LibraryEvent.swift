import Files
package import FoundationEssentials
import Model
import SystemSupport
package import Workspace

/// Something that the daemon tells those who asked for events: `diple.event/1`.
package struct LibraryEvent: Hashable, Sendable, Codable {
  /// What kinds there are.
  package enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
    /// Files changed, moved, went or came back, and the library has it all.
    case changed
    /// All documents were checked; those that were found different were told of before.
    case rescanned
    /// Something could not be watched or read.
    case problem
    /// Changes are gathered but not looked at, until `resumed`.
    case paused
    /// Changes are checked again.
    case resumed
    /// The daemon ends.
    case stopping
  }

  /// What happened.
  package var kind: Kind
  /// When it was stored.
  package var time: Date
  /// The documents that are different now; empty unless the kind is `changed`.
  package var documents: [DocumentChange]
  /// One line for a person, where there is more to say than of the documents.
  package var message: String?

  /// One document that is different now.
  package struct DocumentChange: Hashable, Sendable, Codable {
    /// The document's identity.
    package var id: String
    /// Its path now, as the library keeps it.
    package var path: String
    /// What it is called.
    package var title: String
    /// What happened to its file.
    package var change: RefreshReport.Change
    /// Its path before, when it was moved.
    package var movedFrom: String?
    /// One line for a person.
    package var summary: String
    /// How many of its highlights are in each state; empty when its text is the same.
    package var states: [String: Int]
    /// Those that are doubtful or orphaned, at most twenty.
    package var lost: [LostHighlight]
  }

  /// A highlight that has no sure place any more.
  package struct LostHighlight: Hashable, Sendable, Codable {
    /// The highlight's identity.
    package var id: String
    /// `doubtful` or `orphaned`.
    package var state: String
    /// The beginning of the words that were marked.
    package var quote: String
  }

  /// An event that concerns no document.
  package init(_ kind: Kind, message: String? = nil) {
    self.kind = kind
    time = .now
    documents = []
    self.message = message
  }

  /// What checks of files showed; nil when it is nothing that a reader would notice.
  package init?(_ reports: [RefreshReport]) {
    self.init(.changed)
    documents = reports.compactMap(DocumentChange.init)
    if documents.isEmpty { return nil }
  }
}

extension LibraryEvent.DocumentChange {
  /// How many lost highlights are named.
  private static let lostLimit = 20

  init?(_ report: RefreshReport) {
    guard let summary = report.summary else { return nil }
    self.summary = summary
    id = report.document.id.description
    path = report.document.path.string
    title = report.document.title
    change = report.change
    movedFrom = report.movedFrom?.string
    states = [:]
    for outcome in report.outcomes { states[outcome.after.state.rawValue, default: 0] += 1 }
    lost = report.outcomes.lazy
      .filter { [.doubtful, .orphaned].contains($0.after.state) }
      .prefix(Self.lostLimit)
      .map { outcome in
        LibraryEvent.LostHighlight(
          id: outcome.highlight.description, state: outcome.after.state.rawValue,
          quote: String(outcome.quote.prefix(200)))
      }
  }
}
