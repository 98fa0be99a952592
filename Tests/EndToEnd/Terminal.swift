import Foundation
import TestSupport
import Testing

/// A program in a real terminal: a window of tmux, whose keys and screen are a person's.
final class Terminal {
  /// Why no program can be run in a terminal here; nil where one can. A window is really opened once:
  /// there may be a tmux, but no pseudo-terminal that it can have.
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

  /// Whether a program can be run in a terminal here.
  static var isThere: Bool { obstacle == nil }
  /// What those who need one say where there is none.
  static var need: Comment { Comment(rawValue: obstacle ?? "") }

  private let bench: Workbench
  private let socket = "diple-\(UUID().uuidString)"

  /// Runs a program of ours in a window.
  ///
  /// - Parameters:
  ///   - term: what `TERM` says; the window itself always has 256 colours and more.
  ///   - variables: further ones, such as `NO_COLOR=1`.
  convenience init(
    _ bench: Workbench, _ program: String, _ words: String..., columns: Int = 80, rows: Int = 24,
    term: String = "screen-256color", variables: [String] = []
  ) throws {
    try self.init(
      bench, program, words: words, columns: columns, rows: rows, term: term, variables: variables)
  }

  /// - Parameter after: a shell command that is run when the program has ended.
  convenience init(
    _ bench: Workbench, _ program: String, words: [String], columns: Int = 80, rows: Int = 24,
    term: String = "screen-256color", variables: [String] = [], after: String = "true"
  ) throws {
    // The shell stays and says how it ended; an interrupt is not for it.
    let shell = [
      "sh", "-c",
      "trap : INT QUIT; \"$@\"; code=$?; \(after); echo \"[ended: $code]\"; exec sleep 60",
      "sh",
    ]
    let path = Workbench.programs.appendingPathComponent(program).path
    try self.init(
      bench, command: variables + shell + [path] + words, columns: columns, rows: rows, term: term)
  }

  /// Runs a shell with our programs on its path.
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
    // Servers find their sockets below this folder; a width in the environment would hide theirs.
    bench.environment["TMUX_TMPDIR"] = bench.folder.path
    bench.environment["COLUMNS"] = nil
    try bench.write(
      "tmux.conf", "set -s escape-time 0\n")
    // The server outlives its starter, who is waited for by a descriptor that must not be handed on.
    let closing =
      "for fd in /proc/self/fd/*; do fd=${fd##*/}; [ $fd -gt 2 ] && eval \"exec $fd>&-\"; done; "
    let start = [
      "tmux", "-L", socket, "-f", "tmux.conf", "new-session", "-d", "-x", "\(columns)", "-y",
      "\(rows)", "env", "TERM=\(term)",
    ]
    let result = try bench.run(
      "bash", ["-c", closing + "exec \"$@\"", "bash"] + start + command, within: 30)
    // Whoever has no window waits for nothing in it.
    guard result.code == 0 else { throw Failure(description: "no window: \(result)") }
  }

  deinit { _ = try? bench.run("tmux", ["-L", socket, "kill-server"], within: 20) }

  /// What tmux cannot do. It ends the test: the window is gone, and nothing will be seen any more.
  private struct Failure: Error { var description: String }

  @discardableResult
  private func tmux(_ words: String...) throws -> String {
    let result = try bench.run("tmux", ["-L", socket] + words, within: 30)
    guard result.code == 0 else {
      throw Failure(description: "tmux \(words): \(result.errors)")
    }
    return result.output
  }

  /// Presses keys one after the other: those with a name, such as `C-c` or `Tab`, or text.
  func press(_ keys: String...) throws {
    for key in keys {
      let isNamed =
        ["Tab", "Enter", "Escape", "Up", "Down"].contains(key) || key.hasPrefix("C-")
        || key.hasPrefix("M-")
      if isNamed { try tmux("send-keys", key) } else { try tmux("send-keys", "-l", "--", key) }
    }
  }

  /// Pastes text as a person does, which the program can tell from typing.
  func paste(_ text: String) throws {
    try tmux("set-buffer", text)
    try tmux("paste-buffer", "-p")
  }

  /// Lets programs write the clipboard, which is tmux's.
  func allowClipboard() throws { try tmux("set-option", "-s", "set-clipboard", "on") }

  /// What is on the clipboard; nil when there is nothing.
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

  /// What is on the screen, without blank lines at the end.
  func screen() throws -> String { trimmed(try tmux("capture-pane", "-p")) }

  /// What is on the screen with the escape sequences of its colours.
  func colors() throws -> String { trimmed(try tmux("capture-pane", "-p", "-e")) }

  /// The column of the cursor, from 0.
  func cursorColumn() throws -> Int? {
    Int(try tmux("display-message", "-p", "#{cursor_x}").filter(\.isNumber))
  }

  private func trimmed(_ text: String) -> String {
    var text = text[...]
    while text.last?.isNewline == true { text.removeLast() }
    return String(text)
  }

  /// Waits until the screen is as it should be, and gives it.
  @discardableResult
  func wait(
    _ wanted: String, within seconds: Double = 30, file: StaticString = #fileID, line: UInt = #line,
    until test: (String) throws -> Bool
  ) throws -> String {
    try eventually(
      wanted, within: seconds, every: 0.02, file: file, line: line, see: screen, until: test)
  }

  /// Waits until the last line is this one, without what is blank at its end.
  @discardableResult
  func wait(lastLine: String, file: StaticString = #fileID, line: UInt = #line) throws -> String {
    try wait("the last line should be '\(lastLine)'", file: file, line: line) {
      $0.split(separator: "\n").last.map(String.init) == lastLine
    }
  }

  /// Waits for the program's end and gives its exit code.
  func exitCode(file: StaticString = #fileID, line: UInt = #line) throws -> Int? {
    let said = try wait("it should end", file: file, line: line) { $0.hasSuffix("]") }
    return said.split(separator: "[ended: ").last.flatMap { Int($0.dropLast()) }
  }
}
