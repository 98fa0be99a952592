import Foundation
import Testing

/// Tests that links in a cloned folder neither cause writes outside of it nor replace the user's
/// files.
@Suite struct LinkWriteTests {
  let victim: Victim

  init() throws {
    victim = try Victim()
    try victim.write(".bashrc", "# mine\n")
    try victim.write("clone/a.md", "The quick brown fox jumps over the lazy dog.\n")
    for words in [["init"], ["add", "a.md"], ["mark", "a.md", "\"quick\""]] {
      #expect(try victim.run("diple", words).code == 0)
    }
  }

  /// Creates the first version of a managed file.
  private func makeManaged() throws {
    #expect(try victim.diple("export", "--update", "-o", "notes.md").code == 0)
    #expect(try victim.diple("mark", "a.md", "\"brown\"", "--note", "$(touch P)").code == 0)
  }

  @Test func `an import without new quotes deletes leftovers of a killed one`() throws {
    try victim.write("q.txt", "Words of a book that is elsewhere.\n")
    let words = ["import", "--from", "text", victim.path("q.txt")]
    #expect(try victim.run("diple", words).code == 0)
    try victim.write("clone/Quotes/.diple-2f1j1f6o", "copy")
    try victim.write("clone/Quotes/.diple-mine", "mine")
    let result = try victim.run("diple", words)
    #expect(result.code <= 1, "\(result)")
    #expect(!victim.exists("clone/Quotes/.diple-2f1j1f6o"))
    #expect(victim.exists("clone/Quotes/.diple-mine"))
  }

  @Test(arguments: ["../../.profile", "../../pipe", "pipe", "/dev/zero"])
  func `a link in place of a .gitignore is not followed, and not waited for`(target: String) throws
  {
    try victim.shell("rm -r .diple; mkdir .diple; mkfifo ../pipe; mkdir sub")
    try victim.write("clone/sub/b.md", "# B\n")
    // The .gitignore of the library, and the files of this name in scanned folders.
    for name in [".diple/.gitignore", ".gitignore", "sub/.gitignore"] {
      try victim.shell("ln -s \(target) \(name)")
    }
    let start = ContinuousClock.now
    let result = try victim.diple("init")
    let isWritten = target == "../../.profile" || target == "pipe"
    #expect(result.code == (isWritten ? 6 : 0), "\(result)")
    #expect(result.errors.contains("is a link") == isWritten)
    #expect(try victim.diple("add", ".").code == 0)
    #expect(try victim.shell("readlink .diple/.gitignore") == target + "\n")
    #expect(!victim.exists(".profile") && !victim.exists("clone/.diple/pipe"))
    #expect(ContinuousClock.now - start < .seconds(40))
  }

  @Test func `the backup of a managed file follows no link`() throws {
    try makeManaged()
    let before = try victim.read("clone/notes.md")
    try victim.shell("ln -s ../.bashrc notes.md~")
    let result = try victim.diple("export", "--update", "-o", "notes.md")
    #expect(result.code == 0 && result.errors.contains("notes.md.~1~"), "\(result)")
    #expect(try victim.read(".bashrc") == "# mine\n")
    #expect(try victim.read("clone/notes.md.~1~") == before)
    #expect(try victim.shell("readlink notes.md~") == "../.bashrc\n")
  }

  @Test func `the backup of a managed file replaces only Diple's own backup`() throws {
    try makeManaged()
    try victim.write("clone/notes.md~", "an editor's backup\n")
    var contents: [String] = []
    for word in ["fox", "lazy", "dog"] {
      contents.append(try victim.read("clone/notes.md"))
      let result = try victim.diple("export", "--update", "-o", "notes.md")
      #expect(result.code == 0, "\(result)")
      #expect(try victim.diple("mark", "a.md", "\"\(word)\"").code == 0)
    }
    #expect(try victim.read("clone/notes.md~") == "an editor's backup\n")
    // Diple's own backup is replaced, so there is only one.
    #expect(try victim.read("clone/notes.md.~1~") == contents[2])
    #expect(try victim.shell("ls | grep -c notes") == "3\n")
    // A backup that the user has changed is kept.
    try victim.write("clone/notes.md.~1~", "changed\n")
    #expect(try victim.diple("export", "--update", "-o", "notes.md").code == 0)
    #expect(try victim.read("clone/notes.md.~1~") == "changed\n")
    #expect(victim.exists("clone/notes.md.~2~"))
  }

  @Test(arguments: [
    ["--update"], ["--to", "html", "--force"], ["--to", "rtf", "--force"],
    ["--everything", "--force"],
  ])
  func `an export writes through no link out of its folder`(options: [String]) throws {
    try victim.shell("mkdir -p .git/hooks; touch .git/hooks/pre-commit; chmod +x .git/hooks/*")
    for target in ["../.bashrc", ".git/hooks/pre-commit", "../.profile", "/etc/diple-test"] {
      try victim.shell("ln -sfn \(target) notes.md")
      let result = try victim.run("diple", ["export", "-o", "notes.md"] + options)
      #expect(result.code == 6 && result.errors.contains("is a link"), "\(target): \(result)")
    }
    try victim.shell("ln -s ../.config out; mkdir ../.config")
    let result = try victim.run("diple", ["export", "-o", "out/notes.md"] + options)
    #expect(
      result.code == 6 && result.errors.contains("is outside the library's folder"), "\(result)")
    #expect(try victim.shell("ls -A ../.config") == "")
    #expect(try victim.read(".bashrc") == "# mine\n" && !victim.exists(".profile"))
    #expect(try victim.read("clone/.git/hooks/pre-commit") == "")
  }

  @Test func `an export follows links within its folder, and writes to the standard output`()
    throws
  {
    try victim.shell("mkdir real; touch real/notes.md; ln -s real/notes.md notes.md")
    let result = try victim.diple("export", "--update", "-o", "notes.md")
    #expect(result.code == 0, "\(result)")
    #expect(try victim.read("clone/real/notes.md").contains("quick"))
    #expect(try victim.shell("readlink notes.md") == "real/notes.md\n")
    #expect(
      try victim.shell("diple export -o /dev/stdout --force | cat").contains("quick"))
  }

  /// A link in a path that the user named is followed, as by `cp`. The output contains the real
  /// folder.
  @Test func `restore prints the target of a link in its path`() throws {
    #expect(try victim.diple("init").code == 0)
    #expect(try victim.diple("backup", "copy.zst").code == 0)
    try victim.shell("mkdir ../elsewhere; ln -s ../elsewhere link")
    let restored = try victim.diple("restore", "--to", "link/.diple", "copy.zst")
    #expect(restored.code == 0, "\(restored)")
    #expect(restored.output.contains("/link/.diple\nits real path is "), "\(restored)")
    #expect(restored.output.contains("/elsewhere/.diple\n"), "\(restored)")
    let plain = try victim.diple("restore", "--to", "other/.diple", "copy.zst")
    #expect(plain.code == 0 && !plain.output.contains("its real path"), "\(plain)")
    // The same applies to a folder that is a link. A database is never a link.
    try victim.shell("mkdir third ../fourth; ln -s ../../fourth third/.diple")
    let linked = try victim.diple("restore", "--to", "third/.diple", "copy.zst")
    #expect(linked.code == 0 && linked.output.contains("its real path is "), "\(linked)")
    try victim.shell("mkdir fifth fifth/.diple; ln -s ../../../.bashrc fifth/.diple/library.sqlite")
    let refused = try victim.diple("restore", "--yes", "--to", "fifth/.diple", "copy.zst")
    #expect(refused.code == 8 && refused.errors.contains("not a regular file"), "\(refused)")
    #expect(try victim.read(".bashrc") == "# mine\n")
  }
}
