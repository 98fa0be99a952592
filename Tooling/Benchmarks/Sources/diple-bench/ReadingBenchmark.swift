import Editing
import Foundation
import MarkdownParse
import Model
import Reader
import Rendering
import SearchStrategies

/// How fast a long text opens in the reader, scrolls and is searched, and what it takes of memory.
struct ReadingBenchmark {
  private static let columns = 120
  private static let rows = 50
  private let clock = ContinuousClock()

  private func milliseconds(_ body: () -> Void) -> Double {
    let time = clock.measure(body)
    return Double(time.components.seconds) * 1e3 + Double(time.components.attoseconds) * 1e-15
  }

  /// Megabytes that the process holds now.
  private var memory: Double {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") } ?? ""
    return (Double(line.split(separator: " ").dropFirst().first ?? "") ?? 0) / 1e3
  }

  func run(_ bytes: [UInt8]) {
    let before = memory
    var parsed: ParsedDocument?
    let parse = milliseconds { parsed = ParsedDocument(parsing: MarkdownSource(bytes)) }
    guard let document = parsed else { return }
    let held = memory
    let step = max(1, document.text.count / 1_000)
    let highlights = stride(from: 0, to: document.text.count - 80, by: step).map { start in
      ReaderHighlight(
        id: "\(start)", range: TextRange(utf16: start..<start + 60), color: .green)
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
    print(
      String(
        format: "%.1f MB: parsed in %.0f ms; opened with %d highlights in %.0f ms", size, parse,
        highlights.count, open))
    for (name, keys, count) in [
      ("a row", "\u{5}", 600), ("a page", " ", 300), ("the end and back", "Gg", 40),
    ] {
      report(name, frames(&reader, &shown, keys, count))
    }
    var find: [Double] = []
    var slices: [Double] = []
    for character in "/dog while" {
      find += frames(&reader, &shown, String(character), 1)
      // What a person who types does not wait for.
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
    report("a key in the find bar", find)
    report("a slice between two keys", slices.isEmpty ? [0] : slices)
    _ = reader.handle(.input(.key(.enter)), at: 0)
    report("the next of many matches", frames(&reader, &shown, "n", 200))
    print(
      String(
        format: "memory: %.0f MB parsed, %.0f MB read: %.1f and %.1f times the text", held - before,
        memory - before, (held - before) / size, (memory - before) / size))
  }

  /// The time of each key with the screen that follows, in milliseconds.
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

  private func report(_ name: String, _ times: [Double]) {
    let sorted = times.sorted()
    let middle = sorted[sorted.count / 2]
    print(
      String(
        format: "%@: p50 %.2f ms, p99 %.2f ms, worst %.2f ms", name, middle,
        sorted[sorted.count * 99 / 100], sorted[sorted.count - 1]))
  }
}
