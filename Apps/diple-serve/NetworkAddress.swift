import Glibc
import NIOCore
import Rendering
import SystemSupport

/// An address of this machine that is reachable over a network.
struct NetworkAddress {
  /// The address in the system's notation.
  let host: String
  /// The address as written in URLs, with brackets for IPv6.
  let name: String

  /// Validates an address typed by the user.
  ///
  /// - Throws: ``UserError`` with the code `usage` if the text isn't an address, is a wildcard or
  ///   loopback address, or isn't an address of this machine. The hint lists the valid addresses.
  init(_ text: String) throws(UserError) {
    let typed = text.sanitizedForTerminal
    guard let parsed = Self.parse(text) else {
      throw Self.refusal("'\(typed)' is not an address in numbers, such as 192.168.1.20")
    }
    switch parsed {
    case .old(let bytes):
      host = Self.text(AF_INET, bytes)
      name = host
      // All of 127/8 belongs to this machine, whatever its interfaces report.
      let isOwn = bytes[0] == 127
      if bytes == [0, 0, 0, 0] {
        throw Self.refusal("\(host) means every address of this machine")
      }
      if bytes == [127, 0, 0, 1] { throw Self.refusal("no network reaches \(host)") }
      guard isOwn || Self.all.contains(where: { $0.host == host }) else {
        throw Self.refusal("\(host) is not an address of this machine")
      }
    case .new(let bytes):
      host = Self.text(AF_INET6, bytes)
      name = "[\(host)]"
      if bytes.allSatisfy({ $0 == 0 }) {
        throw Self.refusal("\(host) means every address of this machine")
      }
      if host == "::1" { throw Self.refusal("no network reaches \(host)") }
      if bytes[0] == 0xFE, bytes[1] & 0xC0 == 0x80 {
        throw Self.refusal("browsers cannot open \(host), which is valid on one interface only")
      }
      // This also refuses IPv4-mapped IPv6 addresses.
      guard Self.all.contains(where: { $0.host == host }) else {
        throw Self.refusal("\(host) is not an address of this machine")
      }
    }
  }

  private enum Parsed {
    case old([UInt8])
    case new([UInt8])
  }

  private static func parse(_ text: String) -> Parsed? {
    var bytes = [UInt8](repeating: 0, count: 16)
    if inet_pton(AF_INET, text, &bytes) == 1 { return .old(Array(bytes.prefix(4))) }
    return inet_pton(AF_INET6, text, &bytes) == 1 ? .new(bytes) : nil
  }

  /// Returns the canonical text of an address, which browsers use too.
  private static func text(_ family: Int32, _ bytes: [UInt8]) -> String {
    var buffer = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    guard inet_ntop(family, bytes, &buffer, socklen_t(buffer.count)) != nil else { return "" }
    return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// The addresses of this machine that are reachable over a network, with their interfaces.
  private static var all: [(host: String, interface: String)] {
    let devices = (try? System.enumerateDevices()) ?? []
    return devices.compactMap { device in
      guard let host = device.address?.ipAddress, !host.hasPrefix("127."), host != "::1",
        !["fe8", "fe9", "fea", "feb"].contains(where: host.lowercased().hasPrefix)
      else { return nil }
      return (host, device.name)
    }
  }

  private static func refusal(_ reason: String) -> UserError {
    let all = all.map { "\($0.host) (\($0.interface.sanitizedForTerminal))" }
    return UserError(
      .usage, "--lan: \(reason)",
      hint: all.isEmpty
        ? "this machine is on no network"
        : Hint("addresses of this machine: \(all.joined(separator: ", "))"))
  }
}
