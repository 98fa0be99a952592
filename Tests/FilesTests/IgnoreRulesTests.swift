import Files
import Foundation
import TestSupport
import Testing

@Suite struct IgnoreRulesTests {
  /// The test `the rules agree with git` compares these patterns with git.
  static let patterns = """
    # a comment
    *.log
    build/
    /top.md
    docs/*.md
    !docs/keep.md
    **/deep/x.md
    a/**/z.md
    inside/**
    \\#hash.md
    \\!bang.md
    q?.md
    set[0-9a].md
    not[!x].md
    trailing.md   
    star*mid*end.md
    """

  static let paths = [
    "a.log", "sub/a.log", "build", "sub/build", "top.md", "sub/top.md", "docs/a.md", "docs/keep.md",
    "docs/sub/a.md", "deep/x.md", "p/q/deep/x.md", "a/z.md", "a/b/z.md", "a/b/c/z.md", "inside/k",
    "#hash.md", "!bang.md", "q1.md", "q12.md", "set5.md", "seta.md", "setb.md", "notx.md",
    "noty.md",
    "trailing.md", "starXmidYend.md", "starmidend.md", "starmid.md", "plain.md", "ein/ümläut.md",
  ]

  @Test(arguments: [
    ("a.log", false, true), ("sub/build", true, true), ("sub/build", false, false),
    ("top.md", false, true), ("sub/top.md", false, false), ("docs/a.md", false, true),
    ("docs/keep.md", false, false), ("docs/sub/a.md", false, false), ("a/z.md", false, true),
    ("a/b/c/z.md", false, true), ("inside", true, false), ("inside/k", false, true),
    ("seta.md", false, true), ("setb.md", false, false), ("noty.md", false, true),
    ("starXmidYend.md", false, true), ("starmid.md", false, false), ("plain.md", false, false),
  ])
  func `patterns have the meaning of gitignore`(path: String, isFolder: Bool, isIgnored: Bool) {
    var rules = IgnoreRules()
    rules.add(Self.patterns, below: "/r")
    #expect(rules.ignore("/r/" + path, isFolder: isFolder) == isIgnored)
  }

  @Test(
    .enabled(
      if: FileManager.default.isExecutableFile(atPath: "/usr/bin/git"), "git is not installed"))
  func `the rules agree with git`() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try Data(Self.patterns.utf8).write(to: folder.appendingPathComponent(".gitignore"))
    func git(_ words: [String]) throws -> [String] {
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/usr/bin/git")
      process.arguments = ["-c", "core.quotePath=off", "-c", "core.excludesFile="] + words
      process.currentDirectoryURL = folder
      let output = Pipe()
      process.standardOutput = output
      try process.run()
      let data = try output.fileHandleForReading.readToEnd() ?? Data()
      try process.end()
      return String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
    }
    _ = try git(["init", "-q"])
    let ignored = try git(["check-ignore", "--no-index", "--"] + Self.paths)
    var rules = IgnoreRules()
    rules.add(Self.patterns, below: "/r")
    let ours = Self.paths.filter { rules.ignore("/r/" + $0, isFolder: false) }
    #expect(ours == ignored && ours.count > 10)
  }

  @Test func `patterns apply below their folder, and the nearest one decides`() {
    var rules = IgnoreRules()
    rules.add("*.md", below: "/r")
    rules.add("!a.md", below: "/r/sub")
    #expect(rules.ignore("/r/a.md", isFolder: false))
    #expect(!rules.ignore("/r/sub/a.md", isFolder: false))
    #expect(!rules.ignore("/rest/a.md", isFolder: false))
  }

  @Test func `a pattern with many asterisks is matched against a long path`() {
    var rules = IgnoreRules()
    rules.add(String(repeating: "*a", count: 40) + "b", below: "/")
    #expect(!rules.ignore("/" + String(repeating: "a", count: 4_000), isFolder: false))
  }
}
