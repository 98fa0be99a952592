import Files
import Foundation
import Model
import Synchronization
import SystemSupport
import Testing

/// Tests simultaneous saves by other programs, names of maximal length, and links.
@Suite final class DiskTests {
  let folder = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
    .appendingPathComponent("diple-disk-\(UUID().uuidString)").path

  init() throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  private func write(_ name: String, _ text: String) throws {
    try Data(text.utf8).write(to: URL(filePath: folder + "/" + name))
  }

  private func read(_ name: String) throws -> String {
    String(decoding: try Data(contentsOf: URL(filePath: folder + "/" + name)), as: UTF8.self)
  }

  @Test func `a save by another program before the replacement is not overwritten`() throws {
    try write("a.md", "old")
    let replacement = try AtomicReplacement(of: folder + "/a.md", with: Array("new".utf8))
    // Another program saves before the commit, which must notice it.
    try write("a.md", "theirs")
    let isReplaced = try replacement.commit { path in
      (try? Data(contentsOf: URL(filePath: path))) == Data("old".utf8)
    }
    #expect(!isReplaced)
    #expect(try read("a.md") == "theirs")
  }

  @Test func `if two programs save simultaneously, neither save is lost`() throws {
    // In each round another program saves while Diple replaces. Afterwards the file must have the
    // other program's content, whichever was first.
    let rounds = 400
    for round in 0..<rounds {
      try write("a.md", "old \(round)")
      let path = folder + "/a.md"
      let theirs = "theirs \(round)"
      let isReplaced = Mutex(false)
      let done = DispatchSemaphore(value: 0)
      let writer = try FileWriter(
        replacing: path, Array("old \(round)".utf8), with: Array("new \(round)".utf8))
      Thread.detachNewThread {
        let copy = path + ".theirs"
        _ = FileManager.default.createFile(atPath: copy, contents: Data(theirs.utf8))
        rename(copy, path)
        done.signal()
      }
      if (try? writer.commit()) != nil { isReplaced.withLock { $0 = true } }
      done.wait()
      #expect(try read("a.md") == theirs, "round \(round), replaced: \(isReplaced.withLock { $0 })")
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["a.md"])
  }

  @Test func `a file with the longest name is replaced, and one named like a temporary is kept`()
    throws
  {
    for length in [240, 248, 255] {
      let name = String(repeating: "n", count: length - 3) + ".md"
      try write(name, "old")
      try write(".u.md.diple-new", "mine")
      let writer = try FileWriter(
        replacing: folder + "/" + name, Array("old".utf8), with: Array("new".utf8))
      _ = try writer.commit()
      #expect(try read(name) == "new")
      #expect(try read(".u.md.diple-new") == "mine")
    }
  }

  @Test func `leftovers of a killed run are deleted, and a save at that moment is kept`() throws {
    let digest = { (text: String) in ContentDigest(sha256: Array(text.utf8)) }
    func sweep() {
      FileWriter.sweep(
        folder + "/.copy", of: folder + "/a.md", before: digest("old"), after: digest("new"))
    }
    try write("a.md", "old")
    try write(".copy", "ne")
    sweep()
    #expect(try read("a.md") == "old")
    try write("a.md", "new")
    try write(".copy", "old")
    sweep()
    #expect(try read("a.md") == "new")
    try write(".copy", "theirs")
    sweep()
    #expect(try read("a.md") == "theirs")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["a.md"])
  }

  @Test func `a killed replacement is complete or reverted, and leaves no file behind`() throws {
    let victim = try Victim()
    let long = String(repeating: "A word and some more text.\n\n", count: 20_000)
    for number in 0..<6 { try victim.write("clone/\(number).md", long) }
    #expect(try victim.diple("init").code == 0)
    #expect(try victim.diple("add", ".").code == 0)
    for delay in [0.1, 0.2, 0.3, 0.4, 0.6] {
      _ = try victim.run(
        "timeout",
        [
          "-s", "KILL", "\(delay)", "diple", "replace", "word", "term", "--everywhere", "--all",
          "--yes",
        ])
      _ = try victim.diple("replace", "nowhere-at-all", "x", "--everywhere", "--all", "--yes")
      let left = try victim.shell(
        "ls -A | grep '^.diple-' || true; ls ../.local/state/diple/steps 2>/dev/null || true")
      #expect(left.isEmpty, "\(left)")
      let texts = Set(try (0..<6).map { try victim.read("clone/\($0).md") })
      #expect(texts.count == 1, "a step is done as a whole")
      _ = try victim.diple("undo")
    }
  }

  @Test func `links out of the folder are neither added nor written`() throws {
    let victim = try Victim()
    try victim.write("secret.md", "A secret word.\n")
    try victim.write("clone/a.md", "A word.\n")
    try victim.shell("ln -s ../secret.md link.md; mkdir sub; ln -s ../../secret.md sub/l.md")
    // The user's library may contain files outside its folder, but only files that a command names.
    let added = try victim.diple("add", ".")
    #expect(added.code == 0 && added.output.contains("a.md"), "\(added)")
    #expect(!added.output.contains("link.md") && !added.output.contains("l.md"), "\(added)")
    #expect(try victim.diple("replace", "word", "term", "--everywhere", "--all", "--yes").code == 0)
    #expect(try victim.read("secret.md") == "A secret word.\n")
    #expect(try victim.diple("add", "link.md").code == 0)
  }

  @Test func `an import of a too large or special file is rejected in one line`() throws {
    let victim = try Victim()
    #expect(try victim.diple("init").code == 0)
    try victim.shell("truncate -s 70000000 big.json")
    for (file, reason) in [
      ("big.json", "is larger than 64 MiB"), ("/dev/zero", "is not a file"),
    ] {
      let result = try victim.diple("import", file)
      #expect(
        result.code == 2 && result.errors.contains(reason)
          && result.errors.split(separator: "\n").count == 1, "\(result)")
    }
  }

  @Test func `settings that cannot be stored are kept in a file whose path is printed`() throws {
    let victim = try Victim()
    try victim.write("edit.sh", "#!/bin/sh\necho 'copy.as = \"rtf\"' > \"$1\"\n")
    try victim.write("crash.sh", "#!/bin/sh\necho 'hours of work' > \"$1\"\nexit 3\n")
    try victim.shell("chmod +x ../edit.sh ../crash.sh")
    for (editor, words) in [("edit.sh", "copy.as"), ("crash.sh", "hours of work")] {
      victim.environment["VISUAL"] = victim.path(editor)
      let result = try victim.diple("config", "edit")
      let place = try #require(
        result.errors.split(separator: "\n").last?.components(separatedBy: "what you wrote is in ")
          .last)
      #expect(
        try String(contentsOfFile: place, encoding: .utf8).contains(words), "\(result)")
      try? FileManager.default.removeItem(atPath: place)
    }
  }
}
