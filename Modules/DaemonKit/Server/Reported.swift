import LibrarySync
import Model
import SystemSupport
import Workspace

/// The content of each watched file that was last reported to subscribers. It ensures that a change
/// that another process stored first is still reported, and only once.
struct ReportedContents {
  private var digests: [Document.ID: ContentDigest] = [:]

  /// Records the stored contents of newly watched documents as reported: a file's content when
  /// watching begins isn't a change. Throws ``UserError`` if the library can't be read.
  mutating func begin(in library: Library) async throws(UserError) {
    let new = try await library.documents().map(\.id).filter { digests[$0] == nil }
    digests.merge(try await library.contents(of: new)) { $1 }
  }

  /// Completes the reports of a check: a change that another process stored first is reported as a
  /// change. Throws ``UserError`` if the library can't be read.
  mutating func complete(
    _ reports: [RefreshReport], of scope: Library.ChangeScope, in library: Library
  ) async throws(UserError) -> [RefreshReport] {
    let contents = try await library.contents(of: reports.map(\.document.id))
    var completed: [RefreshReport] = []
    for var report in reports {
      let id = report.document.id
      report.movedFrom = scope.movedFrom[id]
      if let content = contents[id] {
        let reported = digests.updateValue(content, forKey: id)
        if report.change == .unchanged, let reported, reported != content,
          report.document.state == .present
        {
          report.change = .changed
          report.outcomes = try await library.recordedOutcomes(of: report.document)
        }
      }
      completed.append(report)
    }
    return completed
  }
}

/// The current problem of each unreadable file, so that it is reported once and not at each check.
struct ReportedProblems {
  private var known: [Document.ID: UserError] = [:]
  /// The summary that was reported for each document.
  private var summaries: [Document.ID: String] = [:]

  /// Whether all files can be read.
  var isEmpty: Bool { known.isEmpty }

  /// Returns one line for each unreadable file, at most `limit`, sorted.
  func lines(limit: Int) -> [String] { Array(summaries.values.sorted().prefix(limit)) }

  /// Returns the reports without problems that were reported before.
  mutating func unreported(in reports: [RefreshReport]) -> [RefreshReport] {
    reports.filter { report in
      guard report.change == .unreadable else {
        if known.removeValue(forKey: report.document.id) != nil {
          summaries[report.document.id] = nil
        }
        return true
      }
      summaries[report.document.id] = report.summary
      return known.updateValue(report.problem ?? Self.unknown, forKey: report.document.id)
        != report.problem
    }
  }

  private static let unknown = UserError(.notFound, "it cannot be read")
}

/// The notices of the last sync, so that each is logged once and not after every sync.
struct ReportedNotices {
  private var notices: Set<String> = []
  private var held: Set<Held> = []

  private struct Held: Hashable {
    var device: String
    var kind: HeldReason.Kind
  }

  /// Returns the report without the notices of the previous one. Held changes of a device count as
  /// equal if their kind of reason is, because details such as a clock's offset change constantly.
  mutating func unreported(in report: SyncReport) -> SyncReport {
    var unreported = report
    unreported.notices = report.notices.filter { !notices.contains($0) }
    unreported.held = report.held.filter {
      !held.contains(Held(device: $0.device, kind: $0.reason.kind))
    }
    notices = Set(report.notices)
    held = Set(report.held.map { Held(device: $0.device, kind: $0.reason.kind) })
    return unreported
  }
}
