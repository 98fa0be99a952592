import Anchoring
import BuiltIn
import Editing
import Foundation
import LibraryFormatting
import Model
import RichText
import SystemSupport
import Workspace

/// `diple-bench survival DIR`: formats the passages of a set of edits in a library, replaces each
/// file by its later revision, and measures how many passages are found again by `diple refresh`. A
/// passage with an uncertain position isn't shown. Such a passage counts as missed, or as right if
/// it is gone.
struct SurvivalBenchmark {
  func run(_ folder: URL) async throws {
    let set = try AnchorSet(folder: folder, rendered: true)
    var scores: [String: AnchorScore] = [:]
    var skipped = 0
    for pair in set.pairs {
      guard let (old, new) = pair.sources else { continue }
      let place = FileManager.default.temporaryDirectory.appendingPathComponent(
        "diple-survival-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: place) }
      let file = place.appendingPathComponent("a.md")
      try Data(old.utf8).write(to: file)
      let library = try Library(
        at: LibraryLocation(folder: place.path + "/.diple"), plugins: .builtIn, opening: .create)
      _ = try await library.add([file.path])
      guard let document = try await library.documents().first else { continue }
      var taken: [Range<Int>] = []
      var tests: [AnchorSet.Case] = []
      for test in pair.cases {
        // Formatting a passage inside another one would replace the format of that part.
        guard !taken.contains(where: { $0.overlaps(test.range) }) else {
          skipped += 1
          continue
        }
        do {
          _ = try await library.format(
            document, SelectionSpec(units: TextRange(utf16: test.range)),
            .change(FormatChange(characters: [.set(.size(40))])), label: "test", keepsFile: true)
        } catch {
          skipped += 1
          continue
        }
        taken.append(test.range)
        tests.append(test)
      }
      try Data(new.utf8).write(to: file)
      _ = try await library.refresh()
      let passages = try await library.format(of: try await library.open(document)).passages
      guard passages.count == tests.count else {
        throw UserError(.conflict, "found \(passages.count) passages instead of \(tests.count)")
      }
      for (test, passage) in zip(tests, passages) {
        let anchor = passage.isShown ? passage.anchor : .orphan
        let outcome = AnchorScore.outcome(test, anchor)
        for group in ["all"] + test.groups.prefix(1) {
          scores[group, default: AnchorScore()].add(outcome, anchor)
        }
      }
    }
    print("## \(folder.lastPathComponent), formatted passages that are shown\n")
    print(AnchorScore.header)
    for name in ["all"] + scores.keys.filter({ $0 != "all" }).sorted() {
      print(scores[name]!.row(name))
    }
    print("\nskipped \(skipped) passages that overlap another one.")
  }
}
