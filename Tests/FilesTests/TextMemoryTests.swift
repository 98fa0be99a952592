import Files
import Foundation
import Model
import SystemSupport
import TestSupport
import Testing

@Suite struct TextMemoryTests {
  /// Repeated markup, and the measured memory of its parsed text, in bytes for each byte of the
  /// text.
  @Test(arguments: [
    ("- a\n", 87.3), ("- - a\n", 103.7), ("|a|b|\n", 80.9), ("a\n\n", 67.2), ("a\n", 63.3),
    ("# a\n", 55.0), (">a\n\n", 87.3), ("*a*", 50.9), ("[a](b)", 34.2), ("\\*", 33.1),
    ("<b>a</b>", 32.4), ("`a`", 3.9), ("[a]: b\n\n", 26.7), ("[^a]: b\n\n", 39.4),
    ("one and another word of a sentence in a paragraph of several lines that are this\n", 5.7),
  ]) func `the estimated memory of a text is at least nine tenths of the measured one`(
    part: String, measured: Double
  ) {
    let count = 1_000_000 / part.utf8.count
    let bytes = Array(repeating: Array(part.utf8), count: count).flatMap { $0 }
    let ratio = Double(ParsedTextSize.estimate(of: bytes)) / Double(bytes.count)
    #expect(ratio > measured * 0.9, "\(ratio)")
    // Prose of the maximum size is accepted.
    if part.hasPrefix("one") { #expect(ratio < 8, "\(ratio)") }
  }

  @Test func `a text that would take too much memory is rejected in one line`() throws {
    let folder = try WorkFolder()
    try folder.write("list.md", String(repeating: "- a\n", count: 1_600_000))
    try folder.write("prose.md", String(repeating: "Some words of a text here.\n", count: 240_000))
    let error = #expect(throws: UserError.self) {
      try SourceFile(reading: folder.path + "/list.md")
    }
    #expect(error?.code == .usage)
    #expect(error?.message.contains("too much markup") == true)
    #expect(error?.message.contains("at most 512") == true)
    _ = try SourceFile(reading: folder.path + "/prose.md")
  }
}
