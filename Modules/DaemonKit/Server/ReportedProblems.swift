import Model
import SystemSupport
import Workspace

/// What is wrong with which documents' files, so that it is said once and not at each check.
struct ReportedProblems {
  private var known: [Document.ID: UserError] = [:]
  /// What was said of each.
  private var summaries: [Document.ID: String] = [:]

  /// Whether every file can be read.
  var isEmpty: Bool { known.isEmpty }

  /// One line for each file that cannot be read now, at most `limit`, by the files' names.
  func lines(limit: Int) -> [String] { Array(summaries.values.sorted().prefix(limit)) }

  /// The reports without those of problems that were told already.
  mutating func news(in reports: [RefreshReport]) -> [RefreshReport] {
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
