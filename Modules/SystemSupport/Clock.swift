package import Glibc

/// Clocks for measuring time within a process. Times of records are `Date`, and time limits between
/// modules are instants of `ContinuousClock`.
package enum Clock {
  /// Milliseconds since an arbitrary time before the process started, by a clock that cannot be
  /// set: for loops that wait.
  package static var now: Int { microseconds / 1_000 }

  /// `now` in microseconds, as service managers expect it.
  package static var microseconds: Int {
    let time = read(CLOCK_MONOTONIC)
    return Int(time.tv_sec) * 1_000_000 + Int(time.tv_nsec) / 1_000
  }

  /// The system's time, for comparison with file times.
  package static var fileTime: timespec { read(CLOCK_REALTIME) }

  private static func read(_ clock: clockid_t) -> timespec {
    var time = timespec()
    clock_gettime(clock, &time)
    return time
  }
}
