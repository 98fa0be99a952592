import Workspace

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
