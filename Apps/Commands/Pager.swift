import Glibc
import Workspace

extension Session {
  /// Writes a page: through the pager when a person reads it in a terminal and it is longer than
  /// the screen.
  func page(_ text: String, never: Bool, always: Bool) throws {
    let isWanted = always || (output.isTerminal && !isInteractive && isLongerThanScreen(text))
    guard isWanted, !never, let pager = pagerCommand else {
      output.write(text)
      return
    }
    output.flush()
    errors.flush()
    if !run(pager, with: text) { output.write(text) }
  }

  private func isLongerThanScreen(_ text: String) -> Bool {
    var size = winsize()
    guard ioctl(output.descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 0 else {
      return false
    }
    return text.utf8.count { $0 == 10 } >= Int(size.ws_row)
  }

  /// `DIPLE_PAGER`, else `PAGER`, else `less`; an empty one means none.
  private var pagerCommand: String? {
    let command = environment["DIPLE_PAGER"] ?? environment["PAGER"] ?? "less -FIRX"
    return command.isEmpty || command == "cat" ? nil : command
  }

  /// Runs a pager by the shell, as its setting may hold options. False when it cannot be started.
  private func run(_ command: String, with text: String) -> Bool {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { return false }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, ends[0], 0)
    posix_spawn_file_actions_addclose(&actions, ends[0])
    posix_spawn_file_actions_addclose(&actions, ends[1])
    var process: pid_t = 0
    let words: [UnsafeMutablePointer<CChar>?] = ["/bin/sh", "-c", command]
      .map { (word: String) in strdup(word) }
    defer { words.forEach { free($0) } }
    let started = posix_spawn(&process, "/bin/sh", &actions, nil, words + [nil], environ)
    close(ends[0])
    guard started == 0 else {
      close(ends[1])
      return false
    }
    // A pager that is left early closes the pipe: that is no error. What the keyboard sends is for
    // the pager, which stays: were this process to end before it, two would read the keys.
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
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let written = rest.withUnsafeBytes { Glibc.write(ends[1], $0.baseAddress, $0.count) }
      if written < 0 && errno == EINTR { continue }
      if written <= 0 { break }
      rest = rest.dropFirst(written)
    }
    close(ends[1])
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0 && errno == EINTR {}
    return status >> 8 != 127
  }
}
