import CAllocator
import Foundation
import MarkdownChecks
import MarkdownParse

/// Times the parser alone.
/// usage: parse-bench speed FILE…           beside the bare parses of cmark-gfm and md4c
///        parse-bench pathological [NAME]   at 25,000 and 100,000 units; exit code 1 for a bad one
@main
enum Main {
  static func main() {
    var words = CommandLine.arguments.dropFirst()
    switch words.popFirst() {
    case "speed" where !words.isEmpty: speed(words.map(bytes))
    case "pathological" where words.count <= 1: pathological(named: words.first)
    default:
      FileHandle.standardError.write(
        Data("usage: parse-bench speed FILE… | parse-bench pathological [NAME]\n".utf8))
      exit(2)
    }
  }

  private static func bytes(of path: String) -> [UInt8] {
    guard let data = FileManager.default.contents(atPath: path) else {
      FileHandle.standardError.write(Data("parse-bench: \(path) cannot be read\n".utf8))
      exit(1)
    }
    return Array(data)
  }

  /// The shortest time of some runs, in seconds of this process's own: a busy machine counts little.
  private static func best(of runs: Int, _ body: () -> Void) -> Double {
    (0..<runs).map { _ in
      let start = processSeconds()
      body()
      return processSeconds() - start
    }.min() ?? 0
  }

  private static func processSeconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
  }

  // MARK: - Speed

  private static func speed(_ files: [[UInt8]]) {
    let size = files.reduce(0) { $0 + $1.count }
    let sources = files.map { MarkdownSource($0) }
    var mapBytes = 0
    var units = 0
    // In turns, so that a busy machine slows all of them.
    var times: [String: Double] = [:]
    func time(_ name: String, _ body: () -> Void) {
      times[name] = min(times[name] ?? .infinity, best(of: 1, body))
    }
    for _ in 0..<7 {
      time("Diple: text, spans and map") {
        mapBytes = 0
        units = 0
        for source in sources {
          let document = ParsedDocument(parsing: source)
          mapBytes += document.map.storageSize
          units += document.text.count
        }
      }
      time("cmark-gfm: bare parse") { for file in files { Oracles.cmarkGFM(file) } }
      time("md4c: bare parse") { for file in files { Oracles.md4c(file) } }
    }
    print(
      String(
        format: "%d files, %.2f MB, %d UTF-16 units rendered; %.2f bytes of map a byte of source",
        files.count, Double(size) / 1e6, units, Double(mapBytes) / Double(size)))
    for (name, time) in times.sorted(by: { $0.value < $1.value }) {
      print(String(format: "%6.1f MB/s  ", Double(size) / 1e6 / time) + name)
    }
  }

  // MARK: - Hostile inputs

  private static func pathological(named name: String?) {
    // Memory stays with the process, so that the kernel's work for new pages is not in the ratio.
    mallopt(M_MMAP_THRESHOLD, 1 << 30)
    mallopt(M_TRIM_THRESHOLD, 1 << 30)
    let standard = PathologicalInputs.all + PathologicalInputs.compositions
    let inputs =
      (standard.map { ($0, MarkdownOptions.standard) }
      + PathologicalInputs.ofDialects.map { ($0, PathologicalInputs.everyDialect) })
      .filter { name == nil || $0.0.name == name }
    var bad: [String] = []
    print("ms at 25,000   at 100,000   ratio")
    for (index, (input, options)) in inputs.enumerated() {
      let small = time(input, 25_000, options)
      let large = time(input, 100_000, options)
      // What takes next to no time has no ratio.
      let isBad = large > 1 || (large > 0.02 && large / small > 5)
      if isBad { bad.append(input.name) }
      // Of the thousands of compositions only what is found is printed.
      if isBad || name != nil || index < PathologicalInputs.all.count {
        print(
          String(format: "%12.2f %12.2f %7.2f  ", small * 1e3, large * 1e3, large / small)
            + input.name + (isBad ? "  <-- not linear" : ""))
      }
    }
    print("\(inputs.count) inputs, \(bad.count) not linear")
    if !bad.isEmpty || inputs.isEmpty { exit(1) }
  }

  private static func time(
    _ input: PathologicalInputs.Input, _ size: Int, _ options: MarkdownOptions
  ) -> Double {
    let source = MarkdownSource(input.make(size))
    var length = 0
    // Until the text and the look of each stretch are known.
    let time = best(of: 3) {
      let document = ParsedDocument(parsing: source, options: options)
      length = document.text.count
      for block in document.blocks where !block.inlines.isEmpty {
        length += document.styleRuns(in: block).count
      }
    }
    return length < 0 ? 0 : time
  }
}
