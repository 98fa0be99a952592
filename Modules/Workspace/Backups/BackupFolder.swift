package import FoundationEssentials
import Glibc
import SystemSupport

/// The folder that contains the daemon's backups of a library: `backups/KEY` in Diple's state
/// folder. Each backup is one file, `TIME-MARK.sqlite.zst`.
package struct BackupFolder: Hashable, Sendable {
  /// One backup in the folder.
  package struct Entry: Hashable, Sendable {
    package var path: String
    /// The time at which the backup was made, with a resolution of one second.
    package var date: Date
    /// The library's `contentMark` at that time.
    package var mark: String
  }

  /// The path of the folder. The folder need not exist.
  package let path: String

  private static let ending = ".sqlite.zst"
  private static let style = Date.ISO8601FormatStyle(
    dateSeparator: .omitted, timeSeparator: .omitted)

  /// Returns the backup folder of a library; nil if the user has no state folder.
  package init?(of location: LibraryLocation) {
    guard let state = location.state else { return nil }
    path = state + "/backups/" + location.key
  }

  package init(path: String) { self.path = path }

  /// Returns the backups, newest first. Files whose names have another form are ignored.
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

  /// The latest backup that the user made with a command, which may be in any folder.
  package struct Copy: Hashable, Sendable, Codable {
    /// The absolute path of the backup.
    package var path: String
    /// The time at which it was made.
    package var date: Date

    package init(path: String, date: Date) { (self.path, self.date) = (path, date) }
  }

  private var record: String { path + "/by-hand.json" }

  /// The latest backup that the user made with a command and that still exists; nil if there is
  /// none.
  package var latestCopy: Copy? {
    guard let bytes = try? PrivateFile.content(of: record, limit: 1 << 16),
      let copy = try? JSONDecoder().decode(Copy.self, from: Data(bytes)),
      (try? FileSystem.status(of: copy.path)) ?? nil != nil
    else { return nil }
    return copy
  }

  /// Records a backup that the user made with a command. A failure is ignored, because the backup
  /// itself is complete.
  package func record(_ copy: Copy) {
    guard let data = try? JSONEncoder().encode(copy), (try? PrivateFile.makeFolder(path)) != nil
    else { return }
    try? AtomicReplacement.write(Array(data), to: record, mode: 0o600)
  }

  /// Returns the path for a new backup.
  func file(at date: Date, mark: String) -> String {
    path + "/" + Self.stamp(date) + "-" + mark + Self.ending
  }

  /// Formats a time for a file name, in UTC: `20261122T011617Z`.
  static func stamp(_ date: Date) -> String { date.formatted(style) }

  /// Returns the backups to delete.
  ///
  /// For each of the last `days` days that have a backup, the newest backup of the day is kept.
  /// Likewise, the newest backup of each of the last `weeks` weeks that have one is kept. Backups
  /// do not expire by age, so the newest are kept even if none was made recently.
  package static func surplus(_ entries: [Entry], days: Int, weeks: Int) -> [Entry] {
    var (keptDays, keptWeeks): (Set<Int>, Set<Int>) = ([], [])
    return entries.sorted { $0.date > $1.date }.filter { entry in
      let day = Self.day(entry.date)
      // Day 0, 1 January 1970, was a Thursday. Weeks begin on Monday.
      let week = (day + 3).quotientRoundedDown(by: 7)
      let isOfDay = keptDays.count < days && keptDays.insert(day).inserted
      let isOfWeek = keptWeeks.count < weeks && keptWeeks.insert(week).inserted
      return !isOfDay && !isOfWeek
    }
  }

  /// The number of days since 1 January 1970 in UTC.
  static func day(_ date: Date) -> Int {
    Int(date.timeIntervalSince1970.rounded(.down)).quotientRoundedDown(by: 86_400)
  }

  /// Deletes the temporary files of interrupted backups.
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
