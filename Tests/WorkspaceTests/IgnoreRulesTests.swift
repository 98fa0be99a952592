import Testing
import Workspace

@Suite struct IgnoreRulesTests {
  /// What git itself says of these patterns is in `agrees with git`.
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
    "#hash.md", "!bang.md", "q1.md", "q12.md", "set5.md", "seta.md", "setb.md", "notx.md", "noty.md",
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
  func `patterns mean what gitignore says`(path: String, isFolder: Bool, isIgnored: Bool) {
    var rules = IgnoreRules()
    rules.add(Self.patterns, below: "/r")
    #expect(rules.ignore("/r/" + path, isFolder: isFolder) == isIgnored)
  }

  @Test func `patterns hold below their folder only, and the nearest one decides`() {
    var rules = IgnoreRules()
    rules.add("*.md", below: "/r")
    rules.add("!a.md", below: "/r/sub")
    #expect(rules.ignore("/r/a.md", isFolder: false))
    #expect(!rules.ignore("/r/sub/a.md", isFolder: false))
    #expect(!rules.ignore("/rest/a.md", isFolder: false))
  }

  @Test func `a pattern with many stars takes no time`() {
    var rules = IgnoreRules()
    rules.add(String(repeating: "*a", count: 40) + "b", below: "/")
    #expect(!rules.ignore("/" + String(repeating: "a", count: 4_000), isFolder: false))
  }
}
