import Console
import Glibc
import Rendering
import SystemSupport

/// The terminal in full-screen mode: without echo and line editing, on the alternate screen. The
/// terminal is restored when the process ends, even after a crash.
///
/// ```swift
/// let terminal = FullScreen(hasMouse: true, ordersText: false)
/// terminal.enter()
/// terminal.show(reader.screen())
/// terminal.leave()
/// ```
final class FullScreen {
  private var shown: Screen?
  private var isEntered = false
  private var hasMouse: Bool
  private let ordersText: Bool

  private static let enterSequence = "\u{1B}[?1049h\u{1B}[?2004h\u{1B}[0m\u{1B}[2J"
  private static let mouseOn = "\u{1B}[?1002h\u{1B}[?1006h"
  private static let mouseOff = "\u{1B}[?1006l\u{1B}[?1002l"
  /// Disables the terminal's reordering of bidirectional text (BDSM of ECMA-48), because the text
  /// is already ordered or shouldn't be.
  private static let explicitOrder = "\u{1B}[8l"
  private static let leaveSequence =
    mouseOff + "\u{1B}[8h" + "\u{1B}[?2004l\u{1B}[0m\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"

  // State for the signal handlers, set before they are installed: the original attributes of the
  // terminal and the bytes that restore it.
  nonisolated(unsafe) private static let before = UnsafeMutablePointer<termios>.allocate(
    capacity: 1)
  nonisolated(unsafe) private static let leaveBytes = strdup(leaveSequence)
  private static let leaveLength = strlen(leaveBytes!)

  /// - Parameters:
  ///   - hasMouse: whether mouse events are captured initially.
  ///   - ordersText: whether the terminal orders bidirectional text.
  init(hasMouse: Bool, ordersText: Bool) {
    (self.hasMouse, self.ordersText) = (hasMouse, ordersText)
  }

  /// The size of the terminal in columns and rows. 80 × 24 if it is unknown.
  static var size: (columns: Int, rows: Int) {
    var size = winsize()
    guard ioctl(1, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
      return (80, 24)
    }
    return (Int(size.ws_col), Int(size.ws_row))
  }

  /// Switches the terminal to full-screen mode. Does nothing if it is already in this mode.
  func enter() {
    guard !isEntered else { return }
    tcgetattr(0, Self.before)
    guardCrashes()
    var raw = Self.before.pointee
    cfmakeraw(&raw)
    tcsetattr(0, TCSAFLUSH, &raw)
    isEntered = true
    shown = nil
    write(
      Self.enterSequence + (ordersText ? "" : Self.explicitOrder) + (hasMouse ? Self.mouseOn : ""))
  }

  /// Restores the terminal.
  func leave() {
    guard isEntered else { return }
    isEntered = false
    write(Self.leaveSequence)
    tcsetattr(0, TCSAFLUSH, Self.before)
    shown = nil
  }

  /// Starts or stops capturing mouse events.
  func captureMouse(_ isOn: Bool) {
    hasMouse = isOn
    write(isOn ? Self.mouseOn : Self.mouseOff)
  }

  /// Writes the differences between a screen and the last one.
  func show(_ screen: Screen) {
    guard isEntered, screen != shown else { return }
    write(screen.update(from: shown))
    shown = screen
  }

  /// Forgets the last screen, so that the next one is written completely.
  func forget() { shown = nil }

  /// Writes an escape sequence that doesn't change the screen's text.
  func write(_ text: String) {
    // Errors are ignored. If the terminal was closed, SIGHUP ends the program.
    _ = Descriptor.write(text.utf8, to: 1)
  }

  /// Installs handlers that restore the terminal before a fatal signal ends the process. The
  /// handlers only call async-signal-safe functions.
  private func guardCrashes() {
    _ = (Self.leaveBytes, Self.leaveLength)
    let fatal = [
      SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV,
    ]
    for number in fatal {
      var action = sigaction()
      action.__sigaction_handler.sa_handler = { number in
        _ = Glibc.write(1, FullScreen.leaveBytes!, FullScreen.leaveLength)
        tcsetattr(0, TCSANOW, FullScreen.before)
        signal(number, SIG_DFL)
        raise(number)
      }
      sigaction(number, &action, nil)
    }
  }
}
