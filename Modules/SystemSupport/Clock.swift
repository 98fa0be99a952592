package import Glibc

/// The clocks, each for one purpose. When something was made is a `Date`; a time limit that is handed
/// from module to module is an instant of `ContinuousClock`.
package enum Clock {
  /// Milliseconds since some moment before the process began, by a clock that nobody can set: for
  /// loops that wait.
  package static var now: Int { microseconds / 1_000 }

  /// The same in microseconds, as service managers want it.
  package static var microseconds: Int {
    let time = read(CLOCK_MONOTONIC)
    return Int(time.tv_sec) * 1_000_000 + Int(time.tv_nsec) / 1_000
  }

  /// The time of the system, to be compared with the times of files.
  package static var fileTime: timespec { read(CLOCK_REALTIME) }

  private static func read(_ clock: clockid_t) -> timespec {
    var time = timespec()
    clock_gettime(clock, &time)
    return time
  }
}
