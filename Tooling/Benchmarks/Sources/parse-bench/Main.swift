import Foundation
import MarkdownParse

/// Measures the speed of the parser.
/// usage: parse-bench speed FILE…           compares it with cmark-gfm and md4c
///        parse-bench pathological [NAME]   parses hostile inputs of several sizes; exit code 1 if
///                                          the time for one isn't linear
@main
enum Main {
  static func main() {
    var words = CommandLine.arguments.dropFirst()
    switch words.popFirst() {
    case "speed" where !words.isEmpty: speed(words.map(bytes))
    case "pathological" where words.count <= 1: PathologicalRun.start(named: words.first)
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

  // MARK: - Speed

  private static func speed(_ files: [[UInt8]]) {
    let size = files.reduce(0) { $0 + $1.count }
    let sources = files.map { MarkdownSource($0) }
    var mapBytes = 0
    var units = 0
    // Measure the parsers in turns, so that a busy machine affects all of them.
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
        format: "%d files, %.2f MB, %d UTF-16 units rendered; %.2f bytes of map per byte of source",
        files.count, Double(size) / 1e6, units, Double(mapBytes) / Double(size)))
    for (name, time) in times.sorted(by: { $0.value < $1.value }) {
      print(String(format: "%6.1f MB/s  ", Double(size) / 1e6 / time) + name)
    }
  }
}
