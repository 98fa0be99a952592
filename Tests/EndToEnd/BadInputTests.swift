import Foundation
import TestSupport
import Testing

/// Tests that invalid input is rejected with a single line and an exit code, and leaves the library
/// intact.
@Suite struct BadInputTests {
  let bench: Workbench

  init() throws {
    bench = try Workbench()
    try bench.write("good.md", "# Good\n\nSome words here.\n")
    #expect(try bench.diple("add", "good.md").code == 0)
    #expect(try bench.diple("mark", "good.md", "\"words\"").code == 0)
  }

  private func expectRefusal(
    _ words: String..., code: Int32, says: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let result = try bench.run("diple", words)
    #expect(result.code == code, "\(result)", sourceLocation: sourceLocation)
    #expect(result.errors.contains(says), "\(result)", sourceLocation: sourceLocation)
    let lines = result.errors.split(separator: "\n").filter { $0.hasPrefix("diple:") }
    #expect(lines.count == 1, "\(result)", sourceLocation: sourceLocation)
    try expectIntact(sourceLocation: sourceLocation)
  }

  private func expectIntact(sourceLocation: SourceLocation = #_sourceLocation) throws {
    #expect(
      try bench.diple("doctor").output.contains("database    sound"),
      sourceLocation: sourceLocation)
    #expect(try bench.highlights().map(\.quote) == ["words"], sourceLocation: sourceLocation)
  }

  @Test func `a missing file is reported`() throws {
    try expectRefusal("add", "nowhere.md", code: 4, says: "no such file: nowhere.md")
  }

  @Test func `an empty file is a document without text`() throws {
    try bench.write("empty.md", "")
    #expect(try bench.diple("add", "empty.md").code == 0)
    #expect(try bench.diple("show", "empty.md").code == 0)
    try expectRefusal("mark", "empty.md", "all", code: 1, says: "the document has no text")
  }

  @Test func `bytes that are not UTF-8 are shown as U+FFFD and stay in the file`() throws {
    let bytes = Data([0x63, 0x61, 0x66, 0xE9, 0x20, 0x6F, 0x6B, 0x0A])
    try bytes.write(to: bench.folder.appendingPathComponent("latin.md"))
    let added = try bench.diple("add", "latin.md")
    #expect(added.code == 0 && added.errors.contains("1 place not in UTF-8, shown as"))
    #expect(try bench.diple("show", "latin.md").output == "caf\u{FFFD} ok\n")
    #expect(try Data(contentsOf: bench.folder.appendingPathComponent("latin.md")) == bytes)
  }

  @Test(arguments: [
    ("quay.pdf", "%PDF-1.7\n%\u{e9}\n1 0 obj", "a PDF file", "`diple import quay.pdf`"),
    ("notes", "{\\rtf1 some words}", "an RTF file", ".rtf"),
    ("page.ps", "%!PS-Adobe-3.0\nshowpage", "a PostScript file", "ps2ascii"),
    ("book", "PK\u{3}\u{4}words", "a ZIP archive", ".epub"),
  ])
  func `a file that is not text is refused by its signature`(
    _ name: String, _ text: String, _ kind: String, _ hint: String
  ) throws {
    try bench.write(name, text)
    let result = try bench.run("diple", ["add", name])
    #expect(result.code == 2 && result.output.isEmpty, "\(result)")
    #expect(result.errors.hasPrefix("diple: \(name) is \(kind), not text; "), "\(result)")
    #expect(result.errors.contains(hint) && result.lines.isEmpty, "\(result)")
    let documents = try bench.diple("doc", "list")
    #expect(documents.lines.count == 1, "\(documents)")
  }

  @Test func `replace --everywhere skips and reports unreadable files`() throws {
    for name in ["a", "b", "c", "d"] { try bench.write("\(name).md", "A pear in \(name).\n") }
    #expect(try bench.diple("add", ".").code == 0)
    let binary = Data([0x41, 0, 0x42])
    try binary.write(to: bench.folder.appendingPathComponent("b.md"))
    try bench.shell("rm c.md")
    let replace = ["replace", "--everywhere", "--all", "--yes", "pear", "plum"]
    let dry = try bench.run("diple", replace + ["--dry-run"])
    #expect(dry.code == 4 && dry.output.contains("+A plum in d."), "\(dry)")
    let result = try bench.run("diple", replace)
    #expect(result.code == 4 && result.output.contains("2 places in 2 files"), "\(result)")
    let skipped = result.errors.split(separator: "\n").filter { $0.hasPrefix("skipped: ") }
    #expect(skipped.count == 2, "\(result)")
    #expect(skipped.contains { $0.contains("b.md is not text: it has a NUL byte") }, "\(result)")
    #expect(skipped.contains { $0.contains("c.md is missing") }, "\(result)")
    #expect(try bench.read("a.md") == "A plum in a.\n" && bench.read("d.md") == "A plum in d.\n")
    #expect(try Data(contentsOf: bench.folder.appendingPathComponent("b.md")) == binary)
    let again = try bench.run("diple", replace)
    #expect(again.code == 4 && again.errors.contains("1 document could not"), "\(again)")
    #expect(again.errors.contains("b.md is not text"), "\(again)")
    // A document that is named and is not text is an error, not skipped.
    #expect(try bench.diple("replace", "b.md", "A", "B", "--all").code == 2)
    #expect(try bench.diple("undo").code == 0)
    #expect(try bench.read("a.md") == "A pear in a.\n" && bench.read("d.md") == "A pear in d.\n")
    // A file that is partly invalid UTF-8 is skipped when its source is searched.
    try Data([0x70, 0x65, 0x61, 0x72, 0xE9]).write(
      to: bench.folder.appendingPathComponent("b.md"))
    let source = try bench.run("diple", replace + ["--source"])
    #expect(
      source.code == 4 && source.errors.contains("b.md: a part of the file is not"), "\(source)")
    #expect(try bench.read("d.md") == "A plum in d.\n")
    // A missing file doesn't change the exit code.
    try bench.shell("rm b.md")
    let missing = try bench.run(
      "diple", ["replace", "--everywhere", "--all", "--yes", "plum", "pear"])
    #expect(missing.code == 0 && missing.errors.contains("b.md is missing"), "\(missing)")
  }

  @Test func `UTF-16 and binary files are rejected`() throws {
    try Data([0xFF, 0xFE, 0x41, 0]).write(to: bench.folder.appendingPathComponent("wide.md"))
    try expectRefusal("add", "wide.md", code: 2, says: "iconv")
    try Data([0x41, 0, 0x42]).write(to: bench.folder.appendingPathComponent("binary.md"))
    try expectRefusal("add", "binary.md", code: 2, says: "NUL byte at offset 1")
  }

  @Test func `a FIFO is rejected without waiting for it`() throws {
    try bench.shell("mkfifo pipe.md")
    try expectRefusal("add", "pipe.md", code: 2, says: "is a FIFO")
    try bench.shell("mkfifo pipe")
    let pipe = bench.path("pipe")
    for file in [pipe, "/dev/null", "/dev/zero"] {
      try expectRefusal("import", "--from", "text", file, code: 2, says: "not a file")
    }
    try expectRefusal("source", "link", pipe, code: 2, says: "not a file")
  }

  @Test func `the output of a command that the shell passes as a file is imported`() throws {
    let program = Workbench.programs.appendingPathComponent("diple").path
    let result = try bench.run(
      "bash",
      [
        "-c", "'\(program)' import --from text <(sleep 0.2; echo 'Some words here.')",
      ])
    #expect(result.code == 0, "\(result)")
    #expect(try bench.highlights().map(\.quote).contains("Some words here."))
    // The number in the pipe's path, `/dev/fd/63`, must not become a title.
    #expect(try !bench.diple("doc", "list").output.contains("Quotes/6"), "\(result)")
  }

  @Test func `a FIFO in place of a database's log does not block an import`() throws {
    let program = Workbench.programs.appendingPathComponent("diple").path
    try bench.shell(
      """
      sqlite3 books.sqlite 'CREATE TABLE Bookmark (Text TEXT)' && mkfifo books.sqlite-wal
      """)
    let result = try bench.run(
      "timeout", ["60", program, "import", "books.sqlite"], within: 120)
    #expect(result.code != 124 && result.code < 128, "\(result)")
  }

  @Test func `a file of fifty megabytes is read, and a larger one is rejected`() throws {
    try bench.shell("yes 'Some words of a long, long text.' | head -c 50000000 > long.md")
    #expect(try bench.diple("add", "long.md").code == 0)
    #expect(try bench.diple("doc", "list").lines.count == 2)
    try bench.shell("truncate -s 70000000 huge.md")
    let refused = try bench.diple("add", "huge.md")
    #expect(refused.code == 2 && refused.errors.contains("too large"))
  }

  @Test func `a passage that is too long for a highlight or a conversion is rejected`() throws {
    try bench.shell("yes 'Some words of a long text, again and again.' | head -c 5000000 > long.md")
    #expect(try bench.diple("add", "long.md").code == 0)
    let most = 1 << 20
    for spec in ["all", "u16:0-\(most + 1)"] {
      for format in [[], ["--color", "green"], ["--note", "A note."]] {
        let result = try bench.run("diple", ["mark", "long.md", spec] + format)
        #expect(result.code == 2 && result.output.isEmpty, "\(spec): \(result)")
        #expect(
          result.errors.contains("a highlight has at most \(most); highlight a part"), "\(result)")
        #expect(result.errors.split(separator: "\n").count == 1, "\(result)")
      }
    }
    for form in ["html", "md", "json"] {
      let result = try bench.diple("copy", "--print", "--as", form, "long.md", "all")
      #expect(result.code == 2 && result.output.isEmpty, "\(form): \(result.errors)")
      #expect(
        result.errors.contains("the passage is too long to convert:")
          && result.errors.contains("at most 4194304; plain text"), "\(form): \(result.errors)")
    }
    try expectIntact()
    // Copying the plain text or a part of the document works, and so does a highlight of the
    // maximum length.
    let text = try bench.diple("copy", "--print", "long.md", "all")
    #expect(text.code == 0 && text.output.utf8.count > 4_900_000, "\(text.errors)")
    let part = try bench.diple("copy", "--print", "--as", "html", "long.md", "u16:0-10")
    #expect(part.code == 0 && part.output.contains("Some words"), "\(part)")
    #expect(try bench.diple("mark", "long.md", "u16:0-\(most)").code == 0)
    #expect(try bench.highlights().contains { $0.quote.utf16.count == most })
  }

  @Test func `a folder without permission is reported, and other files are added`() throws {
    try bench.shell(
      "mkdir shut open && cp good.md open/a.md && cp good.md shut/b.md && chmod 000 shut")
    defer { try? bench.shell("chmod 755 shut") }
    // The superuser can read everything, so run the command as another user.
    let isRoot = getuid() == 0
    if isRoot { try bench.shell("chmod 777 . && chmod -R a+rwX library open good.md") }
    let program = Workbench.programs.appendingPathComponent("diple").path
    if isRoot && !isReadableByAll(program) {
      try Test.cancel("nobody else can run the programs here")
    }
    let command = isRoot ? ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] : []
    let result = try bench.run("env", command + [program, "add", "."])
    #expect(result.code == 4, "\(result)")
    #expect(result.errors.contains("cannot read the folder") && result.errors.contains("shut"))
    #expect(result.output.contains("open/a.md"))
  }

  /// Returns whether another user can run a program.
  private func isReadableByAll(_ path: String) -> Bool {
    (try? bench.run(
      "setpriv", ["--reuid=65534", "--regid=65534", "--clear-groups", path, "--version"]
    ).code) == 0
  }

  @Test func `a damaged database is reported and not changed`() throws {
    try bench.shell(
      "printf 'not a database at all, but some text' | dd of=library/library.sqlite conv=notrunc status=none"
    )
    let before = try Data(contentsOf: bench.folder.appendingPathComponent("library/library.sqlite"))
    let result = try bench.diple("list")
    #expect(result.code == 8, "\(result)")
    #expect(result.errors.split(separator: "\n").count == 1)
    #expect(
      try Data(contentsOf: bench.folder.appendingPathComponent("library/library.sqlite")) == before)
  }

  @Test func `the database of another program or of a newer version is rejected`() throws {
    try bench.shell("mkdir other && sqlite3 other/library.sqlite 'CREATE TABLE t (a)'")
    try expectRefusal("list", "--library", "other", code: 8, says: "is not a Diple library")
    try bench.shell(
      "mkdir newer && cp library/library.sqlite newer/ && sqlite3 newer/library.sqlite 'PRAGMA user_version = 99'"
    )
    try expectRefusal("list", "--library", "newer", code: 8, says: "made by a newer Diple")
  }

  @Test func `a full disk loses no acknowledged document`() throws {
    // A limit on file sizes simulates a full disk, because writing fails with the same error.
    let program = Workbench.programs.appendingPathComponent("diple").path
    try bench.shell("for i in $(seq 400); do head -c 7000 /dev/urandom | base64 > d$i.md; done")
    let result = try bench.run(
      "sh", ["-c", "trap '' XFSZ; ulimit -f 1200; exec '\(program)' add ."])
    #expect(result.code == 6, "\(result.code) \(result.errors)")
    #expect(result.errors.contains("cannot be written"), "\(result.errors)")
    try expectIntact()
    // All acknowledged documents must be in the library.
    let added = result.lines.count { $0.hasPrefix("added ") }
    struct Page: Decodable { struct One: Decodable {}; var data: [One] }
    let listed = try JSONDecoder().decode(
      Page.self, from: Data(try bench.diple("doc", "list", "--json").output.utf8))
    #expect(listed.data.count >= added + 1)
  }

  @Test func `two processes that write at the same time both succeed`() throws {
    try bench.write("many.md", (1...60).map { "word\($0)" }.joined(separator: " "))
    try bench.diple("add", "many.md")
    let writers = [1...30, 31...60].map { numbers in
      bench.process(
        "sh",
        [
          "-c",
          "for i in \(numbers.map(String.init).joined(separator: " ")); do '\(Workbench.programs.appendingPathComponent("diple").path)' mark many.md word:$i >/dev/null || exit 1; done",
        ])
    }
    for writer in writers { try writer.run() }
    for writer in writers {
      #expect(try writer.end() == 0)
    }
    #expect(try bench.highlights().count == 61)
    #expect(try bench.diple("doctor").code == 0)
  }

  @Test func `unknown commands are rejected in one line with a suggestion`() throws {
    try expectRefusal("lsit", code: 2, says: "did you mean 'list'?")
    try expectRefusal("show", "nothing", code: 4, says: "no such file or document: 'nothing'")
    try expectRefusal("hl", "show", "999", code: 4, says: "no highlight '999'")
    try expectRefusal("mark", "good.md", "word:99", code: 1, says: "there is no word 99")
  }

  @Test func `a program that closes the pipe of the output early causes no message`() throws {
    let program = Workbench.programs.appendingPathComponent("diple").path
    try bench.shell(
      "yes 'A line of text.\n' | head -c 3000000 > long.md && '\(program)' add long.md")
    let result = try bench.run(
      "bash", ["-c", "set -o pipefail; '\(program)' show long.md | head -n 1 >/dev/null"])
    #expect(result.errors.isEmpty)
  }

  @Test func `control characters in a file do not reach the terminal`() throws {
    try bench.write("evil.md", "# \u{1B}]0;owned\u{7}\n\ntext \u{1B}[2J \u{9B}1m end\n")
    let added = try bench.diple("add", "evil.md")
    let shown = try bench.diple("show", "evil.md")
    for text in [added.output, shown.output] {
      #expect(!text.unicodeScalars.contains { $0.value < 32 && $0 != "\n" || $0.value == 0x9B })
    }
  }
}
