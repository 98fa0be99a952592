import BuiltIn
import Foundation
import LibrarySupport
import Model
import SystemSupport
import TestSupport
import Testing
import Workspace

/// Tests daily and weekly backups with a clock that the test sets.
@Suite struct BackupKeeperTests {
  let folder: LibraryFolder
  let backups: BackupFolder

  init() throws {
    folder = try LibraryFolder()
    backups = BackupFolder(path: folder.path + "/state/backups")
  }

  private func note(_ text: String, _ highlight: Highlight, in library: Library) async throws {
    var change = HighlightChange()
    change.note = text
    _ = try await library.change(highlight, change)
  }

  /// Returns noon, UTC, a number of days after a Monday.
  private func noon(_ day: Int) -> Date {
    Date(timeIntervalSince1970: 1_800_273_600 + Double(day) * 86_400 - 345_600)
  }

  @Test
  func `backups of the last days and weeks are kept, and unchanged content is not stored again`()
    async throws
  {
    try folder.write("a.md", "Some words.\n")
    let library = try await folder.library()
    let highlight = try await library.mark("a.md", "\"words\"")
    let keeper = BackupKeeper(library, in: backups, days: 7, weeks: 4)
    for day in 0..<60 {
      try await note("on day \(day)", highlight, in: library)
      guard case .made(let file, let bytes) = try await keeper.run(at: noon(day)) else {
        Issue.record("no backup on day \(day)")
        continue
      }
      #expect(bytes > 0 && FileManager.default.fileExists(atPath: file))
      // At most one backup is made each day.
      try await note("later on day \(day)", highlight, in: library)
      #expect(try await keeper.run(at: noon(day).addingTimeInterval(3_600)) == .notDue)
    }
    let days = Set(
      backups.entries().map { Int(($0.date.timeIntervalSince(noon(0)) / 86_400).rounded()) })
    // The backups of the last seven days are kept, and the last one of each of the last four weeks.
    // Three of these weeks are before the seven days.
    #expect(
      Set(53...59).isSubset(of: days) && days.count <= 7 + 4 && days.count >= 7 + 2, "\(days)")
    #expect(days.allSatisfy { $0 >= 59 - 28 }, "\(days)")

    // Without changes for a year, no backup is deleted.
    let quiet = noon(400)
    guard case .made = try await keeper.run(at: quiet) else {
      Issue.record("no backup")
      return
    }
    for day in 401...420 {
      #expect(try await keeper.run(at: noon(day)) == .unchanged)
    }
    #expect(backups.entries().first?.date == quiet)
    #expect(backups.entries().count >= 7)
  }

  @Test func `restoring a backup yields the library of its day`() async throws {
    try folder.write("a.md", "Some words.\n")
    let library = try await folder.library()
    let highlight = try await library.mark("a.md", "\"words\"")
    let keeper = BackupKeeper(library, in: backups, days: 3, weeks: 0)
    for day in 0..<3 {
      try await note("on day \(day)", highlight, in: library)
      _ = try await keeper.run(at: noon(day))
    }
    for (day, entry) in backups.entries().reversed().enumerated() {
      let place = LibraryLocation(folder: folder.path + "/other\(day)/.diple")
      #expect(try place.restore(entry.path, at: Date()) == nil)
      let restored = try Library(at: place, plugins: .builtIn)
      #expect(try await restored.highlight(highlight.id.description).note == "on day \(day)")
      #expect(try await restored.integrityProblems() == [])
    }
  }

  @Test
  func `a backup is made after the clock was set back, and files of a killed run are deleted`()
    async throws
  {
    try folder.write("a.md", "Some words.\n")
    let library = try await folder.library()
    let keeper = BackupKeeper(library, in: backups, days: 7, weeks: 4)
    guard case .made(let file, _) = try await keeper.run(at: noon(300)) else {
      Issue.record("no backup")
      return
    }
    try Data("half".utf8).write(to: URL(filePath: file + ".backup-1-2"))
    _ = try await library.mark("a.md", "\"words\"")
    guard case .made = try await keeper.run(at: noon(3)) else {
      Issue.record("no backup")
      return
    }
    let names = try FileManager.default.contentsOfDirectory(atPath: backups.path)
    #expect(names.count == 2 && names.allSatisfy { $0.hasSuffix(".sqlite.zst") }, "\(names)")
  }

  @Test func `if a backup cannot be written, an error names the folder`()
    async throws
  {
    try folder.write("a.md", "Some words.\n")
    let library = try await folder.library()
    try folder.write("state/backups", "a file")
    let error = try await failure {
      _ = try await BackupKeeper(library, in: backups, days: 7, weeks: 4).run(at: noon(0))
    }
    #expect(error.code == .conflict && error.message.contains("for backups"), "\(error)")
  }
}
