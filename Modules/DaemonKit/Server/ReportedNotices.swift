import Workspace

/// What the last sync had to tell, so that it is told once and not with each sync.
struct ReportedNotices {
  private var notices: Set<String> = []
  private var held: Set<Held> = []

  private struct Held: Hashable {
    var device: String
    var kind: HeldReason.Kind
  }

  /// What of a report was not told after the sync before. What is held is the same as long as its kind
  /// is: how far a clock is ahead changes all the time.
  mutating func news(in report: SyncReport) -> SyncReport {
    var news = report
    news.notices = report.notices.filter { !notices.contains($0) }
    news.held = report.held.filter {
      !held.contains(Held(device: $0.device, kind: $0.reason.kind))
    }
    notices = Set(report.notices)
    held = Set(report.held.map { Held(device: $0.device, kind: $0.reason.kind) })
    return news
  }
}
