import Foundation
import SystemSupport
import TestSupport
import Testing

@Suite struct ProgramTests {
  private func shell(_ script: String, _ words: String...) -> Program {
    Program("sh", ["-c", script, "sh"] + words)
  }

  private func withFolder(_ body: (String) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("diple-program-" + UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try body(folder.path)
  }

  @Test(arguments: [("exit 0", 0), ("exit 3", 3), ("exit 127", 127), ("exit 255", 255)])
  func `the exit code is that of the program`(script: String, code: Int32) throws {
    #expect(try shell(script).run() == code)
  }

  /// Signals that this process handles. A shell ignores some signals in background programs, and
  /// this is inherited.
  private static let heeded = [SIGTERM, SIGKILL, SIGINT, SIGQUIT, SIGPIPE].filter { signal in
    var action = sigaction()
    sigaction(signal, nil, &action)
    return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
      != unsafeBitCast(SIG_IGN, to: Int.self)
  }

  @Test(arguments: heeded)
  func `the exit code of a signal is 128 and its number`(signal: Int32) throws {
    // This process ignores an interrupt while the program runs, but the program must not.
    let script = "ulimit -c 0; kill -\(signal) $$; exit 5"
    #expect(try shell(script).run(input: "") == 128 + signal)
  }

  @Test func `a missing program is reported with a hint`() {
    let other = #expect(throws: Program.StartError.self) {
      try Program("diple-no-such-program").run()
    }
    #expect(
      other?.description == "diple-no-such-program cannot be started: No such file or directory")
    #expect(other?.hint?.text(in: .plain) == "is diple-no-such-program installed?")
    #expect(other?.userError.code == .notFound)
    let sibling = Program.sibling("diple-no-such-program")
    for failure in [
      #expect(throws: Program.StartError.self) { try sibling.run(input: "text") },
      #expect(throws: Program.StartError.self) { _ = try sibling.start() },
      // Replacing this process by the program fails in the same way.
      sibling.replaceThisProcess(),
    ] {
      #expect(failure?.cause.number == ENOENT)
      #expect(failure?.hint?.text(in: .plain) == "it must be installed next to diple")
    }
  }

  @Test func `a file that is not executable is reported with another cause and no hint`() throws {
    try withFolder { folder in
      let file = folder + "/file"
      try "text".write(toFile: file, atomically: false, encoding: .utf8)
      let failure = #expect(throws: Program.StartError.self) { try Program(file).run() }
      #expect(failure?.cause.number == EACCES && failure?.hint == nil)
    }
  }

  @Test func `arguments and input arrive unchanged`() throws {
    try withFolder { folder in
      let words = ["two words", "$(touch evil)", "'; exit 9 #", "größer", ""]
      let input = String(repeating: "a line; `rm`\n", count: 100_000)
      let script = "cat >\"$1/input\"; shift; printf '%s|' \"$@\" >\"$0.words\""
      let program = Program("sh", ["-c", script, folder + "/x", folder] + words)
      let code = try program.run(input: input)
      #expect(code == 0)
      #expect(try String(contentsOfFile: folder + "/input", encoding: .utf8) == input)
      #expect(
        try String(contentsOfFile: folder + "/x.words", encoding: .utf8)
          == words.map { $0 + "|" }.joined())
    }
  }

  @Test func `a program that does not read its input is not an error`() throws {
    #expect(try shell("exit 4").run(input: String(repeating: "x", count: 1 << 20)) == 4)
    #expect(try shell("exec <&-; exit 6").run(input: String(repeating: "x", count: 1 << 20)) == 6)
  }

  @Test func `a pipe is not inherited by another program`() throws {
    // If the writing end were inherited, `cat` would wait for the end of the other program.
    let left = try shell("sleep 30").start()
    defer { kill(left.id, SIGKILL) }
    #expect(try shell("cat >/dev/null; exit 2").run(input: "text") == 2)
    #expect(left.exitCodeIfEnded() == nil)
  }

  @Test func `discarded output is written to the null device`() throws {
    try withFolder { folder in
      let script = "kinds=$(readlink /proc/$$/fd/1 /proc/$$/fd/2); echo \"$kinds\" >\"$1/kinds\""
      let code = try shell(script, folder).run(output: .discarded)
      #expect(code == 0)
      #expect(
        try String(contentsOfFile: folder + "/kinds", encoding: .utf8)
          == "/dev/null\n/dev/null\n")
    }
  }

  @Test func `waiting for a program that was already reaped does not block`() async throws {
    let program = try shell("exit 3").start()
    var status: Int32 = 0
    #expect(waitpid(program.id, &status, 0) == program.id)
    #expect(await program.exitCode(within: 5) == 128 + SIGKILL)
    program.kill()
  }

  @Test func `the exit code of a program in the background can be read repeatedly`() throws {
    try withFolder { folder in
      let program = try shell(
        """
        kinds=$(readlink /proc/$$/fd/0 /proc/$$/fd/1); echo "$kinds" >"$1/kinds"
        while [ ! -e "$1/go" ]; do sleep 0.01; done
        exit 7
        """, folder
      ).start()
      #expect(program.exitCodeIfEnded() == nil)
      try "".write(toFile: folder + "/go", atomically: false, encoding: .utf8)
      let code = try eventually("it ends") {
        program.exitCodeIfEnded()
      } until: {
        $0 != nil
      }
      #expect(code == 7)
      #expect(program.exitCodeIfEnded() == 7)
      #expect(
        try String(contentsOfFile: folder + "/kinds", encoding: .utf8)
          == "/dev/null\n/dev/null\n")
    }
  }

  @Test func `words are added to the user's command line unchanged`()
    throws
  {
    try withFolder { folder in
      let command = "printf '%s|%s' -o >\"\(folder)/out\""
      #expect(ShellCommand(command, "a b; exit 9").run() == 0)
      let printed = try String(contentsOfFile: folder + "/out", encoding: .utf8)
      #expect(printed == "-o|a b; exit 9")
      #expect(ShellCommand("diple-no-such-program 2>/dev/null").run() == 127)
      #expect(ShellCommand(script: "exit \"$1\"", "12").run() == 12)
    }
  }
}
