import Model
import Workspace

/// What is wrong with which documents' files, so that it is said once and not at each look.
struct ProblemMemory {
  private var known: [Document.ID: LibraryError] = [:]

  /// Whether every file can be read.
  var isEmpty: Bool { known.isEmpty }

  /// The reports without those of problems that were told already.
  mutating func news(in reports: [RefreshReport]) -> [RefreshReport] {
    reports.filter { report in
      guard report.change == .unreadable else {
        if !known.isEmpty { known[report.document.id] = nil }
        return true
      }
      return known.updateValue(report.problem ?? Self.unknown, forKey: report.document.id)
        != report.problem
    }
  }

  private static let unknown = LibraryError(.notFound, "it cannot be read")
}
