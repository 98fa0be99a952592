import LibrarySupport
import Model
import TestSupport
import Testing

@testable import Workspace

/// Tests several highlights of one document that were last located in different versions of it.
@Suite struct SeveralHighlightsTests {
  private let folder: LibraryFolder

  init() throws { folder = try LibraryFolder() }

  /// A table whose rows 2 and 3 differ in one word.
  private static let rows = [
    "| Oslo | harbour | 1204 visitors in spring |",
    "| Bergen | harbour | 3310 visitors in summer |",
    "| Bergen | harbour | 3310 visitors in autumn |",
    "| Turku | castle | 977 visitors in winter |",
  ]
  /// Returns the table without the rows of some indices.
  private func table(without missing: Int...) -> String {
    let rows = Self.rows.indices.filter { !missing.contains($0) }.map { Self.rows[$0] + "\n" }
    return "# Towns\n\n| town | sight | number |\n|---|---|---|\n\(rows.joined())\nThe end.\n"
  }

  @Test(arguments: [[0, 1, 0], [1, 0, 1], [0, 1, 0, 2, 1], [1, 2, 0, 1, 0, 2]])
  func `a deleted row is not placed with certainty on a similar row`(branches: [Int]) async throws {
    let texts = [table(without: 1), table(without: 2), table()]
    try folder.write("a.md", texts[2])
    let library = try await folder.library()
    let highlights = try [
      await library.mark("a.md", "line:6"), await library.mark("a.md", "line:7"),
    ]
    for branch in branches {
      try folder.write("a.md", texts[branch])
      _ = try await library.refresh()
      for (number, highlight) in highlights.enumerated() {
        let anchor = try await library.highlight(id: highlight.id).anchor
        let words = try await library.words(at: highlight)
        if branch == number {
          #expect(!anchor.isSure, "row \(number) on \(branch) of \(branches): \(anchor)")
        } else {
          #expect(
            anchor.isSure && words == highlight.selector.exact,
            "row \(number) on \(branch) of \(branches): \(anchor) \(words ?? "")")
        }
      }
    }
  }
}
