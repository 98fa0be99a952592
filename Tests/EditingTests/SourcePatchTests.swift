import Editing
import Foundation
import MarkdownParse
import Model
import TestSupport
import Testing

@Suite struct SourcePatchTests {
  /// Random bytes, few of them different, with random edits.
  private static func sample(_ letters: String, _ random: inout SeededGenerator)
    -> (MarkdownSource, [SourceEdit])
  {
    let letters = Array(letters.utf8)
    let bytes = (0..<Int.random(in: 0...120, using: &random)).map { _ in
      letters.randomElement(using: &random)!
    }
    var edits: [SourceEdit] = []
    var position = 0
    while position < bytes.count, edits.count < 6 {
      let start = Int.random(in: position...bytes.count, using: &random)
      let end = Int.random(in: start...min(bytes.count, start + 30), using: &random)
      edits.append(
        SourceEdit(
          range: SourceRange(bytes: start..<end),
          replacement: ["", "x", "\n", "a\nb\n", "é"].randomElement(using: &random)!))
      position = end + 1
    }
    return (MarkdownSource(bytes), edits)
  }

  @Test func `the inverse undoes a patch, and a patch is equal after encoding and decoding`() throws
  {
    let seed = SeededGenerator.runSeed
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    for _ in 0..<2_000 {
      let (source, edits) = Self.sample("ab\n\n é", &random)
      let patch = SourcePatch(edits, of: source)
      #expect(patch.fits(source.bytes))
      let changed = patch.applied(to: source.bytes)
      #expect(patch.inverted.fits(changed))
      #expect(patch.inverted.applied(to: changed) == source.bytes)
      #expect(patch.inverted.inverted == patch)
      #expect(SourcePatch(encoded: patch.encoded) == patch)
    }
  }

  @Test func `a truncated patch is rejected`() throws {
    let source = MarkdownSource(String(repeating: "word ", count: 100))
    let patch = SourcePatch(
      [SourceEdit(range: SourceRange(bytes: 300..<304), replacement: "words")], of: source)
    let encoded = patch.encoded
    for count in 1..<encoded.count {
      #expect(SourcePatch(encoded: Array(encoded[..<count])) == nil, "\(count) bytes")
    }
    #expect(!patch.fits(Array(source.bytes[1...])))
    #expect(!patch.fits(Array(source.bytes[..<300])))
  }

  @Test func `a patch is rebased on other changes, and rejected where they overlap`() throws {
    let source = MarkdownSource("one two three four five")
    let patch = SourcePatch(
      [
        SourceEdit(range: SourceRange(bytes: 4..<7), replacement: "2"),
        SourceEdit(range: SourceRange(bytes: 19..<23), replacement: "5"),
      ], of: source)
    func moved(_ text: String) -> String? {
      let bytes = Array(text.utf8)
      return (try? patch.moved(from: source.bytes, to: bytes)).map {
        String(decoding: $0.applied(to: bytes), as: UTF8.self)
      }
    }
    #expect(moved("one two and a three four five") == "one 2 and a three four 5")
    #expect(moved("zero, one two three four five") == "zero, one 2 three four 5")
    #expect(moved("one two four five") == "one 2 four 5")
    // Other changes in several places of the same line.
    #expect(moved("one, and two 3 and four five, and so on") == nil)
    #expect(moved("zero one two 3 and four five") == "zero one 2 3 and four 5")
    // Whole lines inserted directly before and after.
    #expect(moved("one x\ntwo three four five\nsix") == "one x\n2 three four 5\nsix")
    for other in [
      "one x two three four five", "one two three four five six", "one two three four five six\n",
      "one twos three four five", "one three four five", "five", "", "x one 2 3 4 five x",
    ] {
      #expect(moved(other) == nil, "\(other)")
    }
  }

  @Test func `a patch is merged with random changes of other lines without losing any`()
    throws
  {
    let seed = SeededGenerator.runSeed
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    var (merged, refused) = (0, 0)
    for _ in 0..<300 {
      // There are only four different lines, so many are equal.
      let lines = (0..<Int.random(in: 4...60, using: &random)).map { _ in
        ["", "one", "two three", "- four"].randomElement(using: &random)! + "\n"
      }
      var theirs = lines
      var edits: [SourceEdit] = []
      var start = 0
      for (index, line) in lines.enumerated() {
        let range = SourceRange(bytes: start..<start + line.utf8.count)
        start += line.utf8.count
        switch Int.random(in: 0..<8, using: &random) {
        case 0: edits.append(SourceEdit(range: range, replacement: "ours \(index)\n"))
        case 1:
          theirs[index] =
            ["", "theirs \(index)\n", "x \(index)\n" + line].randomElement(using: &random)!
        default: continue
        }
      }
      let source = MarkdownSource(lines.joined())
      let new = theirs.joined()
      guard
        let moved = try? SourcePatch(edits, of: source)
          .moved(from: source.bytes, to: Array(new.utf8)), moved.fits(Array(new.utf8))
      else {
        refused += 1
        continue
      }
      merged += 1
      let result = String(decoding: moved.applied(to: Array(new.utf8)), as: UTF8.self)
      let written = Set(result.split(separator: "\n"))
      for edit in edits { #expect(written.contains(edit.replacement.dropLast())) }
      for line in new.split(separator: "\n") where line.last!.isNumber {
        #expect(written.contains(line))
      }
      #expect(result.count { $0 == "\n" } == new.count { $0 == "\n" })
    }
    print("figures: \(merged) merged, \(refused) refused")
    #expect(merged > 60)
  }

  // MARK: - Diffs

  private func diff(_ old: String, _ edits: [(Range<Int>, String)]) -> String {
    let source = MarkdownSource(old)
    let edits = edits.map { SourceEdit(range: SourceRange(bytes: $0), replacement: $1) }
    return UnifiedDiff(SourcePatch(edits, of: source), of: source.bytes).text(name: "f")
  }

  @Test func `a diff shows the changed lines with three lines of context`() {
    let old = (1...12).map { "line \($0)\n" }.joined()
    #expect(
      diff(old, [(28..<34, "other")])
        == """
        --- f
        +++ f
        @@ -2,7 +2,7 @@
         line 2
         line 3
         line 4
        -line 5
        +other
         line 6
         line 7
         line 8

        """)
    #expect(diff("a\n", [(0..<1, "a")]) == "")
    #expect(diff("", [(0..<0, "a\n")]) == "--- f\n+++ f\n@@ -0,0 +1 @@\n+a\n")
    #expect(diff("a\n", [(0..<2, "")]) == "--- f\n+++ f\n@@ -1 +0,0 @@\n-a\n")
    #expect(
      diff("a", [(1..<1, "\n")])
        == "--- f\n+++ f\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n")
  }

  /// `git apply` reads diffs strictly: the counts, the context and the missing line feeds.
  @Test func `git applies random diffs with the same result`() throws {
    let seed = SeededGenerator.runSeed
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "diple-diff-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    var all = ""
    var expected: [(URL, [UInt8])] = []
    for number in 0..<300 {
      let (source, edits) = Self.sample("ab\n\n ", &random)
      let patch = SourcePatch(edits, of: source)
      let diff = UnifiedDiff(patch, of: source.bytes)
      let changed = patch.applied(to: source.bytes)
      #expect(diff.isEmpty == (changed == source.bytes))
      // For an empty file, git expects a diff that creates or deletes the file.
      if diff.isEmpty || source.bytes.isEmpty || changed.isEmpty { continue }
      let file = folder.appendingPathComponent("\(number)")
      try Data(source.bytes).write(to: file)
      expected.append((file, changed))
      all += diff.text(name: "\(number)").replacing("--- ", with: "--- a/").replacing(
        "+++ ", with: "+++ b/")
    }
    try Data(all.utf8).write(to: folder.appendingPathComponent("all.diff"))
    let git = Process()
    git.executableURL = URL(filePath: "/usr/bin/env")
    git.arguments = ["git", "apply", "--whitespace=nowarn", "all.diff"]
    git.currentDirectoryURL = folder
    try git.run()
    #expect(try git.end() == 0)
    #expect(expected.count > 50)
    for (file, bytes) in expected { #expect(Array(try Data(contentsOf: file)) == bytes) }
  }
}
