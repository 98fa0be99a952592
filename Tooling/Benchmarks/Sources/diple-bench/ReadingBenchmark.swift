import CAllocator
import Editing
import Foundation
import MarkdownParse
import Model
import Reader
import Rendering
import Strategies

/// Measures how fast the reader opens, scrolls and searches a long text, and its memory. Each
/// figure is a line with its name, goal and value, separated by tabs. The value of several times is
/// the median, the 99th percentile and the maximum. Times are processor times, because the machine
/// may be busy.
struct ReadingBenchmark {
  private static let columns = 120
  private static let rows = 50

  private func milliseconds(_ body: () -> Void) -> Double {
    let start = Self.processorTime
    body()
    return Self.processorTime - start
  }

  private static var processorTime: Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) * 1e3 + Double(time.tv_nsec) * 1e-6
  }

  /// The current memory of the process in megabytes.
  private var memory: Double {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") } ?? ""
    return (Double(line.split(separator: " ").dropFirst().first ?? "") ?? 0) / 1e3
  }

  func run(_ bytes: [UInt8]) {
    // The same setting as in `diple-read`.
    mallopt(M_ARENA_MAX, 1)
    mallopt(M_MMAP_THRESHOLD, 256 << 10)
    let before = memory
    var parsed: ParsedDocument?
    let parse = milliseconds { parsed = ParsedDocument(parsing: MarkdownSource(bytes)) }
    guard let document = parsed else { return }
    let held = memory
    let step = max(1, document.text.count / 1_000)
    let highlights = stride(from: 0, to: document.text.count - 80, by: step).map { start in
      ReaderHighlight(
        id: Highlight.ID(Dot(replica: ReplicaID(rawValue: 1), sequence: Int64(start + 1))),
        range: TextRange(utf16: start..<start + 60), color: .green)
    }
    let text = ReaderText(
      document: document, highlights: highlights, title: "long.md", canMark: true)
    var reader: Reader?
    var shown: Screen?
    let open = milliseconds {
      reader = Reader(
        text, columns: Self.columns, rows: Self.rows,
        options: Reader.Options(color: .trueColor, width: 118)
      ) { query, text in
        ((try? Literal().matches(.init(query), in: text)) ?? []).map(\.range)
      }
      shown = reader?.screen()
      _ = shown?.update(from: nil)
    }
    guard var reader else { return }
    let size = Double(bytes.count) / 1e6
    say("parse", goal: "", String(format: "%.0f ms", parse))
    say("open after parsing", goal: "< 300 ms", String(format: "%.0f ms", open))
    let opened = memory
    for (name, keys, count) in [
      ("scroll by a row", "\u{5}", 600), ("scroll by a page", " ", 300),
      ("the end and back", "Gg", 40),
    ] {
      report(name, goal: 16.7, frames(&reader, &shown, keys, count))
    }
    var find: [Double] = []
    var slices: [Double] = []
    for character in "/dog while" {
      find += frames(&reader, &shown, String(character), 1)
      // The search continues in slices while the user types.
      while reader.isFinding {
        slices.append(
          milliseconds {
            _ = reader.handle(.tick, at: 0)
            let next = reader.screen()
            _ = next.update(from: shown)
            shown = next
          })
      }
    }
    report("key in the find bar", goal: 16, find)
    report("slice between two keys", goal: 16, slices.isEmpty ? [0] : slices)
    _ = reader.handle(.input(.key(.enter)), at: 0)
    report("next of many matches", goal: 16.7, frames(&reader, &shown, "n", 200))
    for (name, now) in [("parsed", held), ("opened", opened), ("while reading", memory)] {
      say("memory, \(name)", goal: "≤ 8 ×", String(format: "%.1f ×", (now - before) / size))
    }
  }

  /// Returns, for each key, the time in milliseconds until the next screen is complete.
  private func frames(
    _ reader: inout Reader, _ shown: inout Screen?, _ keys: String, _ count: Int
  ) -> [Double] {
    var times: [Double] = []
    for index in 0..<count {
      let key = Array(keys)[index % keys.count]
      let event: InputEvent =
        key == "\u{5}" ? .key(.character("e"), .control) : .key(.character(key))
      times.append(
        milliseconds {
          _ = reader.handle(.input(event), at: 0)
          let next = reader.screen()
          _ = next.update(from: shown)
          shown = next
        })
    }
    return times
  }

  private func report(_ name: String, goal: Double, _ times: [Double]) {
    let sorted = times.sorted()
    let figures = [sorted.count / 2, sorted.count * 99 / 100, sorted.count - 1].map {
      String(format: "%.1f", sorted[$0])
    }
    say(name, goal: "≤ \(goal.formatted()) ms", figures.joined(separator: " / "))
  }

  private func say(_ name: String, goal: String, _ figure: String) {
    print([name, goal, figure].joined(separator: "\t"))
  }
}
