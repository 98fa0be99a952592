import Foundation
import TestSupport
import Testing

/// Tests `doctor --repair`, `backup` and `restore` with damaged, foreign and hostile files.
@Suite struct RepairCommandTests {
  let victim: Victim

  init() throws {
    victim = try Victim()
    try victim.write("clone/good.md", "Some words here, and more words.\n")
    #expect(try victim.diple("init").code == 0)
    #expect(try victim.diple("add", "good.md").code == 0)
    #expect(try victim.diple("mark", "good.md", "\"words\"#1", "--note", "first").code == 0)
    #expect(try victim.diple("mark", "good.md", "\"more\"").code == 0)
  }

  /// Overwrites the root page of a table.
  private func damage(_ table: String) throws {
    let page = try victim.sql("SELECT rootpage FROM sqlite_schema WHERE name = '\(table)';")
    let number = try #require(Int(page.trimmingCharacters(in: .whitespacesAndNewlines)))
    try victim.shell(
      """
      size=$(sqlite3 .diple/library.sqlite 'PRAGMA page_size'); sqlite3 .diple/library.sqlite \
      'PRAGMA wal_checkpoint(TRUNCATE)' >/dev/null; cp .diple/library.sqlite ../sound
      dd if=/dev/zero of=.diple/library.sqlite bs=$size seek=\(number - 1) count=1 conv=notrunc \
      2>/dev/null; cp .diple/library.sqlite ../damaged
      """)
  }

  @Test func `nothing is written to a library that a command found damaged`() throws {
    try victim.diple("add", "good.md")
    try victim.write("clone/other.md", "Other words.\n")
    #expect(try victim.diple("add", "other.md").code == 0)
    try damage("tag")
    expectRefusal(try victim.diple("list"), 8, "is damaged")
    // `undo` of the addition does not read the damaged page.
    expectRefusal(try victim.diple("undo"), 8, "is damaged")
    try victim.shell(
      "cp ../sound .diple/library.sqlite; rm -f .diple/library.sqlite-wal .diple/library.sqlite-shm"
    )
    expectRefusal(try victim.diple("undo"), 8, "is damaged")
    #expect(try victim.diple("doctor").code == 0)
    #expect(try victim.diple("undo").code == 0)
  }

  @Test func `the repair of a sound library changes nothing`() throws {
    let before = try victim.shell("ls .diple; sqlite3 .diple/library.sqlite .dump | sha256sum")
    let repaired = try victim.diple("doctor", "--repair")
    #expect(repaired.code == 0 && repaired.output.contains("nothing to repair"), "\(repaired)")
    #expect(
      try victim.shell("ls .diple; sqlite3 .diple/library.sqlite .dump | sha256sum") == before)
  }

  @Test func `the doctor knows the last backup that was made by hand`() throws {
    #expect(try victim.diple("doctor").output.contains("backup      none"))
    #expect(try victim.diple("backup", "copy.zst").code == 0)
    let doctor = try victim.diple("doctor")
    #expect(doctor.output.contains("/clone/copy.zst"), "\(doctor)")
    try victim.shell("rm copy.zst")
    #expect(try victim.diple("doctor").output.contains("backup      none"))
  }

  private func expectRefusal(
    _ result: Victim.Result, _ code: Int32, _ says: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let lines = result.errors.split(separator: "\n")
    #expect(
      result.code == code && lines.count == 1 && lines[0].contains(says), "\(result)",
      sourceLocation: sourceLocation)
  }

  @Test
  func `the loss of an overwritten page is reported, and the library is valid after a repair`()
    throws
  {
    // Overwrite a page of the table of highlights. The operations contain its data too.
    let page = try victim.sql("SELECT rootpage FROM sqlite_schema WHERE name = 'highlight';")
    let number = try #require(Int(page.trimmingCharacters(in: .whitespacesAndNewlines)))
    try victim.shell(
      """
      size=$(sqlite3 .diple/library.sqlite 'PRAGMA page_size'); sqlite3 .diple/library.sqlite \
      'PRAGMA wal_checkpoint(TRUNCATE)' >/dev/null
      dd if=/dev/zero of=.diple/library.sqlite bs=$size seek=\(number - 1) count=1 conv=notrunc \
      2>/dev/null; cp .diple/library.sqlite ../damaged
      """)
    expectRefusal(try victim.diple("hl", "show", "1"), 8, "doctor --repair")
    let repaired = try victim.diple("doctor", "--repair")
    #expect(
      repaired.code == 8 && repaired.output.contains("lost        1 page of the file")
        && repaired.output.contains("highlights  2"), "\(repaired)")
    let doctor = try victim.diple("doctor")
    #expect(doctor.code == 0 && doctor.output.contains("database    sound"), "\(doctor)")
    let listed = try victim.diple("list")
    #expect(listed.output.contains("good.md:1:6  “words”  — first"), "\(listed)")
    #expect(listed.output.contains("“more”"), "\(listed)")
    try victim.shell("cmp .diple/library.sqlite.damaged-* ../damaged")
    // A second run finds no errors.
    #expect(try victim.diple("doctor", "--repair").code == 0)
  }

  @Test(arguments: [
    "SET field = 'sXlector' WHERE field = 'selector'", "SET field = 'nXte' WHERE field = 'note'",
    "SET field = 'tXg/t1' WHERE field = 'tag/t1'", "SET field = 'pXth' WHERE field = 'path'",
    "SET value = '' WHERE field = 'path'", "SET record_sequence = 99 WHERE field = 'path'",
    "SET field = 'title' WHERE field = 'note'", "SET value = 1 WHERE field = 'note'",
    "SET value = 'x' WHERE field = 'tag/t1'",
  ])
  func `an invalid operation is reported as lost, and its record is kept`(
    _ change: String
  ) throws {
    #expect(try victim.diple("mark", "good.md", "\"here\"", "--tag", "t1").code == 0)
    let before = try victim.diple("list")
    try victim.sql("UPDATE operation \(change);")
    let found = try victim.diple("doctor")
    #expect(found.code == 8, "\(found)")
    let repaired = try victim.diple("doctor", "--repair")
    #expect(repaired.code == 8 && repaired.output.contains("lost  "), "\(repaired)")
    let after = try victim.diple("list")
    #expect(after.output == before.output, "\(repaired)")
    let tagged = try victim.diple("list", "--tag", "t1")
    #expect(tagged.output.contains("“here”"), "\(tagged)")
    #expect(try victim.diple("doctor").code == 0)
  }

  @Test func `files that are not libraries are neither repaired nor backed up`() throws {
    try victim.shell("rm .diple/library.sqlite*; : > .diple/library.sqlite")
    expectRefusal(try victim.diple("doctor", "--repair"), 8, "it is empty, 0 bytes")
    try victim.shell("rm .diple/library.sqlite; sqlite3 .diple/library.sqlite 'CREATE TABLE t (a)'")
    try victim.shell("cp .diple/library.sqlite ../theirs")
    expectRefusal(try victim.diple("doctor", "--repair"), 8, "is not a Diple library")
    try victim.shell("cmp .diple/library.sqlite ../theirs; test $(ls .diple) = library.sqlite")
    expectRefusal(try victim.diple("backup", "copy.zst"), 8, "is not a Diple library")
    #expect(!victim.exists("clone/copy.zst"))
  }

  @Test func `a repair neither runs nor copies triggers and views`()
    throws
  {
    try victim.sql(
      """
      CREATE TRIGGER t AFTER INSERT ON operation BEGIN DELETE FROM highlight; END;
      CREATE VIEW v AS SELECT load_extension('x');
      """)
    #expect(try victim.diple("doctor", "--repair").code == 0)
    #expect(
      try victim.sql("SELECT count(*) FROM sqlite_schema WHERE type IN ('trigger', 'view');")
        == "0\n")
    #expect(try victim.diple("list").output.split(separator: "\n").count == 2)
  }

  @Test func `restore replaces the library with a backup, and keeps the replaced one`() throws {
    let before = try victim.diple("list").output
    #expect(try victim.diple("backup", "copy.zst").code == 0)
    #expect(try victim.mode("clone/copy.zst") == 0o600)
    expectRefusal(try victim.diple("backup", "copy.zst"), 6, "pass --force")
    #expect(try victim.diple("backup", "--force", "copy.zst").code == 0)
    expectRefusal(
      try victim.diple("backup", "--force", ".diple/library.sqlite"), 6, "the library itself")
    expectRefusal(
      try victim.diple("backup", "--force", "good.md"), 6, "is a document of the library")
    expectRefusal(try victim.diple("backup", "/dev/null"), 2, "is not a regular file")
    #expect(try victim.diple("hl", "note", "1", "second").code == 0)
    expectRefusal(try victim.diple("restore", "copy.zst"), 2, "add --yes")
    let restored = try victim.diple("restore", "--yes", "copy.zst")
    #expect(restored.code == 0 && restored.output.contains("is kept in"), "\(restored)")
    #expect(try victim.diple("list").output == before)
    #expect(
      try victim.shell(
        "sqlite3 .diple/library.sqlite.replaced-* 'SELECT note FROM highlight LIMIT 1'")
        == "second\n")
    #expect(try victim.diple("restore", "--to", "other/.diple", "copy.zst").code == 0)
    #expect(try victim.mode("clone/other/.diple/library.sqlite") == 0o600)
    // Other programs can read the backup too.
    try victim.shell(
      "zstd -qdc copy.zst > plain && sqlite3 plain 'PRAGMA integrity_check' | grep -qx ok")
  }

  @Test func `invalid backups are rejected in one line`() throws {
    let before = try victim.diple("list").output
    #expect(try victim.diple("backup", "copy.zst").code == 0)
    try victim.shell(
      """
      head -c 200 copy.zst > cut.zst; head -c 200000000 /dev/zero | zstd -q > zeros.zst
      sqlite3 other.sqlite 'CREATE TABLE t (a)'; zstd -q other.sqlite -o other.zst
      zstd -qdc copy.zst > newer.sqlite
      sqlite3 newer.sqlite 'PRAGMA user_version = 99'; zstd -q newer.sqlite -o newer.zst
      zstd -qdc copy.zst > lies.sqlite
      sqlite3 lies.sqlite "UPDATE highlight SET note = 'x'"; zstd -q lies.sqlite -o lies.zst
      : > empty.zst; mkdir folder.zst
      """)
    for (file, says) in [
      ("cut.zst", "not a backup"), ("zeros.zst", "not a backup"), ("other.zst", "not a backup"),
      ("newer.zst", "a newer Diple"), ("lies.zst", "the note of highlight"),
      ("empty.zst", "not a backup"), ("folder.zst", "not a regular file"),
    ] {
      expectRefusal(try victim.diple("restore", "--yes", file), 8, says)
    }
    expectRefusal(try victim.diple("restore", "missing.zst"), 4, "no such file: missing.zst")
    expectRefusal(try victim.diple("restore", "4"), 4, "diple highlight restore 4")
    #expect(try victim.diple("list").output == before)
    #expect(try victim.shell("ls .diple") == "library.sqlite\n")
  }
}
