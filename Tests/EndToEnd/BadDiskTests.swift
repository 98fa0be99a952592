import Foundation
import TestSupport
import Testing

/// Disks that cannot be written, and files that go away under the program's hands.
@Suite struct BadDiskTests {
  let bench: Workbench

  init() throws {
    bench = try Workbench()
    try bench.write("good.md", "# Good\n\nSome words here.\n")
    #expect(try bench.diple("add", "good.md").code == 0)
    #expect(try bench.diple("mark", "good.md", "\"words\"").code == 0)
  }

  /// How a mount of one's own can be made here: the superuser may, others by a user namespace
  /// where the system lets them.
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

  @Test(.enabled(if: unshare != nil, "no mount can be made here"))
  func `a library on a read-only disk is read, and not written`() throws {
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
  func `an edit is followed also where its places cannot be stored`() throws {
    try bench.write("good.md", "# Good\n\nA new paragraph.\n\nSome words here.\n")
    for _ in 1...2 {
      let listed = try onReadOnlyDisk(["list", "--library", "disk/50% #1?"])
      #expect(listed.code == 0 && listed.output.contains("good.md:5:6  “words”"), "\(listed)")
      #expect(listed.errors.contains("good.md changed: 1 kept (1 shifted)"))
    }
    try expectSound()
  }

  @Test(.enabled(if: unshare != nil, "no mount can be made here"))
  func `no library can be made on a read-only disk`() throws {
    for folder in ["disk/new", "disk/a/b", "disk/empty"] {
      for words in [["add", "good.md"], ["init"]] {
        let result = try onReadOnlyDisk(words + ["--library", folder])
        expectRefusal(result, code: 6, says: "ead-only")
      }
    }
    try expectSound()
  }

  @Test func `files that go away while they are added hide no others`() throws {
    let seed = SeededGenerator.runSeed
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    var refused = 0
    for round in 1...4 {
      let making = """
        mkdir r\(round) && cd r\(round) && for f in a b c d e f; do mkdir $f; \
        for i in $(seq 20); do echo "# $f $i" > $f/$i.md; done; done
        """
      try bench.shell(making)
      let adding = bench.process("diple", ["add", "r\(round)"])
      let names = ["out", "err"].map { bench.path("\($0)\(round)") }
      for name in names { _ = FileManager.default.createFile(atPath: name, contents: nil) }
      adding.standardOutput = FileHandle(forWritingAtPath: names[0])
      adding.standardError = FileHandle(forWritingAtPath: names[1])
      try adding.run()
      usleep(UInt32.random(in: 5_000...40_000, using: &random))
      try bench.shell("rm -rf r\(round)/[b-e] r\(round)/f/*0.md")
      adding.waitUntilExit()

      let added = try bench.read("out\(round)").split(separator: "\n")
      let errors = try bench.read("err\(round)").split(separator: "\n")
      refused += errors.count
      #expect(adding.terminationStatus == (errors.isEmpty ? 0 : 4), "\(errors)")
      #expect(errors.allSatisfy { $0.hasPrefix("diple: no such file: ") }, "\(errors)")
      // What stayed is there, and what was said to be added is in the library.
      let listed = try bench.diple("doc", "list").output
      for line in added {
        #expect(listed.contains("  \(line.split(separator: " ")[1])  "), "\(line)")
      }
      for number in 1...20 { #expect(listed.contains("/r\(round)/a/\(number).md  ")) }
    }
    try expectSound()
    print("\(refused) files were gone when they were read")
  }

  @Test func `a folder in a document's place is said, and the document comes back whole`() throws {
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

  @Test func `a file in the place of a document's folder`() throws {
    try bench.shell("mkdir sub && cp good.md sub/")
    #expect(try bench.diple("add", "sub/good.md").code == 0)
    #expect(try bench.diple("mark", "sub/good.md", "\"here\"").code == 0)
    try bench.shell("mv sub kept && echo text > sub")
    let listed = try bench.diple("list")
    #expect(listed.code == 0 && listed.lines.count == 2, "\(listed)")
    #expect(listed.errors.contains("sub/good.md is missing; its highlights are kept"), "\(listed)")
    try bench.shell("rm sub && mv kept sub")
    #expect(try bench.diple("list").errors.contains("sub/good.md is back: 1 kept"))
  }
}
