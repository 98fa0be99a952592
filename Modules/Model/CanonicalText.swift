// The standard library has the normal forms, but no public function returns them.
@_spi(_Unicode) import Swift

/// A code unit in which ``CanonicalText`` stores a text: `UInt8` for UTF-8, `UInt16` for UTF-16.
public protocol EncodedUnit: FixedWidthInteger, UnsignedInteger, Sendable {
  /// Decodes the scalar at an offset of valid text, and returns it with its end.
  static func scalar(_ start: Int, _ text: UnsafeBufferPointer<Self>) -> (value: UInt32, end: Int)
  /// Decodes a text.
  static func string(_ text: UnsafeBufferPointer<Self>) -> String
  /// Appends a scalar to an encoded text.
  static func append(_ scalar: Unicode.Scalar, to text: inout [Self])
  /// Whether a text is certainly in Unicode's normal form C.
  static func isNormal(_ text: UnsafeBufferPointer<Self>) -> Bool
}

/// A text in Unicode's normal form C, with a map to the original text.
///
/// Two texts are canonically equivalent if they look the same and differ only in how letters and
/// marks are encoded: `é` is one scalar, or an `e` and a mark. Their normal forms are equal.
///
/// ```swift
/// let text = Array("cafe\u{301}s".utf8)
/// let canonical = text.withUnsafeBufferPointer { CanonicalText($0) }
/// canonical?.units  // the UTF-8 of “cafés”, with an é of two bytes
/// canonical?.original(3..<5)  // 3..<6
/// ```
public struct CanonicalText<Unit: EncodedUnit>: Sendable {
  /// A part of the text that the normal form changes.
  private struct Change {
    var units: Range<Int>
    var original: Range<Int>
  }

  /// The text in normal form.
  public private(set) var units: [Unit] = []
  /// The changed parts, in order.
  private var changes: [Change] = []

  /// The maximum number of scalars that are normalised together. Longer sequences of marks occur
  /// only in texts that were made to slow programs down.
  private static var longest: Int { 64 }

  /// Normalises a text. Returns nil if it is in the normal form already. O(text).
  public init?(_ text: UnsafeBufferPointer<Unit>) {
    if Canonical.isNormal(text) { return nil }
    units.reserveCapacity(text.count)
    var index = 0
    while index < text.count {
      let start = index
      var (scalar, end) = Unit.scalar(index, text)
      var needsChange = Canonical.classes.isChanging(scalar)
      var count = 1
      while end < text.count, count < Self.longest {
        let next = Unit.scalar(end, text)
        guard Canonical.classes.isJoining(next.value, after: scalar) else { break }
        (scalar, end) = next
        needsChange = true
        count += 1
      }
      index = end
      let part = UnsafeBufferPointer(rebasing: text[start..<end])
      guard needsChange || Canonical.classes.isJoining(scalar) else {
        units.append(contentsOf: part)
        continue
      }
      let first = units.count
      for scalar in Unit.string(part)._nfc { Unit.append(scalar, to: &units) }
      if !units[first...].elementsEqual(part) {
        changes.append(Change(units: first..<units.count, original: start..<end))
      }
    }
    if changes.isEmpty { return nil }
  }

  /// Returns the corresponding range of the original text. A range that ends inside a changed
  /// letter is extended to the whole letter. O(log changes).
  public func original(_ range: Range<Int>) -> Range<Int> {
    let start = original(range.lowerBound, atEnd: false)
    return start..<(range.isEmpty ? start : max(start, original(range.upperBound, atEnd: true)))
  }

  private func original(_ offset: Int, atEnd: Bool) -> Int {
    guard let change = last({ $0.units.lowerBound <= offset }) else {
      return offset
    }
    if offset >= change.units.upperBound {
      return change.original.upperBound + offset - change.units.upperBound
    }
    if offset == change.units.lowerBound { return change.original.lowerBound }
    return atEnd ? change.original.upperBound : change.original.lowerBound
  }

  /// Returns the offset in the normal form for an offset in the original text. For an offset inside
  /// a changed letter, it is the offset of the letter's end. O(log changes).
  public func offset(ofOriginal place: Int) -> Int {
    guard let change = last({ $0.original.lowerBound <= place }) else { return place }
    if place >= change.original.upperBound {
      return change.units.upperBound + place - change.original.upperBound
    }
    return place == change.original.lowerBound ? change.units.lowerBound : change.units.upperBound
  }

  private func last(_ holds: (Change) -> Bool) -> Change? {
    var (low, high) = (0, changes.count)
    while low < high {
      let middle = (low + high) / 2
      if holds(changes[middle]) { low = middle + 1 } else { high = middle }
    }
    return low > 0 ? changes[low - 1] : nil
  }
}

extension CanonicalText<UInt16> {
  /// Normalises a text in UTF-16. Returns nil if it is in the normal form already. O(text).
  public init?(_ text: [UInt16]) {
    guard let canonical = text.withUnsafeBufferPointer({ CanonicalText($0) }) else { return nil }
    self = canonical
  }

  /// Returns the corresponding range of the original text.
  package func original(_ range: TextRange) -> TextRange { TextRange(utf16: original(range.utf16)) }
}

/// Unicode's normal form C, in which canonically equivalent texts are equal.
public enum Canonical {
  /// The scalars that the normal form may change.
  struct Classes: Sendable {
    /// A bit for each scalar below U+10000.
    private var joining = [UInt64](repeating: 0, count: 1024)
    private var changing = [UInt64](repeating: 0, count: 1024)

    init() {
      for range in joiningScalars where range.upperBound < 0x10000 {
        for scalar in range { joining[Int(scalar >> 6)] |= 1 << UInt64(scalar & 63) }
      }
      for range in changingScalars where range.upperBound < 0x10000 {
        for scalar in range { changing[Int(scalar >> 6)] |= 1 << UInt64(scalar & 63) }
      }
    }

    /// Whether a scalar may combine with the scalar before it.
    func isJoining(_ scalar: UInt32) -> Bool {
      scalar < 0x300
        ? false
        : scalar < 0x10000
          ? joining[Int(scalar >> 6)] >> UInt64(scalar & 63) & 1 != 0
          : Self.contains(joiningScalars, scalar)
    }

    /// Passes a function to `body` that returns whether a scalar is in one of the classes.
    @inline(__always)
    func withChanged<Result>(_ body: ((UInt32) -> Bool) -> Result) -> Result {
      joining.withUnsafeBufferPointer { joining in
        changing.withUnsafeBufferPointer { changing in
          body { scalar in
            guard scalar < 0x10000 else { return isJoining(scalar) || isChanging(scalar) }
            let word = Int(scalar >> 6)
            return (joining[word] | changing[word]) >> UInt64(scalar & 63) & 1 != 0
          }
        }
      }
    }

    /// Whether a scalar may combine with `before`. The later letters of a Hangul syllable combine
    /// only with its earlier ones.
    func isJoining(_ scalar: UInt32, after before: UInt32) -> Bool {
      if !isJoining(scalar) { return false }
      switch scalar {
      case 0x1161...0x1175:
        return 0x1100...0x1112 ~= before
      case 0x11A8...0x11C2: return 0x1161...0x1175 ~= before || 0xAC00...0xD7A3 ~= before
      default: break
      }
      // No mark combines with a control character, such as a line feed.
      if before == 0x200C || before == 0x200D { return true }
      switch Unicode.Scalar(before)?.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator: return false
      default: return true
      }
    }

    /// Whether a scalar that doesn't combine with the scalar before it is replaced.
    func isChanging(_ scalar: UInt32) -> Bool {
      scalar < 0x300
        ? false
        : scalar < 0x10000
          ? changing[Int(scalar >> 6)] >> UInt64(scalar & 63) & 1 != 0
          : Self.contains(changingScalars, scalar)
    }

    private static func contains(_ ranges: [ClosedRange<UInt32>], _ scalar: UInt32) -> Bool {
      var (low, high) = (0, ranges.count)
      while low < high {
        let middle = (low + high) / 2
        if ranges[middle].upperBound < scalar { low = middle + 1 } else { high = middle }
      }
      return low < ranges.count && ranges[low].contains(scalar)
    }
  }

  static let classes = Classes()

  /// Whether a text is certainly in the normal form. False for a text with separate marks, even if
  /// no letter can be combined with them. O(text), many units at a time for ASCII and Latin.
  public static func isNormal<Unit: EncodedUnit>(_ text: UnsafeBufferPointer<Unit>) -> Bool {
    Unit.isNormal(text)
  }

  /// Returns a text in the normal form.
  public static func normalized(_ text: String) -> String {
    var text = text
    return text.withUTF8 { CanonicalText($0).map { String(decoding: $0.units, as: UTF8.self) } }
      ?? text
  }

  /// Whether a text in the normal form may be written in another way that is canonically
  /// equivalent. Of ASCII, only the semicolon, the grave accent and the letter K have a second code.
  public static func hasOtherForms(_ text: String) -> Bool {
    text.unicodeScalars.contains { scalar in
      if scalar.value < 0x80 { return "K;`".unicodeScalars.contains(scalar) }
      return classes.isJoining(scalar.value) || replacements.contains(scalar)
        || !String(scalar)._nfd.elementsEqual([scalar])
    }
  }

  /// The scalars with which the normal form replaces a single other scalar.
  private static let replacements: Set<Unicode.Scalar> = {
    var found: Set<Unicode.Scalar> = []
    for scalar in changingScalars.joined().compactMap(Unicode.Scalar.init) {
      found.formUnion(String(scalar)._nfc)
    }
    return found
  }()
}

extension UInt8: EncodedUnit {
  /// Decodes the scalar at an offset of valid UTF-8, and returns it with its end.
  @inlinable
  public static func scalar(_ start: Int, _ text: UnsafeBufferPointer<UInt8>) -> (
    value: UInt32, end: Int
  ) {
    let lead = text[start]
    if lead < 0x80 { return (UInt32(lead), start + 1) }
    let length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2
    let end = Swift.min(start + length, text.count)
    var value = UInt32(lead) & (0x7F >> UInt32(length))
    var index = start + 1
    while index < end {
      value = value << 6 | UInt32(text[index] & 0x3F)
      index += 1
    }
    return (value, end)
  }

  /// Decodes UTF-8.
  public static func string(_ text: UnsafeBufferPointer<UInt8>) -> String {
    String(decoding: text, as: UTF8.self)
  }

  /// Appends a scalar in UTF-8.
  public static func append(_ scalar: Unicode.Scalar, to text: inout [UInt8]) {
    text.append(contentsOf: UTF8.encode(scalar)!)
  }

  /// Whether UTF-8 is certainly in Unicode's normal form C.
  public static func isNormal(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    var index = skipStable(0, text)
    if index >= text.count { return true }
    return Canonical.classes.withChanged { isChanged in
      while index < text.count {
        let lead = text[index]
        switch lead {
        case ..<0xCC: index = skipStable(index, text)
        // Russian letters, and most ideographs.
        case 0xD0, 0xD1: index += 2
        case 0xE4...0xE9: index += 3
        default:
          let (scalar, end) = Self.scalar(index, text)
          if isChanged(scalar) { return false }
          index = end
        }
      }
      return true
    }
  }

  /// Returns the first offset at or after `start` whose byte is at least 0xCC, the lead byte of
  /// U+0300.
  private static func skipStable(_ start: Int, _ text: UnsafeBufferPointer<UInt8>) -> Int {
    let bytes = UnsafeRawBufferPointer(text)
    let (tops, rest): (UInt64, UInt64) = (0x8080_8080_8080_8080, 0x7F7F_7F7F_7F7F_7F7F)
    var index = start
    while index < text.count {
      // The highest bit of each byte of `high` is set if the byte is at least 0xCC.
      func high(_ offset: Int) -> UInt64 {
        let word = bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
        return ((word & rest) &+ 0x3434_3434_3434_3434) & word & tops
      }
      if index + 32 <= text.count {
        if high(index) | high(index + 8) | high(index + 16) | high(index + 24) == 0 {
          index += 32
          continue
        }
      }
      if index + 8 <= text.count {
        let found = UInt64(littleEndian: high(index))
        if found == 0 {
          index += 8
          continue
        }
        return index + found.trailingZeroBitCount / 8
      }
      if text[index] >= 0xCC { return index }
      index += 1
    }
    return text.count
  }
}

extension UInt16: EncodedUnit {
  /// Decodes the scalar at an offset of UTF-16, and returns it with its end. An unpaired surrogate
  /// is returned as it is.
  public static func scalar(_ start: Int, _ text: UnsafeBufferPointer<UInt16>) -> (
    value: UInt32, end: Int
  ) {
    let unit = text[start]
    guard unit & 0xFC00 == 0xD800, start + 1 < text.count, text[start + 1] & 0xFC00 == 0xDC00 else {
      return (UInt32(unit), start + 1)
    }
    return (0x10000 + UInt32(unit & 0x3FF) << 10 + UInt32(text[start + 1] & 0x3FF), start + 2)
  }

  /// Decodes UTF-16.
  public static func string(_ text: UnsafeBufferPointer<UInt16>) -> String {
    String(units: text)
  }

  /// Appends a scalar in UTF-16.
  public static func append(_ scalar: Unicode.Scalar, to text: inout [UInt16]) {
    text.append(contentsOf: UTF16.encode(scalar)!)
  }

  /// Whether UTF-16 is certainly in Unicode's normal form C.
  public static func isNormal(_ text: UnsafeBufferPointer<UInt16>) -> Bool {
    var index = skipStable(0, text)
    if index >= text.count { return true }
    return Canonical.classes.withChanged { isChanged in
      while index < text.count {
        let (scalar, end) = Self.scalar(index, text)
        if scalar >= 0x300, isChanged(scalar) { return false }
        index = end
      }
      return true
    }
  }

  /// Returns the first offset at or after `start` whose unit is at least 0x300.
  private static func skipStable(_ start: Int, _ text: UnsafeBufferPointer<UInt16>) -> Int {
    let units = UnsafeRawBufferPointer(text)
    var index = start
    // Many units at a time: the maximum of 16 units is below 0x300.
    while index + 16 <= text.count {
      let lanes = units.loadUnaligned(fromByteOffset: 2 * index, as: SIMD16<UInt16>.self)
      if lanes.max() >= 0x300 { break }
      index += 16
    }
    while index < text.count, text[index] < 0x300 { index += 1 }
    return index
  }
}
