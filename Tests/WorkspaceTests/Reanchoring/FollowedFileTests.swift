import Foundation
import LibrarySupport
import Model
import SystemSupport
import TestSupport
import Testing

@testable import Workspace

/// Tests which document a moved, copied or replaced file belongs to.
@Suite struct FollowedFileTests {
  private let folder: LibraryFolder
  private let library: Library
  private let highlight: Highlight

  /// Returns a text that is different for each name.
  private static func text(_ name: String) -> String {
    var random = SeededGenerator(seed: name.utf8.reduce(7) { $0 &* 31 &+ UInt64($1) })
    let lines = (1...30).map { number in
      let words = (0..<5).map { _ in
        String((0..<6).map { _ in "abcdefghijklmnopqrstuvwxyz".randomElement(using: &random)! })
      }
      return "Sentence \(number) of \(name) says \(words.joined(separator: " "))."
    }
    return "# The file \(name)\n\n" + lines.joined(separator: "\n\n") + "\n"
  }

  init() async throws {
    folder = try LibraryFolder()
    for name in ["a", "b", "c"] { try folder.write("\(name).md", Self.text(name)) }
    library = try await folder.library()
    highlight = try await library.mark("a.md", "\"Sentence 20 of a\"")
  }

  /// Returns the report of the document that was `a.md`.
  private func report(searching: Bool = false) async throws -> RefreshReport {
    let reports = try await library.refresh(searching: searching)
    return try #require(reports.first { $0.document.id == highlight.document })
  }

  @Test func `a renamed file keeps its document`() async throws {
    try folder.move("a.md", to: "deep/other.md")
    let report = try await report()
    #expect(report.document.path.string == "deep/other.md" && report.movedFrom?.string == "a.md")
    #expect(report.summary == "a.md was renamed to deep/other.md: 1 kept")
    let now = try await library.fresh(highlight)
    #expect(now.anchor.state == .exact && now.anchor.range == highlight.anchor.range)
    #expect(try await library.history(limit: 9).first?.summary.contains("marked") == true)
  }

  @Test func `a renamed and edited file is recognised by its text`() async throws {
    let text = try folder.read("a.md").replacing("Sentence 3 of a", with: "Phrase three of it")
    try folder.remove("a.md")
    try folder.write("sub/longer.md", "A new beginning.\n\n" + text)
    let report = try await report()
    #expect(report.document.path.string == "sub/longer.md" && report.movedFrom?.string == "a.md")
    #expect(report.change == .returned && report.count(.exact) == 1, "\(report)")
    #expect(try await library.words(at: highlight) == "Sentence 20 of a")
  }

  @Test func `a renamed file is found by its new name`() async throws {
    try folder.move("a.md", to: "deep/other.md")
    let found = try await library.document(folder.path + "/deep/other.md")
    #expect(found.id == highlight.document && found.path.string == "deep/other.md")
    #expect(
      await library.drainFoundDocuments().map(\.summary)
        == ["a.md was renamed to deep/other.md"])
    #expect(await library.drainFoundDocuments().isEmpty)
    // The same after the library has noticed that the file is missing, with an edited text.
    try folder.remove("b.md")
    let second = try await library.mark("c.md", "\"Sentence 9 of c\"")
    try folder.move("c.md", to: "kept")
    _ = try await library.refresh()
    try folder.write(
      "sub/c2.md", try folder.read("kept").replacing("Sentence 3 of c", with: "Phrase three"))
    #expect(try await library.document(folder.path + "/sub/c2.md").id == second.document)
    // Another text is no document.
    try folder.write("d.md", Self.text("d"))
    await #expect(throws: UserError.self) {
      try await library.document(folder.path + "/d.md")
    }
  }

  @Test func `a renamed file that is added keeps its document`() async throws {
    try folder.move("a.md", to: "new.md")
    try folder.write("d.md", Self.text("d"))
    let report = try await library.add([folder.path])
    #expect(
      report.additions.filter { $0.kind != .known }.map { "\($0.kind) \($0.document.path.string)" }
        .sorted()
        == ["added d.md", "renamed new.md"])
    #expect(report.additions.first { $0.kind == .renamed }?.document.id == highlight.document)
    #expect(try await library.documents().count == 4)
    #expect(try await library.words(at: highlight) == "Sentence 20 of a")
  }

  @Test func `a missing file is found when its document is opened, and later in its folder`()
    async throws
  {
    try folder.move("a.md", to: "new.md")
    let open = try await library.open(try await library.document(id: highlight.document))
    #expect(open.report?.movedFrom?.string == "a.md" && open.document?.path.string == "new.md")
    try folder.move("b.md", to: "kept")
    let missing = try await library.refresh().filter { $0.change == .missing }
    #expect(missing.map(\.document.path.string) == ["b.md"])
    try folder.move("kept", to: "b2.md")
    // Only `searching` reads all folders, but a file in the old one is found without it.
    let reports = try await library.refresh()
    #expect(reports.compactMap(\.movedFrom).map(\.string) == ["b.md"])
  }

  @Test func `a missing document is not linked while two copies exist`() async throws {
    let text = try folder.read("a.md")
    try folder.remove("a.md")
    for name in ["d", "e"] { try folder.write("\(name).md", text) }
    let first = try await report()
    #expect(first.change == .missing && first.document.state == .missing && first.movedFrom == nil)
    #expect(try await report(searching: true).document.path.string == "a.md")
    try folder.remove("e.md")
    #expect(try await report(searching: true).document.path.string == "d.md")
    #expect(try await library.words(at: highlight) == "Sentence 20 of a")
  }

  @Test func `a missing document is not linked if two files are similar to it`() async throws {
    let text = try folder.read("a.md")
    try folder.remove("a.md")
    try folder.write("d.md", text.replacing("Sentence 3 ", with: "Phrase 3 "))
    try folder.write("e.md", text.replacing("Sentence 5 ", with: "Phrase 5 "))
    #expect(try await report().change == .missing)
  }

  @Test
  func `a missing document is linked neither to a different text nor to another document's file`()
    async throws
  {
    try folder.remove("a.md")
    try folder.write("d.md", Self.text("d"))
    #expect(try await report().change == .missing)
    // The file b.md now has the same text, but belongs to another document.
    try folder.write("b.md", Self.text("a"))
    #expect(try await report(searching: true).document.path.string == "a.md")
    #expect(try await library.document("b.md").state == .present)
  }

  @Test func `the report of a missing document states if it had no highlights`() async throws {
    try folder.remove("c.md")
    let reports = try await library.refresh()
    let report = try #require(reports.first { $0.document.path.string == "c.md" })
    #expect(report.summary == "c.md is missing; it had no highlights")
  }

  @Test func `a document whose file returns keeps its highlights`() async throws {
    let before = try await library.fresh(highlight)
    let text = try folder.read("a.md")
    try folder.remove("a.md")
    #expect(try await report().summary == "a.md is missing; its highlights are kept")
    #expect(try await report().summary == nil, "it is reported once")
    #expect(try await library.highlights(HighlightFilter()).map(\.id) == [highlight.id])
    try folder.write("a.md", text)
    let report = try await report()
    #expect(report.change == .returned && report.summary == "a.md was found again: 1 kept")
    #expect(try await library.fresh(highlight) == before)
  }

  @Test func `after a move, the old name can be used by another document`()
    async throws
  {
    try folder.move("a.md", to: "kept")
    #expect(try await report().change == .missing)
    try folder.move("kept", to: "z.md")
    #expect(try await report(searching: true).document.path.string == "z.md")
    // The old name is free for another document.
    try folder.write("a.md", Self.text("new"))
    _ = try await library.add([folder.path])
    let paths = try await library.documents().map(\.path.string)
    #expect(paths.sorted() == ["a.md", "b.md", "c.md", "z.md"])
    #expect(try await library.document("a.md").id != highlight.document)
  }

  // MARK: - Links and git

  @Test func `a document that the user linked stays linked after edits`() async throws {
    try folder.write("other/d.md", Self.text("d"))
    _ = try await library.link(try await library.document("a.md"), to: folder.path + "/other/d.md")
    #expect(try await report().document.path.string == "other/d.md")
    try folder.write("other/d.md", Self.text("e"))
    #expect(try await report().document.path.string == "other/d.md")
  }

  @Test(.enabled(if: LibraryFolder.hasGit))
  func `a file that git restores at its old path is recognised`()
    async throws
  {
    try folder.write(".gitignore", ".diple\n.git-output\n")
    try folder.write("zh/other.md", Self.text("z"))
    try folder.git("init", "-q", "-b", "main")
    try folder.git("add", "-A")
    try folder.git("commit", "-qm", "one")
    try folder.git("checkout", "-qb", "other")
    try folder.move("a.md", to: "zh/enum.md")
    #expect(try await report().document.path.string == "zh/enum.md")
    // The file is rewritten on this branch and a copy exists. Neither must prevent that the file is
    // recognised at its old path.
    try folder.write("zh/enum.md", Self.text("wholly new") + Self.text("a").suffix(400))
    _ = try await report()
    try folder.git("add", "-A")
    try folder.git("commit", "-qm", "two")
    try folder.git("checkout", "-q", "main")
    try folder.write("copy.md", Self.text("a"))
    let back = try await report()
    #expect(back.document.path.string == "a.md" && back.movedFrom?.string == "zh/enum.md")
    #expect(back.document.state == .present && back.summary?.contains("renamed to a.md") == true)
    #expect(try await library.words(at: highlight) == "Sentence 20 of a")
    #expect(try await library.document("a.md").id == highlight.document)
  }

  @Test(.enabled(if: LibraryFolder.hasGit))
  func `a document returns to its old path if another file replaces it at the new one`()
    async throws
  {
    try folder.write(".gitignore", ".diple\n.git-output\n")
    try folder.write("kept/d.md", Self.text("d"))
    try folder.git("init", "-q", "-b", "main")
    try folder.git("add", "-A")
    try folder.git("commit", "-qm", "one")
    try folder.git("checkout", "-qb", "other")
    try folder.move("a.md", to: "kept/d.md")
    #expect(try await report().document.path.string == "kept/d.md")
    try folder.git("add", "-A")
    try folder.git("commit", "-qm", "two")
    try folder.git("checkout", "-q", "main")
    let back = try await report()
    #expect(back.document.path.string == "a.md" && back.movedFrom?.string == "kept/d.md")
    #expect(try await library.words(at: highlight) == "Sentence 20 of a")
    // A copy at the old path, while the new file is edited, does not count as a return.
    try folder.move("a.md", to: "new.md")
    #expect(try await report().document.path.string == "new.md")
    let text = try folder.read("new.md")
    try folder.write("a.md", text)
    try folder.write("new.md", text.replacing("Sentence 3 ", with: "Phrase 3 "))
    #expect(try await report().document.path.string == "new.md")
  }
}
