@preconcurrency import CReadline
import Commands
import FoundationEssentials
import Glibc

/// Reads lines with GNU readline, by its callback interface so that the loop stays ours: an
/// interrupt gives a fresh line, and a new size of the window is taken up at once.
///
/// readline is one big global state: everything here stays on the main thread.
@MainActor
final class LineEditor {
  private let session: Session
  private let historyPath: String?

  // What readline's C callbacks can reach.
  nonisolated(unsafe) private static var line: String?
  nonisolated(unsafe) private static var isFinished = false
  nonisolated(unsafe) private static var candidates: [String] = []
  nonisolated(unsafe) private static var session: Session?
  nonisolated(unsafe) private static var interrupted: sig_atomic_t = 0
  nonisolated(unsafe) private static var resized: sig_atomic_t = 0
  /// Signals write a byte here, so that none that comes between a look and a wait is missed.
  nonisolated(unsafe) private static var wakeUp: [Int32] = [-1, -1]

  init(session: Session) {
    self.session = session
    let state = session.environment["XDG_STATE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
    let home = session.environment["HOME"].map { $0 + "/.local/state" }
    historyPath = (state ?? home).map { $0 + "/diple/history" }
  }

  /// Runs until the input ends, and gives the exit code.
  func run() async -> Int32 {
    setUp()
    defer { saveHistory() }
    installHandler()
    while !Self.isFinished {
      waitForInput()
      if Self.interrupted != 0 {
        Self.interrupted = 0
        freshLine()
      }
      if Self.resized != 0 {
        Self.resized = 0
        rl_resize_terminal()
      }
      guard let line = Self.line else { continue }
      Self.line = nil
      // The handler is off while a command runs, so that it can ask and page.
      rl_callback_handler_remove()
      if await runLine(line) == Interpreter.quit { return 0 }
      installHandler()
    }
    rl_callback_handler_remove()
    session.output.line()
    session.output.flush()
    return 0
  }

  private func runLine(_ text: String) async -> Int32 {
    // Lines pasted together are commands one after the other.
    var last: Int32 = 0
    for line in text.split(whereSeparator: \.isNewline).map(String.init) {
      remember(line)
      last = await Interpreter.run(line, in: session)
      if last == Interpreter.quit { return last }
    }
    return last
  }

  // MARK: - readline

  private func setUp() {
    Self.session = session
    rl_readline_name = UnsafePointer(strdup("Diple"))
    rl_catch_signals = 0
    rl_catch_sigwinch = 0
    rl_completer_quote_characters = UnsafePointer(strdup("\"'"))
    rl_attempted_completion_function = { text, start, _ in
      LineEditor.complete(text, start)
    }
    var action = sigaction()
    if pipe(&Self.wakeUp) == 0 {
      for end in Self.wakeUp {
        _ = fcntl(end, F_SETFL, O_NONBLOCK)
        _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      }
    }
    action.__sigaction_handler.sa_handler = { _ in
      LineEditor.interrupted = 1
      write(LineEditor.wakeUp[1], "!", 1)
    }
    sigaction(SIGINT, &action, nil)
    action.__sigaction_handler.sa_handler = { _ in
      LineEditor.resized = 1
      write(LineEditor.wakeUp[1], "!", 1)
    }
    sigaction(SIGWINCH, &action, nil)
    if let historyPath { read_history(historyPath) }
  }

  private func installHandler() {
    rl_callback_handler_install(prompt) { line in
      guard let line else {
        LineEditor.isFinished = true
        return
      }
      LineEditor.line = String(cString: line)
      free(line)
    }
  }

  /// The current document and `›`; escapes are wrapped so that readline knows the width.
  private var prompt: String {
    let name = session.promptName
    let safe = name.isEmpty ? "" : name + " "
    let isPlain =
      session.environment["NO_COLOR"]?.isEmpty == false || session.environment["TERM"] == "dumb"
    return isPlain ? "\(safe)› " : "\(safe)\u{1}\u{1B}[1m\u{2}›\u{1}\u{1B}[0m\u{2} "
  }

  private func waitForInput() {
    var inputs = [
      pollfd(fd: 0, events: Int16(POLLIN), revents: 0),
      pollfd(fd: Self.wakeUp[0], events: Int16(POLLIN), revents: 0),
    ]
    guard poll(&inputs, 2, -1) > 0 else { return }
    if inputs[1].revents != 0 {
      var bytes = [UInt8](repeating: 0, count: 64)
      while read(Self.wakeUp[0], &bytes, bytes.count) > 0 {}
      return  // The flags say which signal it was.
    }
    if inputs[0].revents != 0 { rl_callback_read_char() }
  }

  private func freshLine() {
    session.output.line("^C")
    session.output.flush()
    rl_free_line_state()
    rl_callback_sigcleanup()
    rl_replace_line("", 1)
    rl_on_new_line()
    rl_redisplay()
  }

  // MARK: - Completion

  private nonisolated static func complete(_ text: UnsafePointer<CChar>?, _ start: Int32)
    -> UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
  {
    rl_attempted_completion_over = 1  // No file names in their place.
    guard let text, let session, let buffer = rl_line_buffer else { return nil }
    let before = String(cString: buffer).utf8.prefix(Int(start))
    var head = String(decoding: before, as: UTF8.self)
    if head.hasSuffix("\"") || head.hasSuffix("'") { head.removeLast() }
    let words = (try? LineWords.words(in: head)) ?? []
    if words.first == "add" || words.first == "init" {
      rl_attempted_completion_over = 0
      return nil
    }
    let beginning = String(cString: text)
    // readline asks now and waits; the answer comes from another thread.
    let answer = Answer()
    let done = Semaphore()
    Task.detached {
      answer.words = await session.completions(after: words, start: beginning)
      done.signal()
    }
    done.wait()
    candidates = answer.words.reversed()
    return rl_completion_matches(text) { _, _ in
      LineEditor.candidates.popLast().flatMap { strdup($0) }
    }
  }

  /// What the other thread found.
  private final class Answer: @unchecked Sendable {
    // Written before `signal` and read after `wait`.
    var words: [String] = []
  }

  /// A semaphore of the system's.
  private final class Semaphore: @unchecked Sendable {
    private let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)
    init() { sem_init(semaphore, 0, 0) }
    func signal() { sem_post(semaphore) }
    func wait() { while sem_wait(semaphore) != 0 {} }
    deinit {
      sem_destroy(semaphore)
      semaphore.deallocate()
    }
  }

  // MARK: - History

  private func remember(_ line: String) {
    guard !line.allSatisfy(\.isWhitespace) else { return }
    if let last = history_get(history_base + history_length - 1)?.pointee.line,
      String(cString: last) == line
    {
      return
    }
    add_history(line)
  }

  private func saveHistory() {
    guard let historyPath else { return }
    let folder = historyPath.prefix(upTo: historyPath.lastIndex(of: "/") ?? historyPath.startIndex)
    try? FileManager.default.createDirectory(
      atPath: String(folder), withIntermediateDirectories: true)
    stifle_history(1_000)
    write_history(historyPath)
    chmod(historyPath, 0o600)  // What a person reads is theirs.
  }
}
