import Foundation
import RichTextChecks
import RichTextFormats
import TestSupport
import Testing

/// Tests that the reader never traps or hangs. `DIPLE_FUZZ_RUNS` sets the number of changed files
/// (1,500), `DIPLE_TEST_SEED` repeats a run. `Tooling/fuzz` runs many more.
@Suite struct RTFFuzzTests {
  private static let runs =
    ProcessInfo.processInfo.environment["DIPLE_FUZZ_RUNS"].flatMap(Int.init) ?? 1_500

  @Test func `randomly changed files are read or rejected`() throws {
    let seed = SeededGenerator.runSeed
    print("RTFFuzzTests: seed \(seed), \(Self.runs) runs")
    var mutations = RTFMutations(seed: seed)
    for _ in 0..<Self.runs { try RTFMutations.check(mutations.next()) }
  }

  /// Long inputs, for which an algorithm that is not linear would take hours.
  @Test(arguments: [
    "{", "}", "{}", "\\", "\\'", "\\'e9", "\\u8212?", "{\\b a}", "\\b a\\b0 ", "\\par ", "\\cell ",
    "\\intbl a\\cell\\row ", "{\\footnote a}", "{\\pict 00}", "{\\*\\x a}", "\\f1\\f2 a", "\\tx9 ",
    "<$Scr_Ps::1>", "\\{\\\\Scrv_annot ", "\\{\\\\Scrv_fn=", "{\\fonttbl{\\f1 a;}}", "\\ls1 a\\par",
    "{\\colortbl;\\red1;}", "{\\stylesheet{\\s1 a;}}", "{\\field{\\*\\fldinst HYPERLINK \"a\"}",
    "\\ansicpg932 \\'83", "\\fs1 a\\fs2 b", "{\\upr{a}{\\*\\ud{b}}}", "\\bin1 a",
    "{{\\NeXTGraphic a}", "{\\shp{\\*\\shpinst{\\shptxt a}}}", "{\\shp{\\*\\shpinst{\\shptxt a",
    "\\deleted a\\deleted0 \\par ", "{\\field{\\*\\fldinst EQ \\\\f(a,b)}{\\fldrslt }}", "\\\\o(",
    "{\\info{\\title a}}",
    "\\s1\\li1\\par ", ";", "\"",
  ])
  func `long repetitive input is read or rejected`(_ piece: String) throws {
    let bytes = Array(
      ("{\\rtf1 " + String(repeating: piece, count: 200_000 / piece.utf8.count)).utf8)
    _ = try RTFReader.read(bytes)
    let inField = Array("{\\rtf1{\\field{\\*\\fldinst ".utf8) + bytes.dropFirst(7)
    _ = try RTFReader.read(inField)
    let inStyles = Array("{\\rtf1{\\stylesheet ".utf8) + bytes.dropFirst(7)
    _ = try RTFReader.read(inStyles)
  }
}
