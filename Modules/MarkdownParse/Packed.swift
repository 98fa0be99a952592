/// An integer stored in four bytes.
///
/// Nodes and slices are as numerous as blocks and lines, and hostile input has a block for each
/// byte. If they are small, they stay in the CPU caches. Traps from 2³¹ on, as `SourceMap` does.
@propertyWrapper
struct Packed: Hashable, Sendable {
  private var stored: Int32

  @inline(__always) init(wrappedValue: Int) { stored = Int32(wrappedValue) }

  @inline(__always) var wrappedValue: Int {
    get { Int(stored) }
    set { stored = Int32(newValue) }
  }
}

/// A range stored in eight bytes.
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
