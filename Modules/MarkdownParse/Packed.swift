/// An integer in four bytes. There are as many nodes as blocks and as many slices as lines, and
/// hostile input makes a block of each byte: small ones stay in the caches. Traps from 2³¹ on, as
/// `SourceMap` does.
@propertyWrapper
struct Packed: Hashable, Sendable {
  private var stored: Int32

  @inline(__always) init(wrappedValue: Int) { stored = Int32(wrappedValue) }

  @inline(__always) var wrappedValue: Int {
    get { Int(stored) }
    set { stored = Int32(newValue) }
  }
}

/// A range in eight bytes.
struct PackedRange: Hashable, Sendable {
  @Packed private var start: Int
  @Packed private var end: Int

  @inline(__always) init(_ range: Range<Int>) {
    (start, end) = (range.lowerBound, range.upperBound)
  }

  @inline(__always) var range: Range<Int> {
    Range(uncheckedBounds: (start, end))
  }
}
