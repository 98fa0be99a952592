import Dispatch
import Foundation
import SyncChecks
import Synchronization

/// Runs random schedules of replicas with the real storage, and compares their states with those of
/// an oracle. Each processor runs a thread.
/// usage: sync-check schedules [--count COUNT] [--seed SEED] [--breakages]
///        sync-check sizes FILE           measures sealed operations on the documents in JSON lines
///   exit code 1 for a schedule with another state than expected, 2 for invalid arguments
@main
enum Main {
  static func main() {
    var words = CommandLine.arguments.dropFirst()
    var count = 1000
    var seed = UInt64.random(in: 1...UInt64(UInt32.max))
    var breaks = false
    switch words.popFirst() {
    case "schedules": break
    case "sizes" where words.count == 1: return sizes(words.removeFirst())
    default: usage()
    }
    while let word = words.popFirst() {
      switch (word, words.first.flatMap { UInt64($0) }) {
      case ("--count", let number?) where (1...1_000_000_000).contains(number):
        count = Int(number)
        words.removeFirst()
      case ("--seed", let number?):
        seed = number
        words.removeFirst()
      case ("--breakages", _): breaks = true
      default: usage()
      }
    }
    if breaks { return breakages(seed: seed) }
    run(count: count, seed: seed)
  }

  private static func usage() -> Never {
    FileHandle.standardError.write(
      Data(
        "usage: sync-check schedules [--count COUNT] [--seed SEED] [--breakages] | sizes FILE\n"
          .utf8))
    exit(2)
  }

  private static func sizes(_ file: String) {
    do {
      var sizes = try Sizes(file: file)
      try sizes.run()
    } catch {
      FileHandle.standardError.write(Data("sync-check: \(file): \(error)\n".utf8))
      exit(1)
    }
  }

  private static func run(count: Int, seed: UInt64) {
    print("\(count) schedules from seed \(seed)")
    let next = Atomic(0)
    let operations = Atomic(0)
    let failure = Mutex<String?>(nil)
    let threads = min(ProcessInfo.processInfo.activeProcessorCount, 8)
    let time = ContinuousClock().measure {
      DispatchQueue.concurrentPerform(iterations: threads) { _ in
        while failure.withLock({ $0 == nil }) {
          let first = next.wrappingAdd(ReplicaPool.useLimit, ordering: .relaxed).oldValue
          if first >= count { return }
          let start = seed &+ UInt64(first)
          let pool = ReplicaPool(seed: start)
          for number in 0..<min(ReplicaPool.useLimit, count - first) {
            do {
              let done = try Schedule.run(seed: start &+ UInt64(number), in: pool)
              operations.wrappingAdd(done, ordering: .relaxed)
            } catch {
              failure.withLock { $0 = "--count \(number + 1) --seed \(start): \(error)" }
              return
            }
          }
        }
      }
    }
    if let failure = failure.withLock({ $0 }) {
      print(failure)
      exit(1)
    }
    let seconds = time / .seconds(1)
    print(
      "\(operations.load(ordering: .relaxed)) operations in \(seconds.formatted()) s, "
        + "\(Int(Double(count) / seconds)) schedules per second in \(threads) threads: no divergence"
    )
  }

  private static func breakages(seed: UInt64) {
    print("seed \(seed)")
    var missed = false
    for breakage in [nil] + Breakage.allCases {
      let noticed = (0..<2000).first { number in
        do {
          try Schedule.run(seed: seed &+ UInt64(number), breaking: breakage)
          return false
        } catch {
          if breakage == nil { print(error) }
          return true
        }
      }
      let result = noticed.map { "noticed in schedule \($0 + 1)" } ?? "not noticed in 2000"
      print("\(breakage?.rawValue ?? "no rule broken"): \(result)")
      missed = missed || (noticed == nil) != (breakage == nil)
    }
    exit(missed ? 1 : 0)
  }
}
