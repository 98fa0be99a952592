import Testing

@testable import DaemonKit
@testable import LibrarySync

/// Tests which notices of its syncs the daemon reports.
@Suite struct ReportedNoticesTests {
  private func held(_ kind: HeldReason.Kind, _ detail: String) -> (String, HeldReason) {
    ("ben", HeldReason(kind: kind, detail: detail, since: 0, tries: 1))
  }

  @Test func `a notice is reported once, and again if it was missing from a report`() {
    var reported = ReportedNotices()
    var report = SyncReport()
    report.notices = ["no passphrase opens the vault now"]
    report.held = [held(.clock, "the clock of ben is 3 days ahead")]
    #expect(reported.unreported(in: report).notices.count == 1)
    report.held = [held(.clock, "the clock of ben is 2 days ahead")]
    #expect(
      reported.unreported(in: report).notices.isEmpty
        && reported.unreported(in: report).held.isEmpty)
    report.held.append(held(.removals, "ben removed 80 records"))
    #expect(reported.unreported(in: report).held.map(\.reason.kind) == [.removals])
    #expect(reported.unreported(in: SyncReport()).notices.isEmpty)
    let again = reported.unreported(in: report)
    #expect(again.notices.count == 1 && again.held.count == 2)
  }

  @Test func `the numbers of received and sent changes stay in the report`() {
    var reported = ReportedNotices()
    var report = SyncReport()
    (report.received, report.sent) = (3, 2)
    for _ in 0..<2 {
      let news = reported.unreported(in: report)
      #expect(news.received == 3 && news.sent == 2)
    }
  }
}
