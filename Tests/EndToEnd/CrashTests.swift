import Foundation
import TestSupport
import Testing

/// Tests that killing a process at any time leaves a sound library with all acknowledged changes.
@Suite struct CrashTests {
  @Test func `kill -9 during add and mark loses no acknowledged change`() throws {
    let bench = try Workbench()
    let seed = SeededGenerator.runSeed
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    try bench.write("words.md", (1...400).map { "word\($0)" }.joined(separator: " "))
    try bench.diple("add", "words.md")
    // Measure a command, so that processes are killed before, during and after their work.
    let begin = ContinuousClock.now
    try bench.diple("mark", "words.md", "word:400")
    let whole = UInt32((ContinuousClock.now - begin) / .microseconds(1))
    var documents: Set<String> = ["words.md"]
    var quotes: Set<String> = []
    var killed = 0
    func isProof() -> Bool { documents.count > 1 && !quotes.isEmpty && killed > 0 }
    for round in 0..<72 where round < 24 || !isProof() {
      try bench.shell(
        "mkdir r\(round) && cd r\(round) && for i in $(seq 40); do echo \"# $i\" > $i.md; done")
      let words =
        round % 2 == 0
        ? ["add", "r\(round)"] : ["mark", "words.md", "word:\(round + 1)", "--note", "n", "--json"]
      let process = bench.process("diple", words)
      let output = bench.path("out\(round)")
      _ = FileManager.default.createFile(atPath: output, contents: nil)
      process.standardOutput = FileHandle(forWritingAtPath: output)
      process.standardError = FileHandle.nullDevice
      try process.run()
      usleep(UInt32.random(in: 500...(whole * 3 / 2), using: &random))
      kill(process.processIdentifier, SIGKILL)
      try process.end()
      if process.terminationReason == .uncaughtSignal { killed += 1 }
      let said = String(
        decoding: FileManager.default.contents(atPath: output) ?? Data(), as: UTF8.self)
      for line in said.split(separator: "\n") {
        if line.hasPrefix("added ") {
          documents.insert(String(line.split(separator: " ")[1]))
        } else if line.contains("\"schema\":\"diple.highlight/1\"") {
          quotes.insert("word\(round + 1)")
        }
      }
      let doctor = try bench.diple("doctor")
      #expect(doctor.code == 0 && doctor.output.contains("sound"), "\(doctor)")
    }
    #expect(isProof(), "killed \(killed), added \(documents.count - 1), marked \(quotes.count)")
    let listed = try bench.diple("doc", "list").output
    for document in documents { #expect(listed.contains(document)) }
    let found = Set(try bench.highlights().map(\.quote))
    #expect(quotes.isSubset(of: found))
  }

  @Test
  func `kill -9 during replace and undo leaves each file old or new, and the history consistent`()
    throws
  {
    let bench = try Workbench()
    let seed = SeededGenerator.runSeed
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    let names = (0..<8).map { "f\($0).md" }
    for name in names {
      try bench.write(name, String(repeating: "A word and some more text.\n\n", count: 4_000))
    }
    try bench.diple("add", ".")
    let texts = try ["word", "term"].map { word in
      try bench.read("f0.md").replacing("word", with: word)
    }
    // Measure the command. Most processes are killed near its end, when files are written.
    let begin = ContinuousClock.now
    let whole = try bench.diple("replace", "word", "term", "--everywhere", "--all", "--yes")
    #expect(whole.code == 0, "\(whole)")
    let time = UInt32((ContinuousClock.now - begin) / .microseconds(1))
    for name in names { #expect(try bench.read(name) == texts[1], "\(name)") }
    var (killed, finished) = (0, 0)
    // The commands and the resulting states of the files, for diagnosing a failure.
    var trace: [String] = []
    func note(_ what: String) throws {
      let states = try names.map { try bench.read($0) == texts[0] ? "0" : "1" }
      trace.append("\(what): \(states.joined())")
    }
    for round in 0..<42 where round < 14 || killed == 0 || finished == 0 {
      let isForward = try bench.read("f0.md") == texts[0]
      // Each round replaces the word in all files or undoes a replacement. It doesn't undo `add`.
      let canUndo =
        try round % 3 == 2 && bench.diple("undo", "--dry-run").output.contains("replaced")
      let words =
        canUndo
        ? ["undo"]
        : ["replace", isForward ? "word" : "term", isForward ? "term" : "word", "--everywhere"]
          + ["--all", "--yes"]
      let process = bench.process("diple", words)
      process.standardOutput = FileHandle.nullDevice
      process.standardError = FileHandle.nullDevice
      try process.run()
      // On a machine that is busier now than before, a command takes longer.
      let most = finished == 0 && round >= 14 ? time * UInt32(round) / 7 : time * 5 / 4
      usleep(UInt32.random(in: (time / 3)...most, using: &random))
      kill(process.processIdentifier, SIGKILL)
      let code = try process.end()
      if process.terminationReason == .uncaughtSignal { killed += 1 }
      for name in names { #expect(texts.contains(try bench.read(name)), "\(name) is neither") }
      // A command that has reported success must be complete.
      if process.terminationReason == .exit, code == 0, words.first == "replace" {
        finished += 1
        for name in names { #expect(try bench.read(name) == texts[isForward ? 1 : 0], "\(name)") }
      }
      try note("\(words[0]) ended with \(code)")
      let doctor = try bench.diple("doctor")
      #expect(doctor.code == 0 && doctor.output.contains("sound"), "\(doctor)")
    }
    #expect(killed > 0 && finished > 0, "killed \(killed), finished \(finished)")
    // The whole history can be undone.
    for _ in 0..<50 {
      let undone = try bench.diple("undo")
      try note("\(undone.output.prefix(40))\(undone.errors)")
      if undone.code == 1 { break }
      #expect(undone.code == 0, "\(undone)")
      if undone.code != 0 { break }
    }
    for name in names { #expect(try bench.read(name) == texts[0], "\(name) \(trace)") }
    let left = try bench.run("sh", ["-c", "ls -A | grep -c diple-new"])
    #expect(left.output == "0\n")
  }
}
