import Glibc

/// Finds bytes among bytes at the speed of memory: the one that is rarest in prose is looked for many
/// at a time, and the others are compared where it stands.
public struct ByteFinder: Sendable {
  /// What is looked for; in lower case where case does not count.
  private let needle: [UInt8]
  private let ignoresCase: Bool
  /// The places in the needle of its rarest byte and of the rarest other one.
  private let rarest: Int
  private let second: Int

  /// How rare each byte is in English prose and Markdown; more is rarer.
  private static let rarity: [UInt8] = {
    // The first bytes of letters beyond ASCII repeat; those after them tell more.
    var rarity = (0..<256).map { UInt8($0 >= 0xC0 ? 30 : $0 >= 0x80 ? 60 : 255) }
    let frequent =
      " etaoinsrhldcumfpgwyb\nv,.kTSIAC-*`MP'xBENDR()FLH0W\"1jOqzG:U2/V_#[]93547Y68JKQXZ"
    for (rank, byte) in frequent.utf8.enumerated() { rarity[Int(byte)] = UInt8(rank) }
    return rarity
  }()

  /// Makes ready to look for bytes.
  ///
  /// - Parameters:
  ///   - needle: at least one byte.
  ///   - ignoresCase: whether the letters of ASCII, and no others, match in either case.
  public init(_ needle: some Sequence<UInt8>, ignoresCase: Bool = false) {
    let needle = needle.map { ignoresCase ? Self.lowercased($0) : $0 }
    precondition(!needle.isEmpty, "nothing stands everywhere")
    func rarer(_ a: Int, _ b: Int) -> Bool {
      Self.rarity[Int(needle[a])] < Self.rarity[Int(needle[b])]
    }
    let rarest = needle.indices.max(by: rarer) ?? 0
    self.needle = needle
    self.ignoresCase = ignoresCase
    self.rarest = rarest
    second = needle.indices.filter { $0 != rarest }.max(by: rarer) ?? rarest
  }

  /// How many bytes are looked for.
  public var count: Int { needle.count }

  /// The first place from `start` on that lies before `limit`; what is found there may go beyond it.
  /// O(bytes between the two), and at worst times the needle's length.
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

  /// Eight bytes in each of four words.
  private typealias Lanes = SIMD4<UInt64>

  /// Compares the two rarest bytes at 32 places at once: where both are the same as in the needle, a
  /// byte is zero, and its highest bit is set by taking one away from it (Mycroft, 1987). The byte
  /// behind such a one may be marked too, and is no hit when it is compared.
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

  /// The bit that makes a lower-case letter of a letter; none for what is no letter.
  private static func caseBit(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) ? 0x20 : 0
  }

  @inline(__always)
  private static func lowercased(_ byte: UInt8) -> UInt8 {
    byte &- 0x41 < 26 ? byte | 0x20 : byte
  }
}
