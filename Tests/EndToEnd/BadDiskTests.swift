import Foundation
import TestSupport
import Testing

/// Tests disks that can't be written, and files that are deleted while they are being read.
@Suite struct BadDiskTests {
  let bench: Workbench

  init() throws {
    bench = try Workbench()
    try bench.write("good.md", "# Good\n\nSome words here.\n")
    #expect(try bench.diple("add", "good.md").code == 0)
    #expect(try bench.diple("mark", "good.md", "\"words\"").code == 0)
  }

  /// The options of `unshare` for a private mount. The superuser can create one, other users only
  /// in a user namespace. Nil if neither is possible.
  private static let unshare: [String]? = [["-m"], ["-rm"]].first { options in
    let bench = try? Workbench()
    let words = ["mkdir disk && unshare \(options[0]) mount -t tmpfs none disk"]
    return (try? bench?.run("sh", ["-c"] + words).code) == 0
  }

  /// Runs a command with a copy of the library on a read-only disk, mounted at `disk`.
  private func onReadOnlyDisk(_ words: [String]) throws -> Workbench.Result {
    let script = """
      mkdir -p disk && mount -t tmpfs none disk && mkdir disk/empty && cp -R library 'disk/50% #1?' \
      && mount -o remount,ro disk && exec "$@"
      """
    let program = Workbench.programs.appendingPathComponent("diple").path
    return try bench.run(
      "unshare", try #require(Self.unshare) + ["sh", "-c", script, "sh", program] + words)
  }

  private func expectRefusal(
    _ result: Workbench.Result, code: Int32, says: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(result.code == code, "\(result)", sourceLocation: sourceLocation)
    let lines = result.errors.split(separator: "\n")
    #expect(
      lines.count == 1 && lines[0].hasPrefix("diple: ") && lines[0].contains(says), "\(result)",
      sourceLocation: sourceLocation)
  }

  private func expectSound(sourceLocation: SourceLocation = #_sourceLocation) throws {
    let doctor = try bench.diple("doctor")
    #expect(
      doctor.code == 0 && doctor.output.contains("database    sound"), "\(doctor)",
      sourceLocation: sourceLocation)
    #expect(try bench.highlights().map(\.quote) == ["words"], sourceLocation: sourceLocation)
  }

  @Test func `a command whose output cannot be written reports that it was completed`() throws {
    let program = Workbench.programs.appendingPathComponent("diple").path
    func run(_ words: String) throws -> Workbench.Result {
      try bench.run("sh", ["-c", "exec '\(program)' \(words) > /dev/full"])
    }
    let marked = try run("mark good.md '\"Some\"'")
    #expect(
      marked.code == 7 && marked.errors.contains("was carried out, but its output"), "\(marked)")
    #expect(try bench.highlights().map(\.quote) == ["Some", "words"])
    // A command whose output exceeds the buffer is also carried out completely.
    let folder = String(repeating: "long-", count: 40)
    try bench.shell("mkdir \(folder); for i in $(seq 500); do echo Text > \(folder)/$i.md; done")
    let added = try run("add \(folder)")
    #expect(added.code == 7, "\(added)")
    #expect(try bench.diple("doc", "list").output.split(separator: "\n").count == 501)
    // Other errors keep their exit codes.
    let refused = try run("add \(folder) nosuch.md")
    #expect(refused.code == 4 && refused.errors.contains("nosuch.md"), "\(refused)")
    #expect(!refused.errors.contains("was carried out"), "\(refused)")
  }

  @Test(.enabled(if: unshare != nil, "no mount can be made here"))
  func `a library on a read-only disk can be read but not changed`() throws {
    func run(_ words: String...) throws -> Workbench.Result {
      try onReadOnlyDisk(words + ["--library", "disk/50% #1?"])
    }
    let listed = try run("list")
    #expect(listed.code == 0 && listed.output.contains("good.md:3:6  “words”"), "\(listed)")
    let shown = try run("show", "good.md")
    #expect(shown.code == 0 && shown.output.contains("Some [Y:words] here."), "\(shown)")
    let doctor = try run("doctor")
    #expect(doctor.code == 0 && doctor.output.contains("database    sound"), "\(doctor)")

    let id = try bench.highlights()[0].id
    let readOnly = "cannot be written: it is read-only"
    expectRefusal(try run("mark", "good.md", "\"here\""), code: 6, says: readOnly)
    expectRefusal(try run("hl", "note", id, "new"), code: 6, says: readOnly)
    expectRefusal(try run("hl", "remove", id), code: 6, says: readOnly)
    expectRefusal(try run("doc", "remove", "good.md", "--yes"), code: 6, says: readOnly)
    expectRefusal(try run("doc", "rename", "good.md", "New"), code: 6, says: readOnly)
    expectRefusal(try run("add", "good.md"), code: 6, says: readOnly)
    try expectSound()
  }

  @Test(.enabled(if: unshare != nil, "no mount can be made here"))
  func `anchors are updated in the output even if they cannot be stored`() throws {
    try bench.write("good.md", "# Good\n\nA new paragraph.\n\nSome words here.\n")
    for _ in 1...2 {
      let listed = try onReadOnlyDisk(["list", "--library", "disk/50% #1?"])
      #expect(listed.code == 0 && listed.output.contains("good.md:5:6  “words”"), "\(listed)")
      #expect(listed.errors.contains("good.md changed: 1 kept (1 shifted)"))
    }
    try expectSound()
  }

  @Test(.enabled(if: unshare != nil, "no mount can be made here"))
  func `creating a library on a read-only disk fails`() throws {
    for folder in ["disk/new", "disk/a/b", "disk/empty"] {
      for words in [["add", "good.md"], ["init"]] {
        let result = try onReadOnlyDisk(words + ["--library", folder])
        expectRefusal(result, code: 6, says: "ead-only")
      }
    }
    try expectSound()
  }

  /// Runs `add` on a folder and a closure in the meantime. Returns the output when `add` has ended.
  private func add(_ folder: String, meanwhile: (Process, String) throws -> Void) throws
    -> (code: Int32, added: [Substring], errors: [Substring])
  {
    let adding = bench.process("diple", ["add", folder])
    let names = ["out", "err"].map { "\($0)-\(folder)" }
    for name in names { try bench.write(name, "") }
    adding.standardOutput = FileHandle(forWritingAtPath: bench.path(names[0]))
    adding.standardError = FileHandle(forWritingAtPath: bench.path(names[1]))
    try adding.run()
    try meanwhile(adding, names[0])
    let code = try adding.end()
    return (
      code, try bench.read(names[0]).split(separator: "\n"),
      // Ignore the number of added documents, which is also printed on standard error.
      try bench.read(names[1]).split(separator: "\n").filter { !$0.hasPrefix("added ") }
    )
  }

  @Test func `files that are deleted between listing and reading are reported`() throws {
    // The first 256 documents are acknowledged together. The last documents are read long after
    // that.
    try bench.shell("mkdir many && for i in $(seq 1000 1599); do echo \"# $i\" > many/$i.md; done")
    let result = try add("many") { adding, output in
      try eventually("the first documents are acknowledged", every: 0.001) {
        try !bench.read(output).isEmpty
      }
      kill(adding.processIdentifier, SIGSTOP)
      try bench.shell("rm many/159*.md && rm many/158*.md && mkdir many/1589.md")
      kill(adding.processIdentifier, SIGCONT)
    }
    #expect(result.code == 4 && result.added.count == 580, "\(result.errors)")
    #expect(result.errors.count == 20)
    #expect(result.errors.count { $0.hasPrefix("diple: no such file: ") } == 19)
    #expect(result.errors.contains { $0.hasSuffix("1589.md is a folder, not a document") })
    #expect(try bench.diple("doc", "list").lines.count == 581)
    try expectSound()
  }

  @Test func `adding a folder that is removed at a random moment reports each missing file`() throws
  {
    let seed = SeededGenerator.runSeed
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    for round in 1...4 {
      let folder = "r\(round)"
      // The texts differ from those of the round before, or they would be its missing documents.
      try bench.shell(
        """
        mkdir \(folder) && cd \(folder) && for f in a b c d; do mkdir $f; \
        for i in $(seq 10); do echo "# \(round) $f $i" > $f/$i.md; done; done
        """)
      let result = try add(folder) { _, _ in
        usleep(UInt32.random(in: 1_000...60_000, using: &random))
        try bench.shell("rm -rf \(folder)/[b-d]")
      }
      #expect(result.code == (result.errors.isEmpty ? 0 : 4), "\(result.errors)")
      #expect(result.errors.allSatisfy { $0.hasPrefix("diple: no such file: ") })
      // The remaining files and all acknowledged documents must be in the library.
      let listed = try bench.diple("doc", "list").output
      for line in result.added { #expect(listed.contains("  \(line.split(separator: " ")[1])  ")) }
      for number in 1...10 { #expect(listed.contains("  \(folder)/a/\(number).md  ")) }
    }
    try expectSound()
  }

  @Test
  func
    `a folder at a document's path is reported, and the document returns with its file`()
    throws
  {
    let before = try bench.highlights()
    try bench.shell("mv good.md kept.md && mkdir good.md")
    let listed = try bench.diple("list")
    #expect(listed.code == 0 && listed.lines.count == 1, "\(listed)")
    #expect(listed.errors.contains("good.md is a folder, not a document"), "\(listed)")
    expectRefusal(try bench.diple("show", "good.md"), code: 2, says: "is a folder")
    expectRefusal(try bench.diple("mark", "good.md", "\"here\""), code: 2, says: "is a folder")
    expectRefusal(try bench.diple("select", "good.md", "all"), code: 2, says: "is a folder")
    try expectSound()
    try bench.shell("rmdir good.md && mv kept.md good.md")
    #expect(try bench.highlights() == before)
  }

  @Test
  func `a file at the path of a document's folder makes the document missing until it returns`()
    throws
  {
    try bench.shell("mkdir sub && cp good.md sub/")
    #expect(try bench.diple("add", "sub/good.md").code == 0)
    #expect(try bench.diple("mark", "sub/good.md", "\"here\"").code == 0)
    try bench.shell("mv sub .kept && echo text > sub")
    let listed = try bench.diple("list")
    #expect(listed.code == 0 && listed.lines.count == 2, "\(listed)")
    #expect(listed.errors.contains("sub/good.md is missing: 1 highlight listed"), "\(listed)")
    try bench.shell("rm sub && mv .kept sub")
    #expect(try bench.diple("list").errors.contains("sub/good.md was found again: 1 kept"))
  }
}
