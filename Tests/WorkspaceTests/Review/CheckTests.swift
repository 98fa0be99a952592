import Editing
import Foundation
import LibrarySupport
import Model
import SystemSupport
import TestSupport
import Testing

@testable import Workspace

/// Tests which highlights an edit affects, in the files and in git's index.
@Suite struct CheckTests {
  private let folder: LibraryFolder

  private static let passage =
    "The obelus marked a line that the critic held to be spurious in the poem of Homer."
  private static let kept = "# Signs\n\nBefore all.\n\n\(passage)\n\nAfter all.\n"
  private static let lost = "# Signs\n\nBefore all.\n\nAfter all.\n"

  init() throws {
    folder = try LibraryFolder()
    try folder.write("a.md", Self.kept)
    try folder.write("b.md", "# Others\n\nQuite another text about trees and rivers.\n")
  }

  /// Returns the library with a highlight in `a.md`, in a work tree with one commit.
  private func committed() async throws -> (Library, Highlight) {
    try folder.git("init", "-q", "-b", "main", ".")
    try folder.git("add", "a.md", "b.md")
    try folder.git("commit", "-qm", "first")
    let library = try await folder.library()
    return (library, try await library.mark("a.md", "\"\(Self.passage)\""))
  }

  @Test func `a check lists highlights lost in changed and missing files`() async throws {
    let library = try await folder.library()
    let highlight = try await library.mark("a.md", "\"\(Self.passage)\"")
    _ = try await library.mark("b.md", "\"trees\"")
    #expect(try await library.check().isEmpty)
    try folder.write("a.md", Self.lost)
    let affected = try await library.check()
    #expect(affected.map(\.highlight.id) == [highlight.id])
    #expect(affected[0].after.state == .orphaned && affected[0].words == nil)
    try folder.remove("b.md")
    let all = try await library.check()
    #expect(all.map(\.document.path.string).sorted() == ["a.md", "b.md"])
    #expect(all.first { $0.document.path.string == "b.md" }?.after.state == .orphaned)
    #expect(try await library.check([try await library.document("b.md")]).count == 1)
  }

  @Test(.enabled(if: LibraryFolder.hasGit, "git is not installed"))
  func `a check of the index ignores the files on disk`() async throws {
    let (library, highlight) = try await committed()
    #expect(try await library.checkStaged(around: folder.path).isEmpty)
    // The change is only on disk, so the next commit doesn't contain it.
    try folder.write("a.md", Self.lost)
    #expect(try await library.checkStaged(around: folder.path).isEmpty)
    try folder.git("add", "a.md")
    // The change is only staged, and reverted on disk.
    try folder.write("a.md", Self.kept)
    let affected = try await library.checkStaged(around: folder.path)
    #expect(affected.map(\.highlight.id) == [highlight.id] && affected[0].after.state == .orphaned)
    #expect(try await library.fresh(highlight).anchor.state == .exact, "a check stores nothing")
    // A rejected highlight does not count.
    try folder.write("a.md", Self.lost)
    _ = try await library.detach(try await library.fresh(highlight))
    #expect(try await library.checkStaged(around: folder.path).isEmpty)
  }

  @Test(.enabled(if: LibraryFolder.hasGit, "git is not installed"))
  func `a file that is staged under another name is the same document`() async throws {
    let (library, highlight) = try await committed()
    try folder.git("mv", "a.md", "deep name.md")
    #expect(try await library.checkStaged(around: folder.path).isEmpty)
    try folder.write(
      "deep name.md", Self.kept.replacing(Self.passage, with: "Nothing of it is left."))
    try folder.git("add", "deep name.md")
    #expect(
      try await library.checkStaged(around: folder.path).map(\.highlight.id) == [highlight.id])
  }

  @Test(.enabled(if: LibraryFolder.hasGit, "git is not installed"))
  func `deleting a file in a commit affects its highlights`() async throws {
    let (library, highlight) = try await committed()
    try folder.git("rm", "-q", "--cached", "a.md")
    let affected = try await library.checkStaged(around: folder.path + "/.diple")
    #expect(affected.map(\.highlight.id) == [highlight.id] && affected[0].after.state == .orphaned)
  }

  @Test(.enabled(if: LibraryFolder.hasGit, "git is not installed"))
  func `highlights that were lost in the last commit are not reported for the next`() async throws {
    let (library, highlight) = try await committed()
    try folder.write("a.md", Self.lost)
    try folder.git("commit", "-qam", "lost")
    #expect(try await library.fresh(highlight).anchor.state == .orphaned)
    try folder.write("a.md", Self.lost + "\nMore.\n")
    try folder.git("add", "a.md")
    #expect(try await library.checkStaged(around: folder.path).isEmpty)
  }

  @Test func `a folder outside a git work tree is reported`() async throws {
    let library = try await folder.library()
    let error = try await failure { _ = try await library.checkStaged(around: folder.path) }
    #expect(error.code == .notFound && error.message.contains("not in a git work tree"), "\(error)")
  }

  @Test(.enabled(if: LibraryFolder.hasGit, "git is not installed"))
  func `another program's hook is kept, and Diple's hook is written once`() async throws {
    let (library, _) = try await committed()
    let path = try await library.installHook(around: folder.path, naming: true)
    let script = try String(contentsOfFile: path, encoding: .utf8)
    #expect(script.contains("--library \(folder.path)/.diple"))
    #expect(FileManager.default.isExecutableFile(atPath: path))
    let again = try await failure {
      _ = try await library.installHook(around: folder.path, naming: true)
    }
    #expect(again.code == .nothing)
    // A hook without `--library` replaces the hook with this option.
    _ = try await library.installHook(around: folder.path, naming: false)
    #expect(try !String(contentsOfFile: path, encoding: .utf8).contains("--library"))
    try folder.write(".git/hooks/pre-commit", "#!/bin/sh\nexit 0\n")
    let other = try await failure {
      _ = try await library.installHook(around: folder.path, naming: false)
    }
    #expect(
      other.code == .conflict
        && other.hint?.text(in: .plain).contains("anchor check --staged") == true)
    #expect(try folder.read(".git/hooks/pre-commit") == "#!/bin/sh\nexit 0\n")
  }
}
