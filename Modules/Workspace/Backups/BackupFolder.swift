package import FoundationEssentials
import Glibc
import SystemSupport

/// Where a person's backups of a library are that the daemon makes: `backups/KEY` of Diple's state
/// folder, one file each.
package struct BackupFolder: Hashable, Sendable {
  /// A backup.
  package struct Entry: Hashable, Sendable {
    /// The file.
    package var path: String
    /// When it was made.
    package var date: Date
    /// What the library's content was called then.
    package var mark: String
  }

  /// The folder; it may not be there yet.
  package let path: String

  private static let ending = ".sqlite.zst"
  private static let style = Date.ISO8601FormatStyle(
    dateSeparator: .omitted, timeSeparator: .omitted)

  /// Nil where there is no place for what programs remember.
  package init?(of location: LibraryLocation) {
    guard let state = location.state else { return nil }
    path = state + "/backups/" + location.key
  }

  /// Names a folder.
  package init(path: String) { self.path = path }

  /// The backups, newest first. Files with other names are not looked at.
  package func entries() -> [Entry] {
    Self.names(in: path).compactMap { name in
      guard name.hasSuffix(Self.ending) else { return nil }
      let parts = name.dropLast(Self.ending.utf8.count).split(separator: "-")
      guard parts.count == 2, let date = try? Date(String(parts[0]), strategy: Self.style) else {
        return nil
      }
      return Entry(path: path + "/" + name, date: date, mark: String(parts[1]))
    }.sorted { ($0.date, $0.path) > ($1.date, $1.path) }
  }

  /// The file of a backup that is made now.
  func file(at date: Date, mark: String) -> String {
    path + "/" + Self.stamp(date) + "-" + mark + Self.ending
  }

  /// A moment as it stands in names: `20261122T011617Z`.
  static func stamp(_ date: Date) -> String { date.formatted(style) }

  /// Which backups are kept no longer: all but the newest of each of the last days, and of each of the
  /// last weeks, on which there is one. However long ago they were made, the newest stay.
  package static func surplus(_ entries: [Entry], days: Int, weeks: Int) -> [Entry] {
    var (keptDays, keptWeeks): (Set<Int>, Set<Int>) = ([], [])
    return entries.sorted { $0.date > $1.date }.filter { entry in
      let day = Self.day(entry.date)
      // 1 January 1970 was a Thursday; weeks begin on Mondays.
      let week = (day + 3).quotientRoundedDown(by: 7)
      let isOfDay = keptDays.count < days && keptDays.insert(day).inserted
      let isOfWeek = keptWeeks.count < weeks && keptWeeks.insert(week).inserted
      return !isOfDay && !isOfWeek
    }
  }

  /// The day since 1970, in UTC.
  static func day(_ date: Date) -> Int {
    Int(date.timeIntervalSince1970.rounded(.down)).quotientRoundedDown(by: 86_400)
  }

  /// Takes away what a backup that was cut short has left.
  func sweep() {
    for name in Self.names(in: path)
    where name.contains(Self.ending + ".copy-") || name.contains(Self.ending + ".backup-") {
      unlink(path + "/" + name)
    }
  }

  private static func names(in folder: String) -> [String] {
    var names: [String] = []
    try? FileSystem.forEachName(in: folder) { names.append($0) }
    return names
  }
}

extension Int {
  fileprivate func quotientRoundedDown(by divisor: Int) -> Int {
    self >= 0 ? self / divisor : -((divisor - 1 - self) / divisor)
  }
}
