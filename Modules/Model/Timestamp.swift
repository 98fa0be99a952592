/// A value of a hybrid logical clock: wall time in milliseconds (48 bits) and a counter (16 bits).
///
/// See Kulkarni et al., *Logical Physical Clocks*, 2014. Timestamps are ordered by their packed
/// value. Operations with equal timestamps are ordered by replica.
public struct Timestamp: Hashable, Comparable, Sendable {
  /// The milliseconds since 1970 in the upper 48 bits and the counter in the lower 16.
  package var packed: Int64

  /// Creates a timestamp from its packed value, which is not checked.
  package init(packed: Int64) { self.packed = packed }

  /// Creates a timestamp from milliseconds since 1970 (0 ..< 2^47) and a counter (0 ... 65535).
  /// Traps outside these ranges.
  public init(milliseconds: Int64, counter: Int64 = 0) {
    precondition((0..<(1 << 47)).contains(milliseconds) && (0...0xFFFF).contains(counter))
    packed = milliseconds << 16 | counter
  }

  /// The milliseconds since 1970.
  package var milliseconds: Int64 { packed >> 16 }

  /// The maximum by which a clock may be ahead of this device's wall clock, in milliseconds:
  /// another device's clock, or the time of this device's last operation.
  package static let tolerance: Int64 = 10 * 60 * 1000
  /// The counter, which orders operations within one millisecond.
  package var counter: Int64 { packed & 0xFFFF }

  /// Orders by wall time, then by counter.
  public static func < (a: Timestamp, b: Timestamp) -> Bool { a.packed < b.packed }

  /// Returns the next timestamp of a clock whose last one is this, at a wall time in milliseconds.
  ///
  /// The result is greater than `self`, even if the wall clock was set back, unless `self` is ahead
  /// of the wall clock by more than `tolerance`. Then the wall clock was wrong before, and the
  /// result is the wall time.
  package func next(wallMilliseconds: Int64) -> Timestamp {
    let wall = Timestamp(milliseconds: min(max(0, wallMilliseconds), (1 << 47) - 1))
    if wall > self || milliseconds - wall.milliseconds > Self.tolerance { return wall }
    return Timestamp(packed: packed + 1)
  }
}
