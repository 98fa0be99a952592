package import Glibc

/// Decides which IP addresses are on the public internet. Addresses of this machine, of its
/// network, and transition addresses aren't: a page must not make Diple connect to them.
package enum PublicAddress {
  /// Returns whether an address is public; false if it isn't an IP address.
  package static func isPublic(_ address: UnsafePointer<sockaddr>) -> Bool {
    switch Int32(address.pointee.sa_family) {
    case AF_INET:
      return address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
        isPublic(v4: UInt32(bigEndian: $0.pointee.sin_addr.s_addr))
      }
    case AF_INET6:
      return address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { address in
        withUnsafeBytes(of: address.pointee.sin6_addr) { isPublic(v6: Array($0)) }
      }
    default: return false
    }
  }

  /// Returns whether an address in text form, with or without brackets, is public; nil for a host
  /// name.
  package static func isPublic(written text: String) -> Bool? {
    var v4 = in_addr()
    var v6 = in6_addr()
    let plain =
      text.hasPrefix("[") ? String(text.dropFirst().prefix { $0 != "]" && $0 != "%" }) : text
    if inet_aton(plain, &v4) != 0 { return isPublic(v4: UInt32(bigEndian: v4.s_addr)) }
    if inet_pton(AF_INET6, plain, &v6) == 1 {
      return withUnsafeBytes(of: v6) { isPublic(v6: Array($0)) }
    }
    return nil
  }

  /// The text form of an address.
  package static func text(_ address: UnsafePointer<sockaddr>) -> String {
    var buffer = [CChar](repeating: 0, count: 64)
    switch Int32(address.pointee.sa_family) {
    case AF_INET:
      address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
        var raw = $0.pointee.sin_addr
        _ = inet_ntop(AF_INET, &raw, &buffer, socklen_t(buffer.count))
      }
    case AF_INET6:
      address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) {
        var raw = $0.pointee.sin6_addr
        _ = inet_ntop(AF_INET6, &raw, &buffer, socklen_t(buffer.count))
      }
    default: return "an address of another kind"
    }
    return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// The IPv4 blocks that aren't global (IANA's special-purpose registry, multicast and reserved
  /// addresses): the first address and the length of the prefix in bits.
  private static let special: [(UInt32, Int)] = [
    (0x0000_0000, 8), (0x0A00_0000, 8), (0x6440_0000, 10), (0x7F00_0000, 8), (0xA9FE_0000, 16),
    (0xAC10_0000, 12), (0xC000_0000, 24), (0xC000_0200, 24), (0xC058_6300, 24),
    (0xC0A8_0000, 16), (0xC612_0000, 15), (0xC633_6400, 24), (0xCB00_7100, 24),
    (0xE000_0000, 4), (0xF000_0000, 4),
  ]

  private static func isPublic(v4 address: UInt32) -> Bool {
    !special.contains { address >> UInt32(32 - $1) == $0 >> UInt32(32 - $1) }
  }

  /// Only 2000::/3 of IPv6 is assigned. Of this, transition addresses (Teredo and others in
  /// 2001::/23, 6to4 in 2002::/16) and addresses for documentation aren't public.
  private static func isPublic(v6 bytes: [UInt8]) -> Bool {
    guard bytes.count == 16, bytes[0] & 0xE0 == 0x20 else { return false }
    let first = UInt16(bytes[0]) << 8 | UInt16(bytes[1])
    let second = UInt16(bytes[2]) << 8 | UInt16(bytes[3])
    if first == 0x2001, second < 0x0200 || second == 0x0DB8 { return false }
    if first == 0x2002 { return false }
    return !(first == 0x3FFF && second < 0x1000)
  }
}
