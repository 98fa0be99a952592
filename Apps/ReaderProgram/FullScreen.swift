import Console
import Glibc
import Rendering
import SystemSupport

/// The terminal while a screen is shown: without echo and line editing, on its second page. However
/// the program ends, the terminal is as it was.
final class FullScreen {
  private var shown: Screen?
  private var isEntered = false
  private var hasMouse: Bool
  private let ordersText: Bool

  private static let enterSequence = "\u{1B}[?1049h\u{1B}[?2004h\u{1B}[0m\u{1B}[2J"
  private static let mouseOn = "\u{1B}[?1002h\u{1B}[?1006h"
  private static let mouseOff = "\u{1B}[?1006l\u{1B}[?1002l"
  /// The terminal is not to order text of two directions (BDSM of ECMA-48): that is done, or unwanted.
  private static let explicitOrder = "\u{1B}[8l"
  private static let leaveSequence =
    mouseOff + "\u{1B}[8h" + "\u{1B}[?2004l\u{1B}[0m\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"

  // What the handler of a signal can reach, set before it can run: how the terminal was, and the
  // bytes that bring it back.
  nonisolated(unsafe) private static let before = UnsafeMutablePointer<termios>.allocate(
    capacity: 1)
  nonisolated(unsafe) private static let leaveBytes = strdup(leaveSequence)
  private static let leaveLength = strlen(leaveBytes!)

  /// - Parameters:
  ///   - hasMouse: whether it takes the mouse from the beginning.
  ///   - ordersText: whether text of two directions is ordered by the terminal.
  init(hasMouse: Bool, ordersText: Bool) {
    (self.hasMouse, self.ordersText) = (hasMouse, ordersText)
  }

  /// The columns and rows of the terminal.
  static var size: (columns: Int, rows: Int) {
    var size = winsize()
    guard ioctl(1, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
      return (80, 24)
    }
    return (Int(size.ws_col), Int(size.ws_row))
  }

  /// Takes the terminal over.
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

  /// Gives it back.
  func leave() {
    guard isEntered else { return }
    isEntered = false
    write(Self.leaveSequence)
    tcsetattr(0, TCSAFLUSH, Self.before)
    shown = nil
  }

  /// Takes the mouse, or leaves it to the terminal.
  func captureMouse(_ isOn: Bool) {
    hasMouse = isOn
    write(isOn ? Self.mouseOn : Self.mouseOff)
  }

  /// Writes what differs from what is shown.
  func show(_ screen: Screen) {
    guard isEntered, screen != shown else { return }
    write(screen.update(from: shown))
    shown = screen
  }

  /// Forgets what is shown, so that all is written again.
  func forget() { shown = nil }

  /// Writes a sequence that draws nothing.
  func write(_ text: String) {
    // A terminal that is gone shows nothing more; the hang-up ends the program.
    _ = Descriptor.write(text.utf8, to: 1)
  }

  /// Whatever ends the process, the terminal comes first. The handler calls only what one may.
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
