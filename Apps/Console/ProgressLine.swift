import Glibc
import Rendering
import Synchronization

/// A line on the terminal that shows how far a long command is. It is removed before other output.
///
/// Nothing is shown during the first second, or if standard error is not a terminal.
package final class ProgressLine: Sendable {
  private struct State {
    var next: ContinuousClock.Instant
    var isShown = false
    var isOver = false
  }

  private let descriptor: Int32
  private let state: Mutex<State>

  /// Creates the line. Nil if there is no terminal to show it on.
  package init?(on terminal: Terminal) {
    guard terminal.errors.isTerminal, !terminal.isInteractive else { return nil }
    descriptor = terminal.errors.descriptor
    state = Mutex(State(next: .now + .seconds(1)))
  }

  /// Shows a text instead of the last one, at most ten times a second.
  package func show(_ text: @autoclosure () -> String) {
    state.withLock { state in
      guard !state.isOver, ContinuousClock.now >= state.next else { return }
      state.next = .now + .milliseconds(100)
      state.isShown = true
      write("\r" + text().sanitizedForTerminal + "\u{1B}[K")
    }
  }

  /// Removes the line while `body` writes.
  package func removing(while body: () -> Void) {
    state.withLock { state in
      if state.isShown { write("\r\u{1B}[K") }
      state.isShown = false
      body()
    }
  }

  /// Removes the line for good.
  package func end() {
    removing {}
    state.withLock { $0.isOver = true }
  }

  private func write(_ text: String) {
    // A terminal that fails to show the line doesn't matter.
    var text = text
    text.withUTF8 { _ = Glibc.write(descriptor, $0.baseAddress, $0.count) }
  }
}
