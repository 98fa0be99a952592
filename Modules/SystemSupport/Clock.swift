import Glibc

/// The monotonic clock, which nobody can set.
package enum Clock {
  /// Milliseconds since some moment before the process began.
  package static var now: Int {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int(time.tv_sec) * 1_000 + Int(time.tv_nsec) / 1_000_000
  }
}
