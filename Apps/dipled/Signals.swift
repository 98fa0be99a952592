import CSys
import Glibc

/// The signals that steer a daemon, as something that its loop can wait for.
struct Signals {
  /// Readable when one came.
  let descriptor: Int32

  /// Catches the signals; nil when the system has no descriptor left.
  init?() {
    signal(SIGPIPE, SIG_IGN)
    descriptor = csys_open_signals([SIGTERM, SIGINT, SIGHUP], 3)
    if descriptor < 0 { return nil }
  }

  /// The signals that came since this was last asked.
  func take() -> [Int32] {
    var signals: [Int32] = []
    while case let next = csys_next_signal(descriptor), next != 0 { signals.append(next) }
    return signals
  }
}

/// Milliseconds of a clock that nobody can set.
enum Clock {
  static var now: Int {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int(time.tv_sec) * 1_000 + Int(time.tv_nsec) / 1_000_000
  }
}
