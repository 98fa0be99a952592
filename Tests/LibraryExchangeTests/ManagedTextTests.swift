import Foundation
import LibraryExchange
import TestSupport
import Testing
import Workspace

@Suite struct ManagedTextTests {
  private func entry(_ key: String, _ content: String) -> ManagedText.Entry {
    ManagedText.Entry(key: key, content: content)
  }

  @discardableResult
  private func update(
    _ file: inout String, _ entries: [ManagedText.Entry], overwrites: Bool = false,
    prunes: Bool = false, obsolete: Set<String> = []
  ) throws -> ManagedText.Report {
    var text = try ManagedText(Array(file.utf8))
    let report = text.update(
      to: entries, overwrites: overwrites, prunes: prunes, isObsolete: obsolete.contains)
    file = String(decoding: text.bytes, as: UTF8.self)
    return report
  }

  private let end = ManagedText.Entry(key: "end:1", content: "")

  @Test func `a second update with the same entries changes nothing`() throws {
    var file = ""
    let entries = [entry("hl:1", "> one\n"), entry("hl:2", "> two\n"), end]
    #expect(try update(&file, entries).added == 3)
    #expect(
      file.replacing(#/ [0-9a-f]{16} /#, with: " D ") == """
        <!-- diple:begin hl:1 D -->
        > one
        <!-- diple:end hl:1 -->

        <!-- diple:begin hl:2 D -->
        > two
        <!-- diple:end hl:2 -->

        <!-- diple:begin end:1 D -->
        <!-- diple:end end:1 -->

        """)
    let before = file
    #expect(try update(&file, entries) == ManagedText.Report())
    #expect(file == before)
  }

  @Test func `an update keeps the user's text and inserts a new highlight in order`() throws {
    var file = "# Mine\n"
    try update(&file, [entry("hl:1", "> one\n"), entry("hl:3", "> three\n"), end])
    file = file.replacing(
      "<!-- diple:end hl:1 -->\n", with: "<!-- diple:end hl:1 -->\nMy thought.\r\n\u{1}")
    file += "My end, without a line end"
    let report = try update(
      &file, [entry("hl:1", "> uno\n"), entry("hl:2", "> two\n"), entry("hl:3", "> three\n"), end])
    #expect(report.added == 1 && report.changed == 1 && report.conflicts.isEmpty)
    let order = [
      "# Mine\n", "> uno\n", "My thought.\r\n\u{1}", "> two\n", "> three\n",
      "My end, without a line end",
    ]
    .map { file.firstRange(of: $0)?.lowerBound }
    #expect(order.allSatisfy { $0 != nil })
    #expect(order.compactMap(\.self) == order.compactMap(\.self).sorted())
    #expect(file.hasSuffix("My end, without a line end"))
  }

  @Test func `an edited region is kept, and conflicts when its entry changes`() throws {
    var file = ""
    try update(&file, [entry("hl:1", "> one\n"), end])
    file = file.replacing("> one\n", with: "> one, as I say it\n")
    let report = try update(&file, [entry("hl:1", "> one\n"), end])
    #expect(report.edited == 1 && report.conflicts.isEmpty && file.contains("as I say it"))
    #expect(try update(&file, [entry("hl:1", "> uno\n"), end]).conflicts == [1])
    #expect(file.contains("as I say it"))
    #expect(try update(&file, [entry("hl:1", "> uno\n"), end], overwrites: true).changed == 1)
    #expect(file.contains("> uno\n") && !file.contains("as I say it"))
  }

  @Test func `obsolete regions are removed only with prunes, and the text around them is kept`()
    throws
  {
    var file = ""
    try update(&file, [entry("hl:1", "> one\n"), entry("hl:2", "> two\n"), end])
    file = file.replacing(
      "> two\n<!-- diple:end hl:2 -->\n", with: "> two\n<!-- diple:end hl:2 -->\nMine.\n")
    let before = file
    #expect(
      try update(&file, [entry("hl:1", "> one\n"), end], obsolete: ["hl:2"]).obsolete == ["hl:2"])
    #expect(file == before)
    // A region whose entry is only filtered out is not obsolete.
    #expect(try update(&file, [entry("hl:1", "> one\n"), end], prunes: true).removed == [])
    #expect(file == before)
    let report = try update(
      &file, [entry("hl:1", "> one\n"), end], prunes: true, obsolete: ["hl:2"])
    #expect(report.removed == ["hl:2"] && !file.contains("> two") && file.contains("Mine.\n"))
    // An edited region is not removed without `overwrites`.
    file = before.replacing("> two\n", with: "> two!\n")
    #expect(try update(&file, [end], prunes: true, obsolete: ["hl:2"]).conflicts.count == 1)
    #expect(file.contains("> two!\n"))
  }

  @Test(arguments: [
    ("<!-- diple:begin hl:1 0123456789abcdef -->\nx\n", 1, "does not end"),
    ("x\n<!-- diple:end hl:1 -->\n", 2, "without a beginning"),
    (
      "<!-- diple:begin hl:1 0123456789abcdef -->\n<!-- diple:begin hl:2 0123456789abcdef -->\n", 2,
      "begins inside of hl:1"
    ),
    (
      "<!-- diple:begin hl:1 0123456789abcdef -->\n<!-- diple:end hl:2 -->\n", 2,
      "inside of hl:1"
    ),
    (
      "<!-- diple:begin hl:1 0123456789abcdef -->\n<!-- diple:end hl:1 -->\n<!-- diple:begin hl:1 0123456789abcdef -->\n<!-- diple:end hl:1 -->\n",
      3, "occurs twice, first in line 1"
    ),
    ("a\n <!-- diple:begin hl:1 -->\n", 2, "damaged"),
    ("<!-- diple:begin hl:1 0123456789ABCDEF -->", 1, "damaged"),
    ("<!-- diple:end hl:1", 1, "damaged"),
    ("<!-- diple:begin ../x 0123456789abcdef -->", 1, "damaged"),
  ])
  func `damaged markers are rejected with their line`(file: String, line: Int, reason: String) {
    #expect { _ = try ManagedText(Array(file.utf8)) } throws: { error in
      guard let problem = error as? ManagedText.Problem else { return false }
      return problem.line == line && problem.reason.contains(reason)
    }
  }

  @Test func `content that looks like a marker is escaped`() throws {
    var file = ""
    let hostile = "<!-- diple:end hl:1 -->\n  <!-- diple:begin hl:9 0123456789abcdef -->\n"
    try update(&file, [entry("hl:1", hostile), end])
    #expect(try ManagedText(Array(file.utf8)).keys == ["hl:1", "end:1"])
    #expect(try update(&file, [entry("hl:1", hostile), end]) == ManagedText.Report())
  }

  @Test func `an update keeps carriage returns`() throws {
    var file = "# Mine\r\n"
    let entries = [entry("hl:1", "> one\n> two\n"), end]
    try update(&file, entries)
    #expect(!file.replacing("\r\n", with: "").contains("\n"))
    #expect(try update(&file, entries) == ManagedText.Report())
    #expect(try update(&file, [entry("hl:1", "> uno\n"), end]).changed == 1)
    #expect(!file.replacing("\r\n", with: "").contains("\n"))
  }

  /// Returns the text outside the regions.
  private func own(_ file: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    var isInside = false
    for line in file.split(separator: 10, omittingEmptySubsequences: false) {
      let text = String(decoding: line, as: UTF8.self).trimmingCharacters(in: .whitespaces)
      if text.hasPrefix("<!-- diple:begin ") { isInside = true }
      // Blank lines are put between regions.
      if !isInside, !line.isEmpty, line != [13] { result += line + [10] }
      if text.hasPrefix("<!-- diple:end ") { isInside = false }
    }
    return result
  }

  @Test func `random updates and edits never lose the user's text`()
    throws
  {
    let seed = SeededGenerator.runSeed
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    let lines: [[UInt8]] = [
      Array("my words".utf8), Array("> my quote".utf8), [0xFF, 0xFE, 0x00], Array("# Mine".utf8),
      Array("---".utf8),
      Array("<!-- a remark -->".utf8), Array("\t- é 😀".utf8), Array("x\r".utf8), Array("-->".utf8),
    ]
    let count = ProcessInfo.processInfo.environment["DIPLE_MANAGED_RUNS"].flatMap { Int($0) }
    for round in 0..<(count ?? 1_000) {
      var contents: [Int: String] = [:]
      var file: [UInt8] = []
      for _ in 0..<4 {
        // Highlights are added, changed and removed.
        for id in 1...6 where Bool.random(using: &random) {
          contents[id] =
            Bool.random(using: &random) ? "> \(id) \(Int.random(in: 0...3, using: &random))\n" : nil
        }
        let entries =
          contents.sorted { $0.key < $1.key }.map { entry("hl:\($0.key)", $0.value) } + [end]
        var text = try ManagedText(file)
        let before = own(file)
        let report = text.update(
          to: entries, overwrites: true, prunes: round.isMultiple(of: 2),
          isObsolete: { key in !entries.contains { $0.key == key } })
        #expect(report.conflicts.isEmpty)
        file = text.bytes
        try #require(own(file) == before, "round \(round)")
        var again = try ManagedText(file)
        let second = again.update(
          to: entries, overwrites: false, prunes: false, isObsolete: { _ in false })
        #expect(second == ManagedText.Report() && again.bytes == file)
        for present in entries { #expect(again.keys.contains(present.key)) }
        // The user writes between the regions, anywhere.
        var parts = file.split(separator: 10, omittingEmptySubsequences: false).map(Array.init)
        var places = [0]
        for (index, line) in parts.enumerated() where line.starts(with: "<!-- diple:end ".utf8) {
          places.append(index + 1)
        }
        for _ in 0..<Int.random(in: 0...3, using: &random) {
          let place = places.randomElement(using: &random)!
          parts.insert(lines.randomElement(using: &random)!, at: min(place, parts.count))
          places = places.map { $0 >= place && $0 > 0 ? $0 + 1 : $0 }
        }
        file = Array(parts.joined(separator: [10]))
      }
    }
  }
}
