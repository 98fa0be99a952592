@preconcurrency import CReadline
import Commands
import Console
import FoundationEssentials
import Glibc
import Rendering
import SystemSupport

/// Reads lines with GNU readline. It uses the callback interface, so that an interrupt can discard
/// the line, and a change of the window's size takes effect immediately.
///
/// readline has global state, so everything here runs on the main thread.
///
/// ```swift
/// let context = CommandContext.standard(isInteractive: true)
/// let exitCode = await LineEditor(context: context).run()
/// ```
@MainActor
final class LineEditor {
  private let context: CommandContext
  private let history: History
  private let notices: CommandContext.DaemonNotices

  // State that readline's C callbacks can access.
  nonisolated(unsafe) private static var line: String?
  nonisolated(unsafe) private static var isFinished = false
  nonisolated(unsafe) private static var candidates: [String] = []
  nonisolated(unsafe) private static var context: CommandContext?
  nonisolated(unsafe) private static var draft = ""
  private nonisolated static let interrupts = SignalPipe()
  private nonisolated static let resizes = SignalPipe()

  init(context: CommandContext) {
    self.context = context
    do { history = History(try HistoryFile(context)) } catch {
      // Invalid settings must not prevent the REPL from starting, because they can be corrected in
      // it.
      _ = Diple.refuse(error)
      history = History(nil)
    }
    notices = CommandContext.DaemonNotices(context)
  }

  /// Runs until the input ends. Returns the exit code.
  func run() async -> Int32 {
    setUp()
    installHandler()
    while !Self.isFinished {
      notices.connect()
      waitForInput()
      showNotices()
      if Self.interrupts.take() {
        // A line that was completed at the same time may begin with the interrupted text.
        if Self.line == nil { freshLine() } else { dropLine() }
      }
      if Self.resizes.take() { rl_resize_terminal() }
      guard let line = Self.line else { continue }
      Self.line = nil
      if await runLine(line) == Interpreter.quit { return 0 }
      if Self.interrupts.take() {
        // The terminal has already echoed `^C`.
        context.terminal.output.line()
        context.terminal.output.flush()
      }
      installHandler()
    }
    context.terminal.output.line()
    context.terminal.output.flush()
    return 0
  }

  private func runLine(_ text: String) async -> Int32 {
    // Lines that were pasted together are separate commands.
    var last: Int32 = 0
    for line in text.split(whereSeparator: \.isNewline).map(String.init) {
      history.add(line)
      last = await Interpreter.run(line, in: context)
      notices.commandWasRun()
      if last == Interpreter.quit || last == Interpreter.interrupted { return last }
    }
    return last
  }

  // MARK: - readline

  private func setUp() {
    Self.context = context
    // Create the pipes before a signal handler can use them.
    context.terminal.interruption = Self.interrupts.readable
    _ = Self.resizes.take()
    setlocale(LC_CTYPE, "")  // readline would do so only after it has measured the first prompt.
    rl_readline_name = UnsafePointer(strdup("Diple"))
    rl_catch_signals = 0
    rl_catch_sigwinch = 0
    rl_completer_quote_characters = UnsafePointer(strdup("\"'"))
    rl_filename_quote_characters = UnsafePointer(strdup(" \t\"'\\"))
    rl_attempted_completion_function = { text, start, _ in
      LineEditor.complete(text, start)
    }
    // Key bindings of the user take precedence.
    rl_bind_keyseq_if_unbound("\\ew") { _, _ in LineEditor.enter("copy") }
    rl_bind_keyseq_if_unbound("\\C-xh") { _, _ in LineEditor.enter("select all") }
    rl_bind_keyseq_if_unbound("\\C-xb") { _, _ in LineEditor.enter("format bold") }
    rl_bind_keyseq_if_unbound("\\C-xi") { _, _ in LineEditor.enter("format italic") }
    rl_bind_keyseq_if_unbound("\\C-xu") { _, _ in LineEditor.enter("format underline") }
    rl_bind_keyseq_if_unbound("\\C-xc") { _, _ in LineEditor.enter("format copy") }
    rl_bind_keyseq_if_unbound("\\C-xv") { _, _ in LineEditor.enter("format paste") }
    rl_bind_keyseq_if_unbound("\\C-xt") { _, _ in LineEditor.enter("format show") }
    for digit in 0...9 {
      // The function receives the last character of the sequence.
      rl_bind_keyseq_if_unbound("\\C-x\(digit)") { _, key in
        LineEditor.enter("format style \(key - 48)")
      }
    }
    SignalPipe.handle(SIGINT) { _ in LineEditor.interrupts.note() }
    SignalPipe.handle(SIGWINCH) { _ in LineEditor.resizes.note() }
  }

  /// Runs a line instead of the one being typed, which is restored afterwards.
  private nonisolated static func enter(_ line: String) -> Int32 {
    draft = rl_line_buffer.map { String(cString: $0) } ?? ""
    rl_replace_line(line, 1)
    return rl_newline(1, 10)
  }

  private func installHandler() {
    rl_callback_handler_install(prompt) { line in
      // Remove the handler while a command runs, so that the command can read input and use the
      // pager. Removing it after this call would draw the prompt before the command's output.
      rl_callback_handler_remove()
      guard let line else {
        LineEditor.isFinished = true
        return
      }
      LineEditor.line = String(cString: line)
      free(line)
    }
    if !Self.draft.isEmpty {
      rl_insert_text(Self.draft)
      rl_redisplay()
      Self.draft = ""
    }
  }

  /// The prompt: the name of the current document and `›`. Escape sequences are marked, so that
  /// readline computes the width correctly.
  private var prompt: String {
    let name = context.promptName
    let safe = name.isEmpty ? "" : name + " "
    let isPlain = context.terminal.colorMode(.auto) == .none
    // In other encodings, the prompt's character would take three columns.
    let sign = String(cString: nl_langinfo(Int32(CODESET))) == "UTF-8" ? "›" : ">"
    return isPlain
      ? "\(safe)\(sign) " : "\(safe)\u{1}\u{1B}[1m\u{2}\(sign)\u{1}\u{1B}[0m\u{2} "
  }

  private func waitForInput() {
    var inputs = [0, Self.interrupts.readable, Self.resizes.readable, notices.descriptor].map {
      pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
    }
    guard poll(&inputs, 4, -1) > 0 else { return }
    let isSignal = inputs[1].revents != 0 || inputs[2].revents != 0
    if inputs[0].revents != 0, !isSignal { rl_callback_read_char() }
  }

  private func dropLine() {
    Self.line = nil
    context.terminal.output.line("^C")
    context.terminal.output.flush()
    installHandler()
  }

  /// Prints the daemon's notices above the line being typed.
  private func showNotices() {
    guard Self.line == nil, !Self.isFinished else { return }
    let lines = notices.take()
    if lines.isEmpty { return }
    rl_clear_visible_line()
    fflush(rl_outstream)
    for line in lines { context.terminal.output.line(line) }
    context.terminal.output.flush()
    rl_on_new_line()
    rl_forced_update_display()
  }

  private func freshLine() {
    context.terminal.output.line("^C")
    context.terminal.output.flush()
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
    rl_attempted_completion_over = 1  // Without candidates, don't complete file names.
    guard let text, let context, let buffer = rl_line_buffer else { return nil }
    let bytes = String(cString: buffer).utf8.prefix(Int(start))
    var head = String(decoding: bytes, as: UTF8.self)
    if head.hasSuffix("\"") || head.hasSuffix("'") { head.removeLast() }
    let before = (try? Diple.words(in: head)) ?? []
    let beginning = String(cString: text)
    // readline expects the result synchronously, but it is computed on another thread.
    let answer = Answer()
    let done = Semaphore()
    Task.detached {
      answer.found = await context.completions(after: before, start: beginning)
      done.signal()
    }
    done.wait()
    if answer.found.takesPath {
      rl_attempted_completion_over = 0  // readline completes those itself.
      return nil
    }
    let words = answer.found.candidates.map(\.text)
    let isQuoted = rl_completion_quote_character != 0
    candidates = (isQuoted ? words : quoted(words)).reversed()
    return rl_completion_matches(text) { _, _ in
      LineEditor.candidates.popLast().flatMap { strdup($0) }
    }
  }

  /// Returns the words with quotation marks where necessary. If one word needs them, all words get
  /// them, so that their common beginning is completed.
  private nonisolated static func quoted(_ words: [String]) -> [String] {
    let isDividing: (Character) -> Bool = { $0.isWhitespace || "\"'\\".contains($0) }
    guard words.contains(where: { $0.contains(where: isDividing) }) else { return words }
    // Words without a common beginning are only listed. With marks, the mark alone would be
    // completed.
    if words.count > 1, Set(words.map(\.first)).count > 1 { return words }
    return words.map { $0.contains("'") ? $0.quotedInLine : "'\($0)'" }
  }

  /// The result of the other thread.
  private final class Answer: @unchecked Sendable {
    // Written before `signal` and read after `wait`.
    var found = CommandContext.Completions()
  }

  /// A POSIX semaphore.
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
}
