import Foundation
import Testing

/// Tests the output of hostile libraries and plugins on a terminal.
@Suite(.enabled(if: PseudoTerminal.isPossible, "script cannot make a pseudo-terminal"))
struct PseudoTerminalTests {
  private static let evil = "\u{1B}[31m\u{7F}\u{9B}2J\u{202E}\u{2066}"

  let victim: Victim

  init() throws {
    victim = try Victim()
    victim.environment["DIPLE_PLUGINS"] = victim.path("plugins")
    victim.environment["NO_COLOR"] = "1"
    try victim.write("clone/a.md", "# T\n\nSome words\(Self.evil) here.\n")
    #expect(try victim.diple("init").code == 0)
    #expect(try victim.diple("add", "a.md").code == 0)
    #expect(try victim.diple("mark", "a.md", "\"words\"").code == 0)
    let escaped = "\\u001b[31m\\u202e\\u009b"
    try victim.write(
      "plugins/evil/plugin.json",
      """
      {"diple": 1, "id": "evil", "kind": "export", "summary": "sum\(escaped)",
       "run": ["./run.sh"]}
      """)
    try victim.write(
      "plugins/evil/run.sh",
      "#!/bin/sh\nprintf '%s\\n' '{\"diple\":1,\"text\":\"T\(escaped)\"}'\n")
    try victim.shell("chmod +x plugins/evil/run.sh", in: victim.home)
  }

  /// Returns a command's output on a terminal without colours, with its control characters.
  private func shown(_ command: String) throws -> String {
    try victim.run("script", ["-qec", command, "/dev/null"]).output
  }

  private func steering(_ text: String) -> [Unicode.Scalar] {
    text.unicodeScalars.filter {
      switch $0.value {
      case 0x0A, 0x0D, 0x09: false
      case 0..<0x20, 0x7F..<0xA0, 0x202A...0x202E, 0x2066...0x2069: true
      default: false
      }
    }
  }

  @Test func `no command writes control characters of its input to a terminal`() throws {
    let id = try victim.sql("SELECT number FROM highlight").filter(\.isNumber)
    for command in [
      "diple strategies", "diple plugin list", "diple export --to evil", "diple share \(id)",
      "diple share a.md all", "diple hl why \(id)", "diple hl log \(id)", "diple list",
      "diple daemon start --foreground '\(Self.evil)'", "diple-repl '\(Self.evil)'",
      "dipled '--\(Self.evil)'",
    ] {
      let text = try shown(command)
      #expect(!text.isEmpty && steering(text).isEmpty, "\(command): \(text.debugDescription)")
    }
  }

  @Test func `control characters in the name of a strategy are not written to a terminal`() throws {
    let id = try victim.sql("SELECT number FROM highlight").filter(\.isNumber)
    try victim.sql("UPDATE anchor SET method = 'x\(Self.evil)'")
    let text = try shown("diple hl why \(id)")
    #expect(steering(text).isEmpty, "\(text.debugDescription)")
    #expect(try victim.diple("hl", "why", id).code != 0)
  }

  @Test func `the daemon's log writes no control characters to a terminal`() throws {
    try victim.write("clone/.diple/config.toml", "\"x\(Self.evil)\" = 1\n")
    let text = try shown("timeout -s TERM 2 diple daemon start --foreground")
    #expect(text.contains("config.toml") && steering(text).isEmpty, "\(text.debugDescription)")
  }
}

/// Whether script(1) is installed and provides a terminal.
private enum PseudoTerminal {
  static let isPossible =
    (try? Victim().run("script", ["-qec", "test -t 1", "/dev/null"]).code) == 0
}
