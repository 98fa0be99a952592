import Foundation
import SyncHistories
import TestSupport
import Testing

/// Tests random histories of libraries that are synced by folders.
///
/// `DIPLE_SYNC_SCHEDULES` sets the number of new histories, and `DIPLE_TEST_SEED` the first seed.
/// With an odd seed, or always with `DIPLE_SYNC_IMAGES=1`, copies of devices are disk images, which
/// can't detect that they are copies. Without the variable, a few histories are run that once
/// revealed faults. `DIPLE_SYNC_ALL=1` continues after a failure.
@Suite struct SyncScheduleTests {
  @Test func `random histories end in equal libraries that contain every change`() async throws {
    let variables = ProcessInfo.processInfo.environment
    let count = variables["DIPLE_SYNC_SCHEDULES"].flatMap(UInt64.init)
    let plain = (0..<8).map { 752_067_773 + UInt64($0) } + [1_000_008, 1_000_063, 1_000_085]
    let images: [UInt64] = [1_000_014, 1_000_032, 1_000_100, 1_000_101]
    var histories: [(seed: UInt64, withImages: Bool)] = []
    if let count {
      for seed in (0..<count).map({ SeededGenerator.runSeed &+ $0 }) {
        histories.append((seed, variables["DIPLE_SYNC_IMAGES"] == "1" || seed % 2 == 1))
      }
    } else {
      histories = plain.map { ($0, false) } + images.map { ($0, true) }
    }
    SyncSchedule.announce(histories, over: "folders")
    for (seed, withImages) in histories {
      let schedule = try SyncSchedule(seed: seed, withImages: withImages)
      do { try await schedule.run() } catch {
        Issue.record(
          "DIPLE_TEST_SEED=\(seed): \(error)\n\(schedule.log.joined(separator: "\n"))")
        guard variables["DIPLE_SYNC_ALL"] == "1" else { return }
      }
    }
  }
}
