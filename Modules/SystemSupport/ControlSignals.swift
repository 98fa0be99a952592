import CSys
import Glibc

/// Delivers SIGTERM, SIGINT and SIGHUP through a descriptor that a daemon's loop can poll.
package struct ControlSignals {
  /// Readable when a signal arrived.
  package let descriptor: Int32

  /// Starts to catch the signals, and ignores SIGPIPE. Nil if the system has no descriptor left.
  package init?() {
    signal(SIGPIPE, SIG_IGN)
    descriptor = csys_open_signals([SIGTERM, SIGINT, SIGHUP], 3)
    if descriptor < 0 { return nil }
  }

  /// Returns the signals that arrived since the last call.
  package func take() -> [Int32] {
    var signals: [Int32] = []
    while case let next = csys_next_signal(descriptor), next != 0 { signals.append(next) }
    return signals
  }
}
