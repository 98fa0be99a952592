import Configuration
import Foundation
import SystemSupport
import Testing

/// A folder with the two files that contain settings.
private final class Bench {
  let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
    "diple-\(UUID().uuidString)")
  var environment: [String: String]
  var own: String { folder.path + "/home/.config/diple/config.toml" }
  var library: String { folder.path + "/library" }

  init() throws {
    environment = ["HOME": folder.path + "/home"]
    for name in ["home/.config/diple", "library"] {
      try FileManager.default.createDirectory(
        at: folder.appendingPathComponent(name), withIntermediateDirectories: true)
    }
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  func write(own text: String) throws { try Data(text.utf8).write(to: .init(fileURLWithPath: own)) }

  func write(library text: String) throws {
    try Data(text.utf8).write(to: .init(fileURLWithPath: library + "/config.toml"))
  }

  func settings() throws(SettingsError) -> Settings {
    try Settings(environment: environment, library: library)
  }
}

@Suite struct SettingsTests {
  @Test(arguments: SettingKey.allCases)
  func `the default of each key is valid, and its TOML is parsed to the same value`(key: SettingKey)
    throws
  {
    #expect(key.rule.allows(key.rule.fallback))
    #expect(key.rule.value(key.rule.fallback.description) == key.rule.fallback)
    let text = "\(key.rawValue) = \(key.rule.fallback.toml)\n"
    let file = try SettingsFile("x.toml", .user, text: text)
    #expect(file.values.mapValues(\.value) == [key: key.rule.fallback])
    #expect(file.values[key]?.line == 1)
    #expect(key.rule.help.hasSuffix(".") && !key.rule.range.isEmpty)
  }

  @Test func `the library's file overrides the user's, and the environment overrides both`()
    throws
  {
    let bench = try Bench()
    #expect(try bench.settings().origin(of: .readerWidth) == .fallback)
    try bench.write(own: "editor = 'ed'\n[reader]\nwidth = 60\nmargin = 2\n")
    try bench.write(library: "# Ours\nreader.width = 70\n")
    bench.environment["PAGER"] = "more"
    bench.environment["VISUAL"] = "vim"
    bench.environment["DIPLE_READER_MARGIN"] = "4"
    bench.environment["DIPLE_COPY_AS"] = ""
    let settings = try bench.settings()
    #expect(settings.number(.readerWidth) == 70)
    #expect(
      settings.origin(of: .readerWidth) == .file(bench.library + "/config.toml", line: 2))
    #expect(settings.number(.readerMargin) == 4)
    #expect(settings.origin(of: .readerMargin) == .variable("DIPLE_READER_MARGIN"))
    #expect(settings.text(.editor) == "ed", "a file overrides the variables of other programs")
    #expect(settings.text(.pager) == "more")
    #expect(settings.text(.copyAs) == "plain", "an empty variable is ignored")
    bench.environment["DIPLE_PAGER"] = ""
    #expect(try bench.settings().text(.pager).isEmpty, "an empty DIPLE_PAGER disables paging")
    bench.environment["XDG_CONFIG_HOME"] = bench.folder.path
    #expect(try bench.settings().text(.editor) == "vim", "the user's file is in another folder now")
  }

  @Test(arguments: [
    (
      "[reader]\nwitdh = 3\n", "2: there is no setting 'reader.witdh'",
      "did you mean 'reader.width'?"
    ),
    (
      "\nreader.width = 'wide'\n",
      "2: reader.width takes a whole number from 20 to 10000, not \"wide\"", nil
    ),
    ("reader.width = 19\n", "1: reader.width takes a whole number from 20 to 10000, not 19", nil),
    ("reader.selectable = 'true'\n", "1: reader.selectable takes true or false, not \"true\"", nil),
    ("copy.as = 'rtf'\n", "1: copy.as takes plain, md, html or json, not \"rtf\"", nil),
    (
      "theme.selection = '#12345'\n",
      "1: theme.selection takes \"reverse\" or a colour as \"#RRGGBB\", not \"#12345\"", nil
    ),
    (
      "# one\nreader = { width = 80, zoom = [1, 2] }\n", "2: there is no setting 'reader.zoom'",
      "`library.settings` lists them"
    ),
    ("pager = 1979-05-27\n", "1: pager takes a command line, or nothing, not this value", nil),
    ("reader = 3\n", "1: there is no setting 'reader'", "`library.settings` lists them"),
  ])
  func `an invalid setting is reported with its line`(text: String, message: String, hint: String?)
    throws
  {
    let problem = #expect(throws: SettingsError.self) {
      try SettingsFile("/c.toml", .user, text: text)
    }
    #expect(problem?.description == "/c.toml:" + message)
    #expect(
      problem?.description(in: .plain) == "/c.toml:" + message + (hint.map { "; \($0)" } ?? ""))
  }

  @Test func `invalid TOML, invalid UTF-8 and invalid variables are reported`() throws {
    let problem = #expect(throws: SettingsError.self) {
      try SettingsFile("/c.toml", .user, text: "[reader]\nwidth = 3\nwidth = 4\n")
    }
    #expect(problem?.description.hasPrefix("/c.toml:3: ") == true)
    let bench = try Bench()
    try Data([0x61, 0xFF]).write(to: .init(fileURLWithPath: bench.own))
    #expect(throws: SettingsError.self) { try bench.settings() }
    try bench.write(own: "")
    bench.environment["DIPLE_READER_WIDTH"] = "wide"
    let variable = #expect(throws: SettingsError.self) { try bench.settings() }
    #expect(
      variable?.description
        == "DIPLE_READER_WIDTH: reader.width takes a whole number from 20 to 10000, not 'wide'")
  }

  @Test func `a library's settings cannot contain personal keys`() throws {
    for key in SettingKey.allCases where key.rule.isPersonal {
      let problem = #expect(throws: SettingsError.self) {
        try SettingsFile("/c.toml", .library, text: "\(key.rawValue) = 'rm -rf ~'\n")
      }
      #expect(problem?.message.contains("cannot be set for a library") == true)
    }
    #expect(SettingKey.allCases.count { $0.rule.isPersonal } == 30)
  }
}

@Suite struct SettingsFileLimitTests {
  @Test func `a file that cannot be a settings file is rejected`() throws {
    let bench = try Bench()
    try bench.write(own: "# " + String(repeating: "x", count: 1 << 20))
    #expect { try bench.settings() } throws: { "\($0)".contains("longer than 1 MiB") }
    try FileManager.default.removeItem(atPath: bench.own)
    try #require(mkfifo(bench.own, 0o600) == 0)
    #expect { try bench.settings() } throws: { "\($0)".contains("not a regular file") }
    unlink(bench.own)
    try Data([0x23, 0xFF, 0x0A]).write(to: .init(fileURLWithPath: bench.own))
    #expect { try bench.settings() } throws: { "\($0)".contains("not UTF-8") }
    // The user may link to another file. A library's file is not opened through a link.
    unlink(bench.own)
    let target = bench.folder.path + "/elsewhere.toml"
    try Data("reader.width = 61\n".utf8).write(to: .init(fileURLWithPath: target))
    symlink(target, bench.own)
    #expect(try bench.settings().number(.readerWidth) == 61)
    symlink(target, bench.library + "/config.toml")
    let problem = try bench.settings().libraryProblem
    #expect(problem.map { "\($0)".contains("symbolic link") } == true)
  }
}
