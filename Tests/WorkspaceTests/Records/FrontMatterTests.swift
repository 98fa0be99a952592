import Testing

@testable import Workspace

@Suite struct FrontMatterTests {
  @Test(arguments: [
    ("title: Signs", "Signs"), ("title: \"From: YAML\"", "From: YAML"),
    ("a: 1\n\"title\": 'it''s'\nb: 2", "it's"), ("title: >-\n  two\n  lines", "two lines"),
    ("{title: flow, a: [1, 2]}", "flow"), ("x: &a shared\ntitle: *a", "shared"),
    ("title: 2024", "2024"), ("title: 本の題", "本の題"), ("title: one\ntitle: two", "one"),
    ("title: \"null\"", "null"), ("a:\n  title: inner\ntitle: outer", "outer"),
    ("title: \"a\\0b\"", "a\u{0}b"),
  ])
  func `reads a text`(yaml: String, expected: String) {
    #expect(FrontMatter.text(of: "title", in: yaml) == expected)
  }

  @Test(arguments: [
    "", "a: 1", "title:", "title: ~", "title: null", "title: [a]", "title: {a: b}",
    "a:\n  title: inner", "- title: in a list", "title", "title: [", "title: x\n\tb: 1",
    "title: [a]\ntitle: b", "title: x\nb: {{ template }}: [",
  ])
  func `has none`(yaml: String) {
    #expect(FrontMatter.text(of: "title", in: yaml) == nil)
  }

  @Test func `what is made to grow or to nest stays small`() {
    var bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n"
    for level in 1...30 {
      let alias = "*a\(level - 1)"
      let list = Array(repeating: alias, count: 9).joined(separator: ", ")
      bomb += "a\(level): &a\(level) [\(list)]\n"
    }
    #expect(FrontMatter.text(of: "title", in: bomb + "title: kept") == "kept")
    let nested = String(repeating: "[", count: 200_000)
    #expect(FrontMatter.text(of: "title", in: "a: \(nested)\ntitle: x") == nil)
    let steps = String(repeating: "- ", count: 200_000)
    #expect(FrontMatter.text(of: "title", in: "a:\n \(steps)\ntitle: x") == nil)
  }

  @Test(arguments: [
    ("title = \"A \\\"b\\\" c\" # d", "A \"b\" c"), ("a = 1\n  title='it\\'", "it\\"),
    ("title = 2024-05-01 # x", "2024-05-01"),
    ("title = [1]", nil), ("[a]\ntitle = \"b\"", nil), ("titles = \"b\"", nil),
    ("title = \"\"", nil), ("title", nil),
    ("title = \"no end", "no end"),
  ])
  func `reads TOML`(toml: String, expected: String?) {
    #expect(DocumentTitle.frontMatterValue(of: "title", "+++\n\(toml)\n+++") == expected)
  }
}
