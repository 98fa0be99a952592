import Glibc

/// A command line as a person sets it, which may hold options: the shell runs it.
package struct ShellCommand {
  private let words: [String]

  /// Takes a command line, and words that are handed to it as they are.
  package init(_ line: String, _ words: String...) {
    self.words = words.isEmpty ? ["sh", "-c", line] : ["sh", "-c", line + " \"$@\"", "sh"] + words
  }

  /// Takes a script that uses words as `$1` and so on.
  package init(script: String, _ words: String...) {
    self.words = ["sh", "-c", script, "sh"] + words
  }

  /// A word as a person can paste it into a shell.
  package static func quoted(_ word: String) -> String {
    let isPlain = word.utf8.allSatisfy {
      UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 | 0x20
        || UInt8(ascii: "-")...UInt8(ascii: ":") ~= $0
        || $0 == UInt8(ascii: "_")
    }
    return isPlain && !word.isEmpty ? word : "'" + word.replacing("'", with: "'\\''") + "'"
  }

  /// Runs it to its end and gives its exit code, 127 when it cannot be started.
  ///
  /// - Parameter input: what it reads; nil leaves it the standard input.
  package func run(input: String? = nil) -> Int32 {
    ChildProcess.run("/bin/sh", words, input: input)
  }
}

/// A process that has the terminal until it ends.
package enum ChildProcess {
  /// Runs a program to its end and gives its exit code, 127 when it cannot be started. An interrupt
  /// is for it, not for this process: were this to end first, two would read the keys.
  package static func run(_ program: String, _ words: [String], input: String? = nil) -> Int32 {
    var ends: [Int32] = [-1, -1]
    if input != nil, pipe(&ends) != 0 { return 127 }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    if input != nil {
      posix_spawn_file_actions_adddup2(&actions, ends[0], 0)
      for end in ends { posix_spawn_file_actions_addclose(&actions, end) }
    }
    var process: pid_t = 0
    let arguments: [UnsafeMutablePointer<CChar>?] = words.map { (word: String) in strdup(word) }
    defer { arguments.forEach { free($0) } }
    let started = posix_spawnp(&process, program, &actions, nil, arguments + [nil], environ)
    if input != nil { close(ends[0]) }
    guard started == 0 else {
      errno = started
      if input != nil { close(ends[1]) }
      return 127
    }
    let wait = { () -> Int32 in
      var status: Int32 = 0
      while waitpid(process, &status, 0) < 0 && errno == EINTR {}
      return status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F
    }
    return ignoringInterrupts {
      if let input { send(input, to: ends[1]) }
      return wait()
    }
  }

  private static func ignoringInterrupts(_ body: () -> Int32) -> Int32 {
    signal(SIGPIPE, SIG_IGN)
    var ignoring = sigaction()
    ignoring.__sigaction_handler.sa_handler = SIG_IGN
    var before = (interrupt: sigaction(), quit: sigaction())
    sigaction(SIGINT, &ignoring, &before.interrupt)
    sigaction(SIGQUIT, &ignoring, &before.quit)
    defer {
      sigaction(SIGINT, &before.interrupt, nil)
      sigaction(SIGQUIT, &before.quit, nil)
    }
    return body()
  }

  /// One that is left early closes the pipe: that is no error.
  private static func send(_ text: String, to descriptor: Int32) {
    _ = Descriptor.write(text.utf8, to: descriptor)
    close(descriptor)
  }
}
