import CAllocator
import Foundation
import MarkdownChecks
import MarkdownParse

/// How the time to read an input grows with its size.
///
/// One step between two sizes says little: where the smaller one fits into a cache and the larger one does
/// not, four times the size takes up to six times as long, once. Work that is more than linear grows so
/// at every step. So an input is bad when two steps in a row are too long, or when it takes too long at all.
struct Growth {
  /// How much longer four times the size may take; work that is squared takes 16 times as long, and what
  /// is multiplied by its own root 8 times.
  static let limit = 5.0
  /// What makes a first look at small sizes worth another one at larger sizes.
  private static let suspicion = 4.5
  /// The longest time for 100,000 units, in seconds.
  private static let longest = 1.0

  /// The sizes in units with the seconds for each.
  private(set) var times: [(size: Int, seconds: Double)] = []

  /// How much longer each size takes than the one before, in order.
  var ratios: [Double] { zip(times, times.dropFirst()).map { $1.seconds / $0.seconds } }

  /// Whether the last two steps are too long, or the last time is.
  var isBad: Bool {
    guard let last = times.last else { return false }
    let isSlow = last.seconds > Self.longest * max(1, Double(last.size) / 100_000)
    return isSlow || ratios.count > 1 && ratios.suffix(2).allSatisfy { $0 > Self.limit }
  }

  /// Looks at 25,000 and 100,000 units, and at 400,000 where that step is too long.
  init(ofKnown input: PathologicalInputs.Input, _ options: MarkdownOptions) {
    for size in [25_000, 100_000] { measure(input, size, 3, options) }
    if ratios[0] > Self.limit { measure(input, 400_000, 3, options) }
  }

  /// Looks at 1,000 and 4,000 units, and at up to 256,000 as long as the steps are too long.
  init(ofGenerated input: PathologicalInputs.Input, _ options: MarkdownOptions) {
    for size in [1_000, 4_000] { measure(input, size, 2, options) }
    // A moment in which the machine was busy is over.
    guard ratios[0] > Self.suspicion else { return }
    for index in 0..<2 { measureAgain(index, input, options) }
    guard ratios[0] > Self.suspicion else { return }
    for size in [16_000, 64_000, 256_000] {
      measure(input, size, 3, options)
      // What a limit does not stop here takes the time of the next look, squared.
      if isBad && ratios.count > 2 || ratios.last! <= Self.limit { return }
    }
  }

  private mutating func measure(
    _ input: PathologicalInputs.Input, _ size: Int, _ runs: Int, _ options: MarkdownOptions
  ) {
    times.append((size, Self.seconds(input, size, runs, options)))
  }

  private mutating func measureAgain(
    _ index: Int, _ input: PathologicalInputs.Input, _ options: MarkdownOptions
  ) {
    let again = Self.seconds(input, times[index].size, 8, options)
    times[index].seconds = min(times[index].seconds, again)
  }

  /// The shortest of some times until the text and the look of each stretch are known.
  private static func seconds(
    _ input: PathologicalInputs.Input, _ size: Int, _ runs: Int, _ options: MarkdownOptions
  ) -> Double {
    let source = MarkdownSource(input.make(size))
    var length = 0
    let time = best(of: runs) {
      let document = ParsedDocument(parsing: source, options: options)
      length = document.text.count
      for block in document.blocks where !block.inlines.isEmpty {
        length += document.styleRuns(in: block).count
      }
    }
    return length < 0 ? 0 : time
  }
}

/// The shortest time of some runs, in seconds of this process's own: a busy machine counts little.
func best(of runs: Int, _ body: () -> Void) -> Double {
  func now() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
  }
  return (0..<runs).map { _ in
    let start = now()
    body()
    return now() - start
  }.min() ?? 0
}

/// Reads every hostile input in each of its dialects, and says which are not linear.
struct PathologicalRun {
  private var bad = 0
  private var count = 0

  /// Reads all inputs, or the one of a name. Exit code 1 for a bad one, or for none.
  static func start(named name: String?) {
    // Memory stays with the process, so that the kernel's work for new pages is not in the ratio.
    mallopt(M_MMAP_THRESHOLD, 1 << 30)
    mallopt(M_TRIM_THRESHOLD, 1 << 30)
    var run = PathologicalRun()
    func each(_ inputs: [PathologicalInputs.Input], _ body: (PathologicalInputs.Input) -> Void) {
      for input in inputs where name == nil || input.name == name { body(input) }
    }
    print("ms at 25,000   at 100,000   ratios")
    each(PathologicalInputs.all) {
      run.take(Growth(ofKnown: $0, .standard), $0.name, isShown: true)
    }
    each(PathologicalInputs.compositions) {
      run.take(Growth(ofGenerated: $0, .standard), $0.name, isShown: name != nil)
    }
    each(PathologicalInputs.ofDialects) {
      let growth = Growth(ofGenerated: $0, PathologicalInputs.everyDialect)
      run.take(growth, $0.name, isShown: name != nil)
    }
    for dialect in MarkdownDialect.allCases {
      each(PathologicalInputs.pairs) {
        let growth = Growth(ofGenerated: $0, dialect.options)
        run.take(growth, "\($0.name) (\(dialect.rawValue))", isShown: name != nil)
      }
    }
    print("\(run.count) inputs, \(run.bad) not linear")
    if run.bad > 0 || run.count == 0 { exit(1) }
  }

  /// Counts an input. Of the thousands that are generated only those that are bad are printed.
  private mutating func take(_ growth: Growth, _ name: String, isShown: Bool) {
    count += 1
    if growth.isBad { bad += 1 }
    guard growth.isBad || isShown else { return }
    let times = growth.times.suffix(2).map { String(format: "%12.2f", $0.seconds * 1e3) }
    let ratios = growth.ratios.map { String(format: "%.2f", $0) }
    print(
      times.joined(separator: " ") + "  " + ratios.joined(separator: " ") + "  " + name
        + (growth.isBad ? "  <-- not linear" : ""))
  }
}
