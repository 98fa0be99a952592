/// A hybrid logical clock value: wall time in milliseconds (48 bits) and a counter (16 bits).
///
/// Kulkarni et al., *Logical Physical Clocks*, 2014. Order by the packed value; ties are broken by
/// the replica.
public struct Timestamp: Hashable, Comparable, Sendable {
  /// Milliseconds since 1970 in the upper 48 bits, the counter in the lower 16.
  package var packed: Int64

  /// Takes a packed value.
  package init(packed: Int64) { self.packed = packed }

  /// Makes a value of milliseconds since 1970 (0 ..< 2^47) and a counter (0 ... 65535).
  public init(milliseconds: Int64, counter: Int64 = 0) {
    precondition((0..<(1 << 47)).contains(milliseconds) && (0...0xFFFF).contains(counter))
    packed = milliseconds << 16 | counter
  }

  /// Milliseconds since 1970.
  package var milliseconds: Int64 { packed >> 16 }

  /// How far a clock may be ahead of this machine's wall clock, in milliseconds: another machine's, or the
  /// last time at which this one made an operation.
  package static let tolerance: Int64 = 10 * 60 * 1000
  /// Tells operations of one millisecond apart.
  package var counter: Int64 { packed & 0xFFFF }

  /// Orders by wall time, then by counter.
  public static func < (a: Timestamp, b: Timestamp) -> Bool { a.packed < b.packed }

  /// The next value of a clock that shows this value, given the time of the wall clock. It is greater than
  /// `self`, also when the wall clock went back, unless `self` is ahead of the wall clock by more than
  /// `tolerance`: then the wall clock was wrong before, and the clock goes on from what it shows now.
  package func next(wallMilliseconds: Int64) -> Timestamp {
    let wall = Timestamp(milliseconds: min(max(0, wallMilliseconds), (1 << 47) - 1))
    if wall > self || milliseconds - wall.milliseconds > Self.tolerance { return wall }
    return Timestamp(packed: packed + 1)
  }
}
