import CSys
import Glibc

/// SIGTERM, SIGINT and SIGHUP as something that a daemon's loop can wait for.
package struct ControlSignals {
  /// Readable when one came.
  package let descriptor: Int32

  /// Catches the signals; nil when the system has no descriptor left.
  package init?() {
    signal(SIGPIPE, SIG_IGN)
    descriptor = csys_open_signals([SIGTERM, SIGINT, SIGHUP], 3)
    if descriptor < 0 { return nil }
  }

  /// The signals that came since this was last asked.
  package func take() -> [Int32] {
    var signals: [Int32] = []
    while case let next = csys_next_signal(descriptor), next != 0 { signals.append(next) }
    return signals
  }
}
