import SyncChecks
import TestSupport
import Testing

/// Tests that copies of a library that receive operations in any order reach the expected state.
@Suite struct ScheduleTests {
  @Test func `random schedules reach the state that the model predicts`() throws {
    let seed = SeededGenerator.runSeed
    print("seed \(seed)")
    var pool = ReplicaPool(seed: seed)
    for number in 0..<150 {
      if number % ReplicaPool.useLimit == 0 { pool = ReplicaPool(seed: seed &+ UInt64(number)) }
      let own = seed &+ UInt64(number)
      do { try Schedule.run(seed: own, in: pool) } catch {
        throw Schedule.Failure(description: "schedule \(own): \(error)")
      }
    }
  }

  @Test func `the unbroken model passes its own checks`() throws {
    let seed = SeededGenerator.runSeed
    print("seed \(seed)")
    for number in 0..<1000 { try Schedule.run(seed: seed &+ UInt64(number), breaking: nil) }
  }

  @Test(arguments: Breakage.allCases)
  func `the checks detect each broken rule`(_ breakage: Breakage) {
    let seed = SeededGenerator.runSeed
    print("seed \(seed)")
    // Some broken rules cause an error in only one of 500 schedules. The search ends at the first
    // error.
    let noticed = (0..<20_000).first { number in
      do {
        try Schedule.run(seed: seed &+ UInt64(number), breaking: breakage)
        return false
      } catch { return true }
    }
    #expect(noticed != nil, "\(breakage)")
    print("\(breakage) noticed in schedule \(noticed ?? -1)")
  }
}
