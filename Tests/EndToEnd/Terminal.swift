import Foundation
import TestSupport
import Testing

/// A program in a real terminal, which is a window of tmux.
///
/// ```swift
/// let terminal = try Terminal(bench, "diple-repl")
/// try terminal.wait(lastLine: "›")
/// try terminal.press("quit", "Enter")
/// #expect(try terminal.exitCode() == 0)
/// ```
final class Terminal {
  /// The reason why terminals aren't available, or nil if they are. It is determined by opening a
  /// window, because tmux may be installed but unable to allocate a pseudo-terminal.
  static let obstacle: String? = {
    do {
      let bench = try Workbench()
      guard try bench.run("tmux", ["-V"], within: 20).code == 0 else {
        return "tmux is not installed"
      }
      let terminal = try Terminal(
        bench, shell: "sh -c 'echo ready; exec sleep 60'", columns: 20, rows: 5)
      try terminal.wait("a line is shown", within: 10) { $0.contains("ready") }
      return nil
    } catch { return "no terminal can be opened by tmux here: \(error)" }
  }()

  /// Whether terminals are available.
  static var isThere: Bool { obstacle == nil }
  /// The comment of tests that are skipped without a terminal.
  static var need: Comment { Comment(rawValue: obstacle ?? "") }

  private let bench: Workbench
  private let socket = "diple-\(UUID().uuidString)"

  /// Runs one of Diple's programs in a window.
  ///
  /// - Parameters:
  ///   - term: The value of `TERM`. The window always supports at least 256 colours.
  ///   - variables: Additional environment variables, such as `NO_COLOR=1`.
  convenience init(
    _ bench: Workbench, _ program: String, _ words: String..., columns: Int = 80, rows: Int = 24,
    term: String = "screen-256color", variables: [String] = []
  ) throws {
    try self.init(
      bench, program, words: words, columns: columns, rows: rows, term: term, variables: variables)
  }

  /// - Parameter after: A shell command to run after the program has ended.
  convenience init(
    _ bench: Workbench, _ program: String, words: [String], columns: Int = 80, rows: Int = 24,
    term: String = "screen-256color", variables: [String] = [], after: String = "true"
  ) throws {
    // The shell remains and prints the exit code. It ignores interrupts.
    let shell = [
      "sh", "-c",
      "trap : INT QUIT; \"$@\"; code=$?; \(after); echo \"[ended: $code]\"; exec sleep 60",
      "sh",
    ]
    let path = Workbench.programs.appendingPathComponent(program).path
    try self.init(
      bench, command: variables + shell + [path] + words, columns: columns, rows: rows, term: term)
  }

  /// Runs a shell that finds Diple's programs in `PATH`.
  convenience init(_ bench: Workbench, shell: String, columns: Int, rows: Int) throws {
    let path = Workbench.programs.path + ":" + (bench.environment["PATH"] ?? "")
    try self.init(
      bench, command: ["PATH=\(path)", "sh", "-c", "exec \(shell)"], columns: columns, rows: rows,
      term: "screen-256color")
  }

  private init(
    _ bench: Workbench, command: [String], columns: Int, rows: Int, term: String
  ) throws {
    self.bench = bench
    // The socket of the server is in this folder. A width in the environment would override the
    // window's.
    bench.environment["TMUX_TMPDIR"] = bench.folder.path
    bench.environment["COLUMNS"] = nil
    try bench.write(
      "tmux.conf", "set -s escape-time 0\n")
    // The server continues after this command, so it must not inherit the descriptor by which the
    // end of the command is detected.
    let closing =
      "for fd in /proc/self/fd/*; do fd=${fd##*/}; [ $fd -gt 2 ] && eval \"exec $fd>&-\"; done; "
    let start = [
      "tmux", "-L", socket, "-f", "tmux.conf", "new-session", "-d", "-x", "\(columns)", "-y",
      "\(rows)", "env", "TERM=\(term)",
    ]
    let result = try bench.run(
      "bash", ["-c", closing + "exec \"$@\"", "bash"] + start + command, within: 30)
    // Without a window, waiting would only time out.
    guard result.code == 0 else { throw Failure(description: "no window: \(result)") }
  }

  deinit { _ = try? bench.run("tmux", ["-L", socket, "kill-server"], within: 20) }

  /// A failed command of tmux. It ends the test, because the window has closed.
  private struct Failure: Error { var description: String }

  @discardableResult
  private func tmux(_ words: String...) throws -> String {
    let result = try bench.run("tmux", ["-L", socket] + words, within: 30)
    guard result.code == 0 else {
      throw Failure(description: "tmux \(words): \(result.errors)")
    }
    return result.output
  }

  /// Presses keys one after the other. A key is a name such as `C-c` or `Tab`, or text.
  func press(_ keys: String...) throws {
    for key in keys {
      let isNamed =
        ["Tab", "Enter", "Escape", "Up", "Down"].contains(key) || key.hasPrefix("C-")
        || key.hasPrefix("M-")
      if isNamed { try tmux("send-keys", key) } else { try tmux("send-keys", "-l", "--", key) }
    }
  }

  /// Pastes text in bracketed-paste mode, so that the program can distinguish it from typing.
  func paste(_ text: String) throws {
    try tmux("set-buffer", text)
    try tmux("paste-buffer", "-p")
  }

  /// Allows programs to write the clipboard of tmux.
  func allowClipboard() throws { try tmux("set-option", "-s", "set-clipboard", "on") }

  /// Returns the contents of the clipboard, or nil if it is empty.
  func clipboard() throws -> String? {
    let result = try bench.run("tmux", ["-L", socket, "show-buffer"])
    return result.code == 0 ? result.output : nil
  }

  /// Sends a signal to a program in the window.
  func signal(_ name: String, _ program: String) throws {
    let tty = try tmux("display-message", "-p", "#{pane_tty}")
      .replacing("/dev/", with: "").filter { !$0.isNewline }
    try bench.shell("kill -\(name) $(pgrep -t \(tty) \(program))")
  }

  func resize(columns: Int, rows: Int) throws {
    try tmux("resize-window", "-x", "\(columns)", "-y", "\(rows)")
  }

  /// Returns the text of the screen without trailing blank lines.
  func screen() throws -> String { trimmed(try tmux("capture-pane", "-p")) }

  /// Returns the text of the screen with escape sequences for colours.
  func colors() throws -> String { trimmed(try tmux("capture-pane", "-p", "-e")) }

  /// Returns the column of the cursor, counted from 0.
  func cursorColumn() throws -> Int? {
    Int(try tmux("display-message", "-p", "#{cursor_x}").filter(\.isNumber))
  }

  private func trimmed(_ text: String) -> String {
    var text = text[...]
    while text.last?.isNewline == true { text.removeLast() }
    return String(text)
  }

  /// Waits until the screen meets a condition, and returns its text.
  ///
  /// - Throws: `Timeout` if the condition isn't met in time.
  @discardableResult
  func wait(
    _ wanted: String, within seconds: Double = 30, file: StaticString = #fileID, line: UInt = #line,
    until test: (String) throws -> Bool
  ) throws -> String {
    try eventually(
      wanted, within: seconds, every: 0.02, file: file, line: line, see: screen, until: test)
  }

  /// Waits until the last line is equal to a text, ignoring trailing blanks.
  @discardableResult
  func wait(lastLine: String, file: StaticString = #fileID, line: UInt = #line) throws -> String {
    try wait("the last line should be '\(lastLine)'", file: file, line: line) {
      $0.split(separator: "\n").last.map(String.init) == lastLine
    }
  }

  /// Waits until the program has ended, and returns its exit code.
  func exitCode(file: StaticString = #fileID, line: UInt = #line) throws -> Int? {
    let text = try wait("it should end", file: file, line: line) { $0.hasSuffix("]") }
    return text.split(separator: "[ended: ").last.flatMap { Int($0.dropLast()) }
  }
}
