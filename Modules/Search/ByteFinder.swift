import Glibc

/// Finds a byte sequence at memory speed.
///
/// Many positions are checked at once for the byte that is rarest in prose. The other bytes are
/// compared only where it occurs.
///
/// ```swift
/// let finder = ByteFinder("fox".utf8, ignoresCase: true)
/// let offset = Array("the Fox".utf8).withUnsafeBufferPointer {
///   finder.first(in: $0, from: 0, before: $0.count)
/// }  // 4
/// ```
public struct ByteFinder: Sendable {
  /// The sequence to find, in lower case if case is ignored.
  private let needle: [UInt8]
  private let ignoresCase: Bool
  /// The indices in the sequence of its rarest byte and of the second rarest.
  private let rarest: Int
  private let second: Int

  /// The rarity of each byte in English prose and Markdown. A greater number is rarer.
  private static let rarity: [UInt8] = {
    // Lead bytes of UTF-8 sequences are more frequent than continuation bytes.
    var rarity = (0..<256).map { UInt8($0 >= 0xC0 ? 30 : $0 >= 0x80 ? 60 : 255) }
    let frequent =
      " etaoinsrhldcumfpgwyb\nv,.kTSIAC-*`MP'xBENDR()FLH0W\"1jOqzG:U2/V_#[]93547Y68JKQXZ"
    for (rank, byte) in frequent.utf8.enumerated() { rarity[Int(byte)] = UInt8(rank) }
    return rarity
  }()

  /// Creates a finder. Traps if the sequence is empty.
  ///
  /// - Parameters:
  ///   - needle: the sequence to find; at least one byte.
  ///   - ignoresCase: whether ASCII letters match in either case. Other letters always match
  ///     exactly.
  public init(_ needle: some Sequence<UInt8>, ignoresCase: Bool = false) {
    let needle = needle.map { ignoresCase ? Self.lowercased($0) : $0 }
    precondition(!needle.isEmpty, "an empty query matches everywhere")
    func rarer(_ a: Int, _ b: Int) -> Bool {
      Self.rarity[Int(needle[a])] < Self.rarity[Int(needle[b])]
    }
    let rarest = needle.indices.max(by: rarer) ?? 0
    self.needle = needle
    self.ignoresCase = ignoresCase
    self.rarest = rarest
    second = needle.indices.filter { $0 != rarest }.max(by: rarer) ?? rarest
  }

  /// The length of the sequence in bytes.
  public var count: Int { needle.count }

  /// Returns the offset of the first occurrence that begins in `start ..< limit`; nil if there is
  /// none. The occurrence may extend beyond `limit`. O(limit - start), or times the length of the
  /// sequence in the worst case.
  public func first(
    in text: UnsafeBufferPointer<UInt8>, from start: Int, before limit: Int
  ) -> Int? {
    let last = min(limit - 1, text.count - needle.count)
    guard let base = text.baseAddress, start <= last else { return nil }
    return needle.withUnsafeBufferPointer { needle in
      let needle = needle.baseAddress!
      return ignoresCase
        ? firstOfAnyCase(base, needle, from: start, to: last)
        : first(base, needle, from: start, to: last)
    }
  }

  private func first(
    _ base: UnsafePointer<UInt8>, _ needle: UnsafePointer<UInt8>, from start: Int, to last: Int
  ) -> Int? {
    let wanted = Int32(needle[rarest])
    var place = start
    while place <= last,
      let hit = memchr(base + place + rarest, wanted, last - place + 1)
    {
      let found = UnsafeRawPointer(base).distance(to: hit) - rarest
      if base[found] == needle[0], base[found + second] == needle[second],
        memcmp(base + found, needle, count) == 0
      {
        return found
      }
      place = found + 1
    }
    return nil
  }

  /// Four words of eight bytes.
  private typealias Lanes = SIMD4<UInt64>

  /// Compares the two rarest bytes at 32 positions at once.
  ///
  /// Where both equal the sequence's, the difference is a zero byte, whose highest bit is set by
  /// subtracting one (Mycroft, 1987). The byte after a zero byte may also be marked; the comparison
  /// rejects it.
  private func firstOfAnyCase(
    _ base: UnsafePointer<UInt8>, _ needle: UnsafePointer<UInt8>, from start: Int, to last: Int
  ) -> Int? {
    func lanes(_ byte: UInt8) -> Lanes { Lanes(repeating: UInt64(byte) &* 0x0101_0101_0101_0101) }
    let bytes = UnsafeRawPointer(base)
    let (a, b) = (lanes(needle[rarest]), lanes(needle[second]))
    let (bitA, bitB) = (
      lanes(Self.caseBit(needle[rarest])), lanes(Self.caseBit(needle[second]))
    )
    let (ones, tops) = (lanes(0x01), lanes(0x80))
    var place = start
    while place + 31 <= last {
      let one = bytes.loadUnaligned(fromByteOffset: place + rarest, as: Lanes.self)
      let other = bytes.loadUnaligned(fromByteOffset: place + second, as: Lanes.self)
      let differences = ((one | bitA) ^ a) | ((other | bitB) ^ b)
      let hits = (differences &- ones) & ~differences & tops
      if (hits[0] | hits[1]) | (hits[2] | hits[3]) != 0 {
        for index in 0..<4 {
          var word = hits[index]
          while word != 0 {
            let found = place + index * 8 + word.trailingZeroBitCount / 8
            if isThere(base + found, needle) { return found }
            word &= word &- 1
          }
        }
      }
      place += 32
    }
    while place <= last {
      if isThere(base + place, needle) { return place }
      place += 1
    }
    return nil
  }

  private func isThere(_ place: UnsafePointer<UInt8>, _ needle: UnsafePointer<UInt8>) -> Bool {
    for index in 0..<count where Self.lowercased(place[index]) != needle[index] { return false }
    return true
  }

  /// Returns the bit in which a lower-case letter differs from its capital; 0 for other bytes.
  private static func caseBit(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) ? 0x20 : 0
  }

  @inline(__always)
  private static func lowercased(_ byte: UInt8) -> UInt8 {
    byte &- 0x41 < 26 ? byte | 0x20 : byte
  }
}
