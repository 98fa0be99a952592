import Model
import SystemSupport
import Workspace

/// Which content of each watched file subscribers were told of last, so that a change which another
/// process took into the library first is still reported, and only once.
struct ReportedContents {
  private var digests: [Document.ID: ContentDigest] = [:]

  /// Takes the contents of documents that were not watched before as they are on record: what is
  /// stored when a file begins to be watched is no change.
  mutating func begin(in library: Library) async throws(UserError) {
    let new = try await library.documents().map(\.id).filter { digests[$0] == nil }
    digests.merge(try await library.contents(of: new)) { $1 }
  }

  /// The reports of a look at some documents, with those of changes that another process took in
  /// turned into reports of a change.
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
          report.outcomes = try await library.standing(of: report.document)
        }
      }
      completed.append(report)
    }
    return completed
  }
}
