import Foundation
import Testing

/// Tests failing writes at successive moments. A command reports the result, changes nothing or
/// everything, and the library is valid afterwards.
@Suite(.enabled(if: Tracing.isPossible, "strace is not installed or not permitted"))
struct FailedWriteTests {
  let victim: Victim

  init() throws {
    victim = try Victim()
    for name in ["a", "b", "c"] {
      try victim.write(
        "clone/\(name).md", "# T \(name)\n\nThe diple worth noticing.\n\nEnd colour colour.\n")
    }
  }

  private func begin() throws {
    #expect(try victim.diple("init").code == 0)
    #expect(try victim.diple("add", ".").code == 0)
    #expect(try victim.diple("mark", "a.md", "\"worth noticing\"").code == 0)
  }

  /// Runs a command in which one system call fails or kills the process.
  ///
  /// - Returns: The result. Nil if the command doesn't make the call so often.
  private func inject(
    _ call: String, _ what: String, _ number: Int, _ words: [String], at path: String? = nil
  ) throws -> Victim.Result? {
    let log = victim.path("trace")
    let result = try victim.run(
      "strace",
      [
        "-f", "-qq", "-o", log, "-e", "trace=\(call)", "-e",
        "inject=\(call):\(what):when=\(number)",
      ] + (path.map { ["-P", $0] } ?? []) + ["diple"] + words)
    let trace = try victim.read("trace")
    return trace.contains("INJECTED") || trace.contains("killed by") ? result : nil
  }

  /// The visible state of the library and its files.
  private func state() throws -> [String] {
    try ["a", "b", "c"].map { try victim.read("clone/\($0).md") }
      + [
        try victim.diple("list").output, try victim.diple("config", "get", "editor").output,
        try victim.shell("ls -A | grep '^.diple-' || true"),
      ]
  }

  /// Copies the clone and the state folder under a name, from which `reset` restores them.
  private func keep(as name: String) throws {
    try victim.shell("rm -rf ../../$(basename ..)/\(name); mkdir -p ../\(name)")
    try victim.shell("cp -a . ../\(name)/clone; cp -a ../.local ../\(name)/ 2>/dev/null || true")
  }

  private func reset(to name: String) throws {
    try victim.shell(
      "find . -mindepth 1 -delete; cp -a ../\(name)/clone/. .; rm -rf ../.config ../.local; "
        + "cp -a ../\(name)/.local ../ 2>/dev/null || true")
  }

  private static let replacing = ["replace", "--everywhere", "--all", "--yes", "colour", "color"]

  @Test(arguments: ["pwrite64 error=ENOSPC", "fdatasync error=EIO", "pwrite64 error=EIO"])
  func `a failed init leaves no library or a valid one`(fault: String) throws {
    let (call, what) = (
      String(fault.prefix { $0 != " " }), String(fault.drop { $0 != " " }.dropFirst())
    )
    var number = 1
    var failed = 0
    while let result = try inject(call, what, number, ["init"]) {
      if result.code != 0 {
        failed += 1
        #expect(result.code == 6, "\(fault) at \(number): \(result)")
      }
      if victim.exists("clone/.diple/library.sqlite") {
        let doctor = try victim.diple("doctor")
        #expect(doctor.code == 0, "\(fault) at \(number): \(result) \(doctor)")
      } else {
        #expect(result.errors.contains("no library was made"), "\(fault) at \(number): \(result)")
      }
      let left = try victim.shell("ls -A .diple 2>/dev/null | grep new || true")
      #expect(left.isEmpty, "\(fault) at \(number): \(left)")
      try victim.shell("rm -rf .diple")
      #expect(try victim.diple("init").code == 0)
      try victim.shell("rm -rf .diple")
      number += number < 4 ? 1 : 5
    }
    #expect(failed > 0, "\(fault)")
  }

  @Test(arguments: [
    "replace", "undo", "redo", "undo a mark", "mark", "format", "config", "import", "link",
  ])
  func
    `a command with a failing write changes everything or nothing, and its exit code shows which`(
      kind: String
    ) throws
  {
    try begin()
    let words: [String]
    switch kind {
    case "replace": words = Self.replacing
    case "undo", "redo":
      #expect(try victim.run("diple", Self.replacing).code == 0)
      if kind == "redo" { #expect(try victim.diple("undo").code == 0) }
      words = [kind]
    case "undo a mark": words = ["undo"]
    case "mark": words = ["mark", "b.md", "\"worth noticing\""]
    case "format": words = ["format", "bold", "b.md", "\"worth noticing\""]
    case "import":
      #expect(try victim.diple("mark", "b.md", "\"worth noticing\"").code == 0)
      #expect(try victim.diple("export", "b.md", "--to", "w3c", "-o", "marks.json").code == 0)
      #expect(try victim.diple("undo").code == 0)
      words = ["import", "marks.json"]
    case "link":
      try victim.shell("mkdir -p moved; cp a.md moved/")
      words = ["doc", "link", "a.md", "moved/a.md"]
    default: words = ["config", "set", "editor", "nano"]
    }
    try keep(as: "before")
    let old = try state()
    let done = try victim.run("diple", words)
    #expect(done.code == 0, "\(done)")
    let new = try state()
    #expect(old != new)
    // Each run is slow, so only every `step`-th call fails.
    for (call, what, step) in [
      ("pwrite64", "error=ENOSPC", 7), ("fdatasync", "error=EIO", 1), ("fsync", "error=EIO", 1),
      ("renameat2", "error=EIO", 1), ("write", "error=ENOSPC", 3),
    ] {
      var number = 1
      while true {
        try reset(to: "before")
        guard let result = try inject(call, what, number, words) else { break }
        let now = try state()
        let doctor = try victim.diple("doctor")
        let moment = "\(kind), \(call) \(number): \(result)"
        #expect(result.code < 128 && doctor.code == 0, "\(moment); \(doctor)")
        // Exit code 7: the command was completed, but its output could not be written.
        let isDone = [0, 7].contains(result.code)
        #expect(now == (isDone ? new : old), "\(moment)")
        if result.code != 0 { #expect(!result.errors.isEmpty, "\(moment)") }
        // The path and the anchors of the highlights are written in two transactions.
        number += kind == "link" ? 1 : step
      }
    }
  }

  @Test(arguments: ["replace", "format"])
  func `a file whose status is unreadable after writing is unchanged, or the write is reported`(
    kind: String
  ) throws {
    try begin()
    let words =
      kind == "replace" ? Self.replacing : ["format", "bold", "b.md", "\"worth noticing\""]
    try keep(as: "before")
    let old = try state()
    #expect(try victim.run("diple", words).code == 0)
    let new = try state()
    var number = 1
    while true {
      try reset(to: "before")
      let file = victim.path("clone/b.md")
      guard let result = try inject("newfstatat", "error=EIO", number, words, at: file) else {
        break
      }
      let now = try state()
      #expect(
        now == ([0, 7].contains(result.code) ? new : old), "\(kind) \(number): \(result)")
      #expect(try victim.diple("doctor").code == 0)
      number += 1
    }
    #expect(number > 3, "stat is another call here")
  }

  @Test func `a failed import leaves no quotes`() throws {
    try begin()
    try victim.write("quotes.txt", "Words of a book that is elsewhere.\n")
    let words = ["import", "--from", "text", "../quotes.txt"]
    for hasBook in [false, true] {
      if hasBook {
        try reset(to: "before")
        #expect(try victim.run("diple", words).code == 0)
        try victim.write("quotes.txt", "Other words of a book that is elsewhere.\n")
      }
      try keep(as: "before")
      let before = try victim.shell("find Quotes -type f -exec cat {} + 2>/dev/null || true")
      var failed = 0
      for call in ["pwrite64", "fdatasync", "link", "renameat2"] {
        var number = 1
        while true {
          try reset(to: "before")
          guard let result = try inject(call, "error=ENOSPC", number, words) else { break }
          let after = try victim.shell("find Quotes 2>/dev/null -type f -exec cat {} + || true")
          let moment = "\(call) \(number): \(result)"
          #expect(result.code < 128, "\(moment)")
          if [0, 7].contains(result.code) {
            #expect(after.contains("Other") || !hasBook, "\(moment)")
          } else {
            failed += 1
            #expect(after == before, "\(moment)")
            #expect(hasBook || !victim.exists("clone/Quotes"), "\(moment)")
          }
          #expect(try victim.shell("find . -name '.diple-*'").isEmpty, "\(moment)")
          number += 3
        }
      }
      #expect(failed > 0)
    }
  }

  @Test func `leftovers of a killed export are deleted by the next one`() throws {
    try begin()
    for words in [
      ["export", "--to", "html", "-o", "out"], ["export", "--everything", "-o", "out"],
      ["export", "--update", "-o", "notes.md"], ["export", "--to", "rtf", "-o", "out"],
    ] {
      #expect(try inject("fsync", "signal=KILL", 1, words) != nil, "\(words)")
      #expect(try !victim.shell("ls -A | grep '^.diple-' || true").isEmpty, "\(words)")
      #expect(try victim.run("diple", words).code == 0)
      #expect(try victim.shell("ls -A | grep '^.diple-' || true").isEmpty, "\(words)")
      try victim.shell("rm -f out notes.md")
    }
  }

  @Test func `pictures of a killed addition do not block the next one, and empty folders are kept`()
    throws
  {
    try begin()
    let picture =
      "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489"
      + "0000000d4944415478da63fcffff3f0300050001a5f645400000000049454e44ae426082"
    try victim.write(
      "clone/r.rtf", "{\\rtf1 Words {\\pict\\pngblip \(picture)} and more.\\par}")
    try victim.shell("mkdir r-pictures")
    let added = try victim.diple("add", "r.rtf")
    #expect(added.code == 0 && victim.exists("clone/r.md"), "\(added)")
    #expect(victim.exists("clone/r-pictures") && victim.exists("clone/r-pictures-2"))
    #expect(try victim.diple("undo").code == 0)
    try victim.shell("rm -f r.md")
    #expect(try inject("link", "signal=KILL", 2, ["add", "r.rtf"]) != nil)
    #expect(!victim.exists("clone/r.md"))
    let again = try victim.diple("add", "r.rtf")
    #expect(again.code == 0 && victim.exists("clone/r.md"), "\(again)")
    // A failed addition keeps the user's empty folder.
    try victim.shell("rm -rf r.md r-pictures-*")
    let failed = try inject("link", "error=ENOSPC", 2, ["add", "r.rtf"])
    #expect(failed?.code == 6 || failed?.code == 4, "\(failed as Any)")
    #expect(victim.exists("clone/r-pictures"))
    #expect(try victim.shell("ls -d r-pictures*") == "r-pictures\n")
  }

  @Test func `an interrupted step is settled by the next command, and only reported by doctor`()
    throws
  {
    try begin()
    let result = try #require(try inject("renameat2", "signal=KILL", 3, Self.replacing))
    #expect(result.code != 0, "\(result)")
    let files = { try ["a", "b", "c"].map { try self.victim.read("clone/\($0).md") } }
    let half = try files()
    #expect(half.contains { $0.contains("color") } && half.contains { $0.contains("colour") })
    try keep(as: "half")
    for words in [
      ["list"], ["show", "a.md"], ["search", "End"], ["refresh"], ["export"], ["history"],
      ["mark", "b.md", "\"worth\""], ["undo", "--dry-run"],
    ] {
      try reset(to: "half")
      let doctor = try victim.diple("doctor")
      #expect(doctor.code == 0 && doctor.output.contains("unfinished  step"), "\(doctor)")
      #expect(try files() == half)
      let result = try victim.run("diple", words)
      #expect(
        [0, 1].contains(result.code) && result.errors.contains("restored"), "\(words): \(result)")
      #expect(try files().allSatisfy { $0.contains("colour colour") }, "\(words)")
      try expectCleared("\(words)")
      #expect(try !victim.diple("doctor").output.contains("unfinished"), "\(words)")
      #expect(try !victim.diple("list").errors.contains("interrupted"), "\(words)")
    }
  }

  @Test func `files that could not be deleted are deleted by the next command`() throws {
    try begin()
    try keep(as: "before")
    var number = 1
    while true {
      try reset(to: "before")
      // A file of the user that has the name of a copy differs from the recorded copy, so it must
      // stay.
      try victim.write("clone/.diple-1234.new", "mine")
      guard let result = try inject("unlink", "error=EIO", number, Self.replacing) else { break }
      #expect(result.code == 0, "unlink \(number): \(result)")
      #expect(try victim.diple("list").code == 0)
      #expect(try victim.read("clone/.diple-1234.new") == "mine")
      try victim.shell("rm .diple-1234.new")
      try expectCleared("unlink \(number)")
      number += 1
    }
    #expect(number > 3)
  }

  /// Expects that no files of the step and no record of it remain.
  private func expectCleared(_ moment: String) throws {
    let left = try victim.shell(
      "ls -A | grep '^.diple-' || true; ls -A ../.local/state/diple/steps")
    #expect(left.isEmpty, "\(moment): \(left)")
  }
}

/// Whether strace is installed and can trace processes, which some containers forbid.
private enum Tracing {
  static let isPossible =
    (try? Victim().run("strace", ["-qq", "-o", "/dev/null", "-e", "trace=none", "true"]).code) == 0
}
