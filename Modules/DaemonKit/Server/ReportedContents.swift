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
