import CAllocator
import Foundation
import MarkdownChecks
import MarkdownParse

/// The growth of the parsing time with the size of an input.
///
/// A single step between two sizes is unreliable: if the smaller input fits into a cache and the
/// larger one doesn't, four times the size can take six times as long. Only work that isn't linear
/// grows like this at every step. An input is therefore bad if two consecutive steps are too long,
/// or if its total time is.
struct Growth {
  /// The maximum ratio of the times for four times the size. The ratio of quadratic work is 16,
  /// that of work that grows with n√n is 8.
  static let limit = 5.0
  /// The ratio between two small sizes above which larger sizes are measured too.
  private static let suspicion = 4.5
  /// The maximum time for 100,000 units, in seconds.
  private static let longest = 1.0

  /// The measured sizes in units, with their times in seconds.
  private(set) var times: [(size: Int, seconds: Double)] = []

  /// The ratio of each time to that of the previous size.
  var ratios: [Double] { zip(times, times.dropFirst()).map { $1.seconds / $0.seconds } }

  /// Whether the last two steps or the last time are too long.
  var isBad: Bool {
    guard let last = times.last else { return false }
    let isSlow = last.seconds > Self.longest * max(1, Double(last.size) / 100_000)
    return isSlow || ratios.count > 1 && ratios.suffix(2).allSatisfy { $0 > Self.limit }
  }

  /// Measures 25,000 and 100,000 units. If this step is too long, measures 400,000 as well.
  init(ofKnown input: PathologicalInputs.Input, _ options: MarkdownOptions) {
    for size in [25_000, 100_000] { measure(input, size, 3, options) }
    if ratios[0] > Self.limit { measure(input, 400_000, 3, options) }
  }

  /// Measures 1,000 and 4,000 units. As long as the steps are too long, measures up to 256,000.
  init(ofGenerated input: PathologicalInputs.Input, _ options: MarkdownOptions) {
    for size in [1_000, 4_000] { measure(input, size, 2, options) }
    // Measure again, because the machine may have been busy for a moment.
    guard ratios[0] > Self.suspicion else { return }
    for index in 0..<2 { measureAgain(index, input, options) }
    guard ratios[0] > Self.suspicion else { return }
    for size in [16_000, 64_000, 256_000] {
      measure(input, size, 3, options)
      // Stop when the result is certain, because quadratic work on the next size takes 16 times as
      // long.
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

  /// Returns the shortest time of some runs that parse a text and compute its style runs.
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

/// Returns the shortest time of some runs in seconds. Only the process's own time counts, because
/// the machine may be busy.
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

/// Parses every hostile input in each of its dialects, and prints those whose time isn't linear.
struct PathologicalRun {
  private var bad = 0
  private var count = 0

  /// Parses all inputs, or those with a name. Exits with 1 if one is bad or none has the name.
  static func start(named name: String?) {
    // Keep freed memory in the process. Otherwise the ratios would include the kernel's work for
    // new pages.
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

  /// Counts an input. There are thousands of generated inputs, so only bad ones are printed.
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
