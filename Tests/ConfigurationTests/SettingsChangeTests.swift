import Configuration
import Foundation
import TestSupport
import Testing

@Suite struct SettingsChangeTests {
  /// Returns the text with a changed setting.
  private func set(_ key: SettingKey, _ value: SettingValue, _ text: String) throws -> String {
    try SettingsFile("/c.toml", .user, text: text).setting(key, to: value, .user).text
  }

  @Test(arguments: [
    ("", "[reader]\nwidth = 80\n"),
    ("# mine\n", "# mine\n\n[reader]\nwidth = 80\n"),
    ("# mine", "# mine\n\n[reader]\nwidth = 80\n"),
    ("reader.width = 60 # narrow\n", "reader.width = 80 # narrow\n"),
    (
      "[reader] # text\nwidth=60# narrow\nmargin = 2\n",
      "[reader] # text\nwidth=80# narrow\nmargin = 2\n"
    ),
    ("[reader]\n\n[copy]\nclears = true\n", "[reader]\nwidth = 80\n\n[copy]\nclears = true\n"),
    (
      "[reader]\nmargin = 2 # so\n# end\n[copy]\n",
      "[reader]\nmargin = 2 # so\nwidth = 80\n# end\n[copy]\n"
    ),
    ("reader.margin = 2\neditor = 'ed'\n", "reader.margin = 2\nreader.width = 80\neditor = 'ed'\n"),
    ("reader = { width = 60 }\n", nil),
    ("['reader']\r\n\"width\" = 60\r\n", "['reader']\r\n\"width\" = 80\r\n"),
    ("pager = '''\nless'''\n", "pager = '''\nless'''\n\n[reader]\nwidth = 80\n"),
    ("[reader]\nmargin = 1", "[reader]\nmargin = 1\nwidth = 80\n"),
    (
      "editor = \"a # b \\\" [reader]\"\n[reader]\nwidth = 0x3C\n",
      "editor = \"a # b \\\" [reader]\"\n[reader]\nwidth = 80\n"
    ),
  ])
  func `only the line of the changed setting differs`(text: String, changed: String?) throws {
    guard let changed else {
      let problem = #expect(throws: SettingsError.self) { try set(.readerWidth, 80, text) }
      #expect(
        problem?.description
          == "/c.toml:1: 'reader.width' is part of a value that Diple cannot change")
      return
    }
    #expect(try set(.readerWidth, 80, text) == changed)
  }

  @Test(
    arguments: [
      ("reader.width = 60 # narrow\n", ""),
      (
        "# mine\n[reader]\nmargin = 2\nwidth = 60\n# end\n", "# mine\n[reader]\nmargin = 2\n# end\n"
      ),
      ("[reader]\nwidth = 60", "[reader]\n"),
      ("['reader']\r\n\"width\" = 60\r\n", "['reader']\r\n"),
      ("[reader]\nwidth = 60\nmargin = 2\n", "[reader]\nmargin = 2\n"),
      ("reader = { width = 60 }\n", nil), ("reader = { width = 60, margin = 2 }\n", nil),
    ] as [(String, String?)])
  func `a removed setting leaves the other lines as they are`(text: String, changed: String?)
    throws
  {
    let file = try SettingsFile("/c.toml", .user, text: text)
    guard let changed else {
      #expect(throws: SettingsError.self) { try file.removing(.readerWidth, .user) }
      return
    }
    let new = try file.removing(.readerWidth, .user)
    #expect(new.text == changed && new.values[.readerWidth] == nil)
  }

  @Test func `a setting without a table is inserted before the first table`() throws {
    #expect(
      try set(.editor, "ed -s", "# mine\n\n[reader]\nwidth = 60\n")
        == "# mine\n\neditor = \"ed -s\"\n\n[reader]\nwidth = 60\n")
    #expect(
      try set(.pager, "", "editor = 'ed'\n[copy]\n") == "editor = 'ed'\npager = \"\"\n[copy]\n")
    #expect(try set(.editor, "a\t\"b\"\\", "") == "editor = \"a\\t\\\"b\\\"\\\\\"\n")
  }

  @Test func `after random changes each key has its last value`() throws {
    let seed = SeededGenerator.runSeed
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    for _ in 0..<200 {
      var file = try SettingsFile("/c.toml", .user, text: "# begin\n")
      var wanted: [SettingKey: SettingValue] = [:]
      for _ in 0..<8 {
        let key = SettingKey.allCases.randomElement(using: &random)!
        let value: SettingValue =
          switch key.rule.kind {
          case .flag: .flag(Bool.random(using: &random))
          case .number(let range): .number(Int.random(in: range, using: &random))
          case .choice(let words): .text(words.randomElement(using: &random)!)
          case .theme: ["auto", "a b.toml"].randomElement(using: &random)!
          case .paint: ["reverse", "#A0b1C2"].randomElement(using: &random)!
          case .choices: ["", "a b=obsidian:/c=auto"].randomElement(using: &random)!
          case .languages: ["eng", "chi_sim+deu"].randomElement(using: &random)!
          case .file: ["", "/a b", "/c/d.pem"].randomElement(using: &random)!
          case .folders: ["", "/a b:/c"].randomElement(using: &random)!
          case .program: [#"a "b" 'c' \d # e"#, "日本 = [x]"].randomElement(using: &random)!
          }
        file = try file.setting(key, to: value, .user)
        wanted[key] = value
      }
      let read = try SettingsFile("/c.toml", .user, text: file.text)
      #expect(read.values.mapValues(\.value) == wanted, "\(file.text)")
      let lines = file.text.split(separator: "\n", omittingEmptySubsequences: false)
      for (key, found) in read.values {
        #expect(lines[found.line - 1].contains(key.rawValue.split(separator: ".").last!))
      }
    }
  }

  @Test func `simultaneous changes of a file are all kept, and symbolic links remain`() async throws
  {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "diple-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let real = folder.appendingPathComponent("dotfile")
    try Data("# kept\n".utf8).write(to: real)
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: real.path)
    let path = folder.path + "/deep/er/config.toml"
    try FileManager.default.createDirectory(
      atPath: folder.path + "/deep/er", withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: real.path)
    let keys: [(SettingKey, SettingValue)] = [
      (.readerWidth, 50), (.readerMargin, 3), (.copyClears, true), (.copyAs, "md"),
      (.editor, "ed"), (.highlightDefaultColor, "pink"), (.historyLines, 9), (.pager, ""),
    ]
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (key, value) in keys {
        group.addTask {
          try SettingsFile.change(path, .user) { file throws(SettingsError) in
            try file.setting(key, to: value, .user)
          }
        }
      }
      try await group.waitForAll()
    }
    let file = try SettingsFile(path, .user)
    #expect(file.values.mapValues(\.value) == Dictionary(uniqueKeysWithValues: keys))
    #expect(file.text.hasPrefix("# kept\n"))
    let attributes = try FileManager.default.attributesOfItem(atPath: real.path)
    #expect(attributes[.posixPermissions] as? Int == 0o640)
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: path) == real.path)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    #expect(names == ["deep", "dotfile"], "no copy is left behind")
    #expect(throws: SettingsError.self) {
      try SettingsFile.replace(path, .user, from: "something else", with: file)
    }
  }
}
