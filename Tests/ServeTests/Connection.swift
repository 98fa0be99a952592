import Foundation
import SystemSupport
import TestSupport

/// A response of the server.
struct Answer: CustomStringConvertible {
  var status: Int
  /// The header fields, with names in lower case.
  var fields: [(name: String, value: String)]
  var body: String

  subscript(name: String) -> String? { fields.first { $0.name == name }?.value }

  var description: String {
    "\(status) \(fields.map { "\($0.name): \($0.value)" }) \(body.prefix(400))"
  }

  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    try JSONDecoder().decode(type, from: Data(body.utf8))
  }
}

/// A TCP connection over which a test can write any bytes.
final class Connection {
  private let descriptor: Int32
  private var received: [UInt8] = []

  struct Ended: Error { var received: String }

  /// Connects to a port of this machine. Throws if the connection is refused.
  init(_ port: Int, address: String = "127.0.0.1") throws {
    let isOld = address.contains(".")
    descriptor = socket(isOld ? AF_INET : AF_INET6, Int32(SOCK_STREAM.rawValue), 0)
    guard descriptor >= 0 else { throw SystemCallError() }
    let result: Int32
    if isOld {
      var place = sockaddr_in()
      place.sin_family = sa_family_t(AF_INET)
      place.sin_port = UInt16(port).bigEndian
      inet_pton(AF_INET, address, &place.sin_addr)
      result = withUnsafeBytes(of: &place) {
        connect(
          descriptor, $0.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t($0.count))
      }
    } else {
      var place = sockaddr_in6()
      place.sin6_family = sa_family_t(AF_INET6)
      place.sin6_port = UInt16(port).bigEndian
      inet_pton(AF_INET6, address, &place.sin6_addr)
      result = withUnsafeBytes(of: &place) {
        connect(
          descriptor, $0.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t($0.count))
      }
    }
    guard result == 0 else { throw SystemCallError() }
  }

  deinit { close(descriptor) }

  /// Writes a text. Bytes that the server no longer accepts are dropped.
  func send(_ text: String) throws {
    let bytes = Array(text.utf8)
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if count < 0 { return }
      sent += count
    }
  }

  /// Waits for bytes and appends them to `received`. Returns false at the end of the connection,
  /// and throws `Ended` on a timeout.
  private func receive(until end: ContinuousClock.Instant) throws -> Bool {
    while true {
      let left = end - ContinuousClock.now
      var input = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      let wait = max(
        0,
        Int32(left.components.seconds * 1_000 + left.components.attoseconds / 1_000_000_000_000_000)
      )
      if poll(&input, 1, wait) == 0 {
        throw Ended(received: String(decoding: received, as: UTF8.self))
      }
      var bytes = [UInt8](repeating: 0, count: 1 << 16)
      let count = read(descriptor, &bytes, bytes.count)
      if count < 0 && errno == EINTR { continue }
      if count <= 0 { return false }
      received += bytes[..<count]
      return true
    }
  }

  /// Waits until the server has closed the connection. Throws `Ended` on a timeout.
  func waitForEnd(within seconds: Double = 30) throws {
    let end = ContinuousClock.now + .seconds(seconds)
    while try receive(until: end) {}
  }

  /// Waits until the received text contains `wanted`, and returns all received text. Throws `Ended`
  /// at the end of the connection or on a timeout.
  func text(until wanted: String, within seconds: Double = 30) throws -> String {
    let end = ContinuousClock.now + .seconds(seconds)
    while true {
      let text = String(decoding: received, as: UTF8.self)
      if text.contains(wanted) { return text }
      guard try receive(until: end) else { throw Ended(received: text) }
    }
  }

  /// Discards the received bytes.
  func forget() { received = [] }

  /// Reads the next response. Throws `Ended` at the end of the connection or on a timeout.
  func answer(within seconds: Double = 30) throws -> Answer {
    let end = ContinuousClock.now + .seconds(seconds)
    let blank = Array("\r\n\r\n".utf8)
    var head: Range<Int>?
    while head == nil {
      head = received.indices.first {
        received[$0...].starts(with: blank)
      }.map { $0..<$0 + 4 }
      if head == nil, try !receive(until: end) {
        throw Ended(received: String(decoding: received, as: UTF8.self))
      }
    }
    guard let head else { throw Ended(received: "") }
    let lines = String(decoding: received[..<head.lowerBound], as: UTF8.self)
      .components(separatedBy: "\r\n")
    let fields = lines.dropFirst().map { line in
      let sides = line.split(separator: ":", maxSplits: 1)
      return (
        name: sides[0].lowercased(),
        value: sides.count > 1 ? sides[1].trimmingCharacters(in: .whitespaces) : ""
      )
    }
    let length = fields.first { $0.name == "content-length" }.flatMap { Int($0.value) } ?? 0
    while received.count < head.upperBound + length {
      guard try receive(until: end) else {
        throw Ended(received: String(decoding: received, as: UTF8.self))
      }
    }
    let body = received[head.upperBound..<head.upperBound + length]
    received.removeFirst(head.upperBound + length)
    return Answer(
      status: Int(lines[0].split(separator: " ").dropFirst().first ?? "") ?? 0, fields: fields,
      body: String(decoding: body, as: UTF8.self))
  }
}
