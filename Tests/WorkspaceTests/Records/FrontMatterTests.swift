import Testing

@testable import Workspace

@Suite struct FrontMatterTests {
  @Test(arguments: [
    ("title: Signs", "Signs"), ("title: \"From: YAML\"", "From: YAML"),
    ("a: 1\n\"title\": 'it''s'\nb: 2", "it's"), ("title: >-\n  two\n  lines", "two lines"),
    ("{title: flow, a: [1, 2]}", "flow"), ("x: &a shared\ntitle: *a", "shared"),
    ("title: 2024", "2024"), ("title: 本の題", "本の題"), ("title: one\ntitle: two", "one"),
    ("title: \"null\"", "null"), ("a:\n  title: inner\ntitle: outer", "outer"),
    ("title: \"a\\0b\"", "a b"),
  ])
  func `a title is read from YAML`(yaml: String, expected: String) {
    #expect(FrontMatter("---\n\(yaml)\n---")["title"] == expected)
  }

  @Test(arguments: [
    "", "a: 1", "title:", "title: ~", "title: null", "title: [a]", "title: {a: b}",
    "a:\n  title: inner", "- title: in a list", "title", "title: [", "title: x\n\tb: 1",
    "title: [a]\ntitle: b", "title: x\nb: {{ template }}: [",
  ])
  func `invalid or unsuitable front matter has no title`(yaml: String) {
    #expect(FrontMatter("---\n\(yaml)\n---")["title"] == nil)
  }

  @Test func `YAML with exponential aliases or deep nesting is parsed safely`() {
    var bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n"
    for level in 1...30 {
      let alias = "*a\(level - 1)"
      let list = Array(repeating: alias, count: 9).joined(separator: ", ")
      bomb += "a\(level): &a\(level) [\(list)]\n"
    }
    #expect(FrontMatter(bomb + "title: kept")["title"] == "kept")
    let nested = String(repeating: "[", count: 200_000)
    #expect(FrontMatter("a: \(nested)\ntitle: x")["title"] == nil)
    let steps = String(repeating: "- ", count: 200_000)
    #expect(FrontMatter("a:\n \(steps)\ntitle: x")["title"] == nil)
  }

  @Test(arguments: [
    ("title = \"A \\\"b\\\" c\" # d", "A \"b\" c"), ("a = 1\n  title='it\\'", "it\\"),
    ("title = 2024-05-01 # x", "2024-05-01"),
    ("title = [1]", nil), ("[a]\ntitle = \"b\"", nil), ("titles = \"b\"", nil),
    ("title = \"\"", nil), ("title", nil),
    ("title = \"no end", "no end"),
  ])
  func `a title is read from TOML`(toml: String, expected: String?) {
    #expect(FrontMatter("+++\n\(toml)\n+++")["title"] == expected)
  }

  @Test(arguments: [
    ("author: Ann Lee", ["Ann Lee"]), ("author: [Ann Lee, 'Bo Ek']", ["Ann Lee", "Bo Ek"]),
    (
      "a: [x]\nauthor:\n  - name: Ann Lee\n    affiliation: {name: no, x: [y]}\n  - Bo Ek\nb: c",
      ["Ann Lee", "Bo Ek"]
    ),
    ("author:\n  name: Ann\nb: [c]", []), ("author: [[a], b]\nauthor: c", ["b"]),
    ("author:\n- [name, x]\n- ~\n- d", ["d"]), ("x: &a [p, q]\nauthor: *a", []),
  ])
  func `a list is read from YAML`(yaml: String, expected: [String]) {
    #expect(FrontMatter("---\n\(yaml)\n---").list("author") == expected)
  }

  @Test(arguments: [
    ("author = [\"Ann Lee\", 'Bo Ek'] # c", ["Ann Lee", "Bo Ek"]), ("author = \"A\"", ["A"]),
    ("author = []", []), ("author = [1", ["1"]), ("author = [[\"a\"]]", []),
  ])
  func `a list is read from TOML`(toml: String, expected: [String]) {
    #expect(FrontMatter("+++\n\(toml)\n+++").list("author") == expected)
  }
}
