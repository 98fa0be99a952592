import Foundation
import Interchange
import Model
import Testing

@testable import Formats

/// Tests that importers never crash or hang, with random changes of their examples.
/// `DIPLE_FUZZ_RUNS` sets the number of changed inputs for each importer, 60 by default;
/// `DIPLE_TEST_SEED` repeats a run.
@Suite struct ImporterFuzzTests {
  private static let importers: [any Importer] = [
    JSONHighlightsReader(), CSVTableReader(), WebAnnotationReader(), KindleClippings(),
    KindleNotebook(), ReadwiseCSV(), ReadwiseReaderCSV(), InstapaperCSV(), RaindropCSV(),
    CalibreAnnotations(), MoonReaderExport(), GooglePlayBooks(), Hypothesis(), KOReaderMetadata(),
    KOReaderExport(), PDFAnnotations(), ZoteroAnnotations(), ZoteroNotes(),
    WallabagAnnotations(), ReadestNotes(),
    MarkdownMarks(),
    MarkdownQuoteReader(), HTMLMarks(), PlainQuotes(),
  ]

  private static let runs =
    ProcessInfo.processInfo.environment["DIPLE_FUZZ_RUNS"].flatMap(Int.init) ?? 60

  /// SplitMix64.
  private struct Random: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var z = state
      z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
      z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
      return z ^ (z >> 31)
    }
  }

  private static let pieces: [[UInt8]] =
    [
      "\"", "\\", "{", "}", "[", "]", "]]", "[[", "=", "==", "==========\r\n", ",", "\r\n", "\n\n",
      "-",
      "- Your Note on Location 99999999999999 | Added on x", "<", ">", "<mark>", "</mark>",
      "&#xFFFFFF;", "&", "`", "%%", "|", "9999999999999999999", "-1", "1e999", "null",
      "0001-01-01", "2023-01-27 24:60:61",
      "\u{FEFF}", "\u{202E}", "ﷺ", "[==[", "--[[", "\\u{D800}", "\0", "GMT-99:99", "#", "(", ")",
    ].map { Array($0.utf8) } + [[0xFF], [0xC3], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80]]

  private static func mutated(_ bytes: [UInt8], _ random: inout Random) -> [UInt8] {
    var bytes = bytes
    for _ in 0..<Int.random(in: 1...6, using: &random) {
      guard !bytes.isEmpty else { break }
      let place = Int.random(in: 0..<bytes.count, using: &random)
      let end = min(bytes.count, place + Int.random(in: 0...24, using: &random))
      switch Int.random(in: 0..<6, using: &random) {
      case 0: bytes.remove(at: place)
      case 1: bytes[place] = UInt8.random(in: 0...255, using: &random)
      case 2: bytes.removeSubrange(place..<end)
      case 3: bytes.insert(contentsOf: pieces.randomElement(using: &random) ?? [], at: place)
      case 4:
        let target = Int.random(in: 0...bytes.count, using: &random)
        bytes.insert(contentsOf: bytes[place..<end], at: target)
      default: bytes.removeLast(bytes.count - place)
      }
    }
    return bytes
  }

  @Test func `randomly changed input is read or rejected in one line`() {
    let seed =
      ProcessInfo.processInfo.environment["DIPLE_TEST_SEED"].flatMap(UInt64.init)
      ?? UInt64.random(in: 0...UInt64.max)
    print("ImporterFuzzTests: seed \(seed), \(Self.runs) runs")
    var random = Random(state: seed)
    for importer in Self.importers {
      let seeds = type(of: importer).examples.map { Array($0.input.utf8) }
      for run in 0..<Self.runs {
        var bytes = seeds[run % seeds.count]
        for _ in 0...(run % 3) { bytes = Self.mutated(bytes, &random) }
        let source = ImportSource(bytes, path: "x.md")
        _ = importer.recognizes(source)
        do throws(ImportError) {
          let content = try importer.read(source)
          let limit = bytes.count * 4 + 64
          for record in content.records where record.quote.utf8.count > limit {
            Issue.record(
              "seed \(seed): \(type(of: importer).id) makes \(record.quote.utf8.count) bytes")
          }
          #expect(!content.skipped.contains { $0.isEmpty }, "seed \(seed)")
        } catch {
          #expect(!error.description.contains("\n"), "seed \(seed): \(error)")
        }
      }
    }
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let peak = status.split(separator: "\n").first { $0.hasPrefix("VmHWM") } ?? ""
    print("ImporterFuzzTests: \(peak)")
  }

  /// Long inputs, for which an algorithm that is not linear would take hours.
  @Test(arguments: [
    "[[", "](", "=", "==a", "`", "``a`", "<", "<mark>", "&", "[", "{", "[1,", "{\"a\":", "\"", "\\",
    "%%",
    "==========\n", "a\n- x | y\n\nz\n==========\n", "return {", "--[[", "\"a\",", "> \n", "\n\n",
    "(",
    "a (b) (c)\n",
  ])
  func `long repetitive input is read or rejected`(_ piece: String) {
    let bytes = Array(String(repeating: piece, count: 60_000 / piece.utf8.count).utf8)
    for importer in Self.importers {
      for path in ["x.md", "x.lua", ""] {
        _ = importer.recognizes(ImportSource(bytes, path: path))
      }
      _ = try? importer.read(ImportSource(bytes, path: "x.md"))
    }
  }
}
