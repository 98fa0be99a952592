import Foundation
import SystemSupport
import TestSupport
import Testing

@testable import Files

/// Tests with real git, without the user's settings.
@Suite(.enabled(if: WorkFolder.hasGit, "git is not installed")) struct GitRepositoryTests {
  private let folder: WorkFolder

  init() throws {
    folder = try WorkFolder()
    try folder.git("init", "-q", "-b", "main", ".")
  }

  private func repository() async throws -> GitRepository {
    let repository = try await GitRepository(containing: folder.path)
    return try #require(repository)
  }

  @Test func `the work tree is found from its subfolders only`() async throws {
    try folder.write("deep/er/a.md", "a\n")
    let found = try await GitRepository(containing: folder.path + "/deep/er")
    let inside = try #require(found)
    #expect(inside.root == folder.path)
    #expect(try await inside.hooksFolder() == folder.path + "/.git/hooks")
    #expect(try await GitRepository(containing: folder.path + "/nowhere") == nil)
    #expect(try await GitRepository(containing: "/") == nil)
    try folder.git("config", "core.hooksPath", "my hooks")
    #expect(try await inside.hooksFolder() == folder.path + "/my hooks")
  }

  /// Names that git would quote, or interpret as a pattern or an option.
  static let oddNames = [
    "plain.md", "two words.md", "größe 日本.md", "tab\there.md", "line\nbreak.md", "\"quoted\".md",
    "-dash.md", ":(top)magic.md", "[a]*.md", "back\\slash.md", "deep/er/file.md",
  ]

  @Test func `staged changes contain the old and the new name`() async throws {
    for (index, name) in Self.oddNames.enumerated() {
      try folder.write(name, (0..<20).map { "line \($0) of file \(index)\n" }.joined())
    }
    try folder.git("add", "-A")
    let repository = try await repository()
    #expect(
      Set(try await repository.stagedChanges())
        == Set(Self.oddNames.map { .init(oldPath: $0, path: $0) }))
    try folder.git("commit", "-qm", "all")
    #expect(try await repository.stagedChanges().isEmpty)

    // One renamed and edited, one edited, one deleted, one new, and one only on disk.
    try FileManager.default.createDirectory(
      atPath: folder.path + "/moved", withIntermediateDirectories: true)
    try folder.move("two words.md", to: "moved/größer\n2.md")
    try folder.append("moved/größer\n2.md", "one more line\n")
    try folder.append("\"quoted\".md", "more\n")
    try folder.remove("tab\there.md")
    try folder.write("new.md", "quite another text\n")
    try folder.git("add", "-A")
    try folder.append("plain.md", "not staged\n")
    #expect(
      Set(try await repository.stagedChanges()) == [
        .init(oldPath: "two words.md", path: "moved/größer\n2.md"),
        .init(oldPath: "\"quoted\".md", path: "\"quoted\".md"),
        .init(oldPath: "tab\there.md", path: nil), .init(oldPath: "new.md", path: "new.md"),
      ])
  }

  @Test func `a file name that is not valid UTF-8 does not prevent listing other changes`()
    async throws
  {
    try folder.write("a.md", "a\n")
    let name = Array(folder.path.utf8) + Array("/bad-".utf8) + [0xFF] + Array(".md".utf8)
    let descriptor = (name + [0]).withUnsafeBytes { bytes in
      open(bytes.assumingMemoryBound(to: CChar.self).baseAddress!, O_CREAT | O_WRONLY, 0o600)
    }
    try #require(descriptor >= 0, "the file system takes no such name")
    close(descriptor)
    try folder.git("add", "-A")
    let paths = try await repository().stagedChanges().map(\.oldPath)
    #expect(paths.count == 2 && paths.contains("a.md"), "\(paths)")
  }

  @Test func `a file's content is read from a commit or from the index, or nil`() async throws {
    try folder.write("[a]*.md", "first\n")
    try folder.git("add", "-A")
    try folder.git("commit", "-qm", "first")
    try folder.write("[a]*.md", "second\n")
    try folder.git("add", "-A")
    try folder.write("[a]*.md", "third\n")
    let repository = try await repository()
    func text(_ path: String, _ revision: String) async -> String? {
      await repository.content(of: path, in: revision).map { String(decoding: $0, as: UTF8.self) }
    }
    #expect(await text("[a]*.md", "HEAD") == "first\n")
    #expect(await text("[a]*.md", "") == "second\n")
    #expect(await text("b.md", "HEAD") == nil)
    #expect(await text("[a]*.md", "nonsense") == nil)
  }

  @Test func `the bytes of a file are unchanged`() async throws {
    let bytes: [UInt8] = [0xFF, 0, 0x0D, 0x0A, 0x80]
    try Data(bytes).write(to: URL(filePath: folder.path + "/raw.md"))
    try folder.git("add", "-A")
    #expect(try await repository().content(of: "raw.md", in: "") == bytes)
  }

  @Test(arguments: oddNames) func `commits are followed through renames`(name: String) async throws
  {
    let text = (0..<20).map { "line \($0) of a file\n" }.joined()
    try folder.write(name, text)
    try folder.write("other.md", "another file\n")
    try folder.git("add", "-A")
    try folder.git("commit", "-qm", "first: a \"subject\"\n\nwith a body")
    try folder.move(name, to: "new name.md")
    try folder.git("add", "-A")
    try folder.git("commit", "-qm", "moved")
    try folder.append("other.md", "more\n")
    try folder.git("commit", "-qam", "something else")
    try folder.append("new name.md", "more\n")
    try folder.git("commit", "-qam", "größer")
    let repository = try await repository()
    let commits = try await repository.commits(of: "new name.md", limit: 10)
    #expect(commits.map(\.subject) == ["größer", "moved", "first: a \"subject\""])
    #expect(commits.map(\.path) == ["new name.md", "new name.md", name])
    #expect(commits.allSatisfy { $0.author == "A" && $0.hash.count == 40 && $0.time > 1_000_000 })
    #expect(try await repository.commits(of: "new name.md", limit: 2).count == 2)
    #expect(try await repository.commits(of: "nothing.md", limit: 10).isEmpty)
    // Write a new file with the former name, which git could interpret as a pattern.
    try folder.write(name, "quite another text\n")
    try folder.git("add", "-A")
    try folder.git("commit", "-qm", "again")
    let again = try await repository.commits(of: name, limit: 1)
    #expect(again.map(\.subject) == ["again"] && again.map(\.path) == [name])
  }

  @Test func `an author's name that is not valid UTF-8 does not hide the commit`() async throws {
    try folder.write("a.md", "a\n")
    try folder.git("add", "-A")
    try folder.git("commit", "-qm", "first")
    // Latin-1 without a declared encoding, as an old program wrote it.
    try folder.write("b.md", "b\n")
    try folder.shell(
      """
      git add b.md a.md; echo more >> a.md; git add a.md; tree=$(git write-tree)
      commit=$(printf 'tree %s\\nparent %s\\nauthor M\\374ller <m@x> 1700000000 +0000\\ncommitter \
      M\\374ller <m@x> 1700000000 +0000\\n\\nsecond\\n' $tree $(git rev-parse HEAD) \
      | git hash-object -t commit -w --stdin) && git reset -q --hard $commit
      """)
    let commits = try await repository().commits(of: "a.md", limit: 9)
    #expect(commits.map(\.subject) == ["second", "first"], "\(commits)")
  }
}
