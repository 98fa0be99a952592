import Configuration
import Foundation
import Testing

/// Tests arbitrary settings of a foreign library. They are reported in one line, and the defaults
/// apply.
@Suite struct ForeignSettingsTests {
  let victim: Victim

  init() throws {
    victim = try Victim()
    try victim.write("clone/good.md", "Some words here.\n")
    #expect(try victim.diple("init").code == 0)
    #expect(try victim.diple("add", "good.md").code == 0)
    #expect(try victim.diple("mark", "good.md", "\"words\"").code == 0)
  }

  private func expectServed(
    _ says: String? = nil, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let shown = try victim.diple("show", "good.md")
    #expect(
      shown.code == 0 && shown.output.contains("words"), "\(shown)", sourceLocation: sourceLocation)
    let lines = shown.errors.split(separator: "\n")
    #expect(
      lines.count == 1 && lines[0].hasPrefix("diple: ")
        && lines[0].hasSuffix("the file is ignored"),
      "\(shown)", sourceLocation: sourceLocation)
    if let says {
      #expect(lines.first?.contains(says) == true, "\(shown)", sourceLocation: sourceLocation)
    }
  }

  @Test(arguments: [
    "[.a]", "[a.]", "[]", "[[.a]]", ".a = 1", "a..b = 1", "= 1", "a = [", "a = {", "a = {.b = 1}",
    "a = 1_", "a = '''", "a = \"\\u", "a = \"\\U0010FFFF1\"", "a = \u{1}", "[a]\n[a]",
    "a.b = 1\na = 2",
    "a = 1979-13-99T", "a = 0x", "a = +", "a", "\u{FEFF}\u{FEFF}", "[[a]]\n[a]", "a = \"\r\"",
  ])
  func `with invalid TOML the defaults apply`(text: String) throws {
    try victim.write("clone/.diple/config.toml", text + "\n")
    try expectServed()
    let config = try victim.diple("config", "show")
    #expect(config.code == 0 && config.output.contains("reader.width = 100"), "\(config)")
  }

  @Test func `a setting that only the user may set is ignored`() throws {
    try victim.write("clone/.diple/config.toml", "pager = 'touch ../canary'\nlibrary.safe = '/'\n")
    try expectServed("cannot be set for a library")
    #expect(!victim.exists("canary"))
  }

  @Test(arguments: [
    "reader.selectable = false", "backup.enabled = false", "backup.days = 1", "history.lines = 0",
    "daemon.settle_max = 600000", "daemon.index = false", "copy.to = 'osc52'",
  ])
  func `a setting with harmful effects is ignored and cannot be set in a library`(text: String)
    throws
  {
    try victim.write("clone/.diple/config.toml", text + "\n")
    try expectServed("cannot be set for a library")
    #expect(try victim.diple("mark", "good.md", "\"Some\"").code == 0)
    let name = String(text.prefix { $0 != " " })
    let set = try victim.diple("config", "set", "--local", name, "1")
    #expect(set.code == 2, "\(set)")
  }

  @Test func `only harmless settings are allowed in a library`() {
    let allowed = SettingKey.allCases.filter { !$0.rule.isPersonal }.map(\.rawValue)
    #expect(
      Set(allowed) == [
        "reader.width", "reader.measure", "reader.margin", "reader.footer", "reader.mouse",
        "reader.hide_title",
        "select.default_unit", "copy.clears", "copy.as", "highlight.default_color",
        "format.unit",
        "theme.background", "theme.selection", "import.languages", "markdown.dialect",
        "markdown.folders",
      ])
  }

  @Test func `a settings file that is not a regular file is reported and ignored`() throws {
    try victim.shell("mkfifo .diple/config.toml")
    #expect(try victim.diple("show", "good.md").code == 6)
    #expect(try victim.run("diple", ["show", "good.md", "--library", ".diple"]).code == 0)
    try victim.shell("rm .diple/config.toml; mkdir .diple/config.toml")
    let named = try victim.run("diple", ["show", "good.md", "--library", ".diple"])
    #expect(named.code == 0 && named.errors.contains("not a regular file"), "\(named)")
    try victim.shell("rmdir .diple/config.toml; ln -s /dev/zero .diple/config.toml")
    let linked = try victim.run("diple", ["show", "good.md", "--library", ".diple"])
    #expect(linked.code == 0 && linked.errors.contains("symbolic link"), "\(linked)")
  }

  @Test func `config set does not write through a link`() throws {
    try victim.write(".bashrc", "# mine\n")
    try victim.shell("ln -s ../../.bashrc .diple/config.toml")
    _ = try victim.run(
      "diple", ["config", "set", "--local", "reader.width", "60", "--library", ".diple"])
    #expect(try victim.read(".bashrc") == "# mine\n")
  }

  @Test func `random settings files are parsed without a crash`() throws {
    var state: UInt64 = 0x9E37_79B9_7F4A_7C15
    func next(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % bound
    }
    let parts = [
      "[", "]", "{", "}", ".", "=", "\"", "'", "\"\"\"", "'''", "\\", "\\u00", "\n", "\r", "#", ",",
      " ", "a", "reader", "width", "1", "-", "+", "_", "0x", "1979-05-27", "T", ":", "true", "é",
      "\u{0}",
    ]
    for _ in 0..<20_000 {
      let text = (0..<next(14)).map { _ in parts[next(parts.count)] }.joined()
      _ = try? SettingsFile("/c.toml", .library, text: text)
    }
    let deep = String(repeating: "[", count: 100_000)
    for text in ["a = " + deep, deep, "a = " + String(repeating: "{a=", count: 50_000)] {
      #expect(throws: SettingsError.self) { try SettingsFile("/c.toml", .library, text: text) }
    }
  }
}
