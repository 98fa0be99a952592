import Foundation
import Testing

/// Tests a document whose file is unreadable, shared with another document, or missing together
/// with a hundred others. The command reports the loss and processes the others.
@Suite struct UnreadableTests {
  let victim: Victim

  init() throws {
    victim = try Victim()
    for name in ["a", "b", "c"] {
      try victim.write(
        "clone/\(name).md", "# T \(name)\n\nThe diple worth noticing.\n\nEnd colour colour.\n")
    }
    #expect(try victim.diple("init").code == 0)
    #expect(try victim.diple("add", ".").code == 0)
    #expect(try victim.diple("mark", "a.md", "\"worth noticing\"").code == 0)
  }

  @Test(arguments: [
    "mkfifo b.md", "mkdir b.md", "printf 'a\\000b' > b.md", "truncate -s 70000000 b.md",
    "printf '\\377\\376a' > b.md",
  ])
  func `a file that cannot be a document is reported, and others are searched`(command: String)
    throws
  {
    try victim.shell("rm b.md; \(command)")
    let found = try victim.diple("search", "worth")
    #expect(found.code == 0 && found.output.contains("a.md"), "\(found)")
    #expect(
      found.output.contains("c.md") && found.errors.contains("b.md not refreshed"), "\(found)")
    let none = try victim.diple("search", "nowhere-at-all")
    #expect(none.code == 4 || none.code == 1, "\(none)")
    let refreshed = try victim.diple("refresh")
    #expect(
      refreshed.code == 4 && refreshed.output.contains("b.md not refreshed"), "\(refreshed)")
    let json = try victim.diple("refresh", "--json")
    #expect(json.code == 4, "\(json)")
  }

  @Test func `an anchor beyond the text is rejected, and other highlights are shown`() throws {
    #expect(try victim.diple("mark", "a.md", "\"End\"").code == 0)
    try victim.sql("UPDATE anchor SET end = 5000 WHERE highlight = 1")
    let ids = try victim.sql("SELECT number FROM highlight ORDER BY key").split(separator: "\n")
    for words in [["hl", "why", String(ids[0])], ["hl", "log", String(ids[0])]] {
      let result = try victim.run("diple", words)
      #expect(
        result.code == 8 && result.errors.contains("ends after the end of the document's text"),
        "\(words): \(result)")
    }
    #expect(try victim.diple("hl", "why", String(ids[1])).code == 0)
    for words in [
      ["list"], ["show", "a.md"], ["hl", "show", String(ids[0])], ["anchor", "check"],
      ["anchor", "review"], ["at", "a.md", "3:6"], ["export"], ["doctor"], ["search", "worth"],
    ] {
      let result = try victim.run("diple", words)
      #expect(result.code < 128, "\(words): \(result)")
    }
    // Anchors from that earlier text are not trusted when the file changes either.
    try victim.write("clone/a.md", "# T a\n\nMore.\n\nThe diple worth noticing.\n\nEnd colour.\n")
    let refreshed = try victim.diple("refresh")
    #expect(refreshed.code == 0, "\(refreshed)")
    #expect(try victim.diple("list").output.contains("worth noticing"))
  }

  @Test func `a file of two documents is written once`() throws {
    try victim.shell("rm b.md; ln -s a.md b.md")
    let result = try victim.diple("replace", "--everywhere", "--all", "--yes", "colour", "color")
    #expect(result.code == 0, "\(result)")
    #expect(try victim.read("clone/a.md").contains("End color color."))
    #expect(result.errors.contains("b.md"), "\(result)")
    #expect(try victim.shell("readlink b.md") == "a.md\n")
    #expect(try victim.diple("undo").code == 0)
    #expect(try victim.read("clone/a.md").contains("End colour colour."))
  }

  @Test func `many missing files are reported in a few lines`() throws {
    try victim.shell("for i in $(seq 30); do echo \"text $i\" > m$i.md; done")
    #expect(try victim.diple("add", ".").code == 0)
    for number in 1...30 { try victim.diple("mark", "m\(number).md", "\"text\"") }
    try victim.diple("mark", "m1.md", "\"1\"")
    try victim.shell("rm m*.md")
    let result = try victim.diple("list")
    let lines = result.errors.split(separator: "\n")
    #expect(
      lines.count <= 2 && lines.contains { $0.contains("30 files missing") }, "\(result)")
    let byTime = try victim.diple("list", "--sort", "created")
    #expect(byTime.errors.contains("30 files missing"), "\(byTime)")
  }
}

/// Tests plugins with folders whose files block a reader or are links to other folders.
@Suite struct PluginFolderTests {
  let victim: Victim

  init() throws {
    victim = try Victim()
    victim.environment["DIPLE_PLUGINS"] = victim.path("plugins")
    try victim.write("clone/a.md", "Some words.\n")
    #expect(try victim.diple("init").code == 0)
    #expect(try victim.diple("add", "a.md").code == 0)
    #expect(try victim.diple("mark", "a.md", "\"words\"").code == 0)
  }

  @Test func `a manifest that is a FIFO does not block commands`() throws {
    try victim.shell(
      "mkdir -p ../plugins/x ../new && mkfifo ../plugins/x/plugin.json ../new/plugin.json")
    for words in [
      ["list"], ["search", "words"], ["plugin", "list"], ["plugin", "add", "../new"],
    ] {
      let result = try victim.run("diple", words, seconds: 20)
      #expect(result.code == (words.last == "../new" ? 2 : 0), "\(words): \(result)")
    }
    let listed = try victim.diple("plugin", "list")
    #expect(listed.output.contains("plugin.json is not a regular file"), "\(listed)")
  }

  @Test(arguments: ["mkfifo f", "ln -s /etc/passwd f", "mkdir d; ln -s .. d/f"])
  func `a plugin with special files or links is not installed`(command: String) throws {
    try victim.write(
      "new/plugin.json",
      """
      {"diple": 1, "id": "fine", "kind": "export", "summary": "s", "run": ["./run.sh"]}
      """)
    try victim.write("new/run.sh", "#!/bin/sh\n")
    try victim.shell("chmod +x run.sh; \(command)", in: victim.home.appendingPathComponent("new"))
    let result = try victim.diple("plugin", "add", "../new")
    #expect(result.code == 2 && result.errors.contains("neither a file nor a folder"), "\(result)")
    #expect(!victim.exists("plugins/fine"))
    try victim.shell("find ../new -name f -delete")
    #expect(try victim.diple("plugin", "add", "../new").code == 0)
  }
}
