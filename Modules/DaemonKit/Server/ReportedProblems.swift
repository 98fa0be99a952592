import Model
import SystemSupport
import Workspace

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
