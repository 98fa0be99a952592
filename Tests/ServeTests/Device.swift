import Foundation
import TestSupport
import Testing

/// A device on the network of a server, for which another address of this machine stands here.
struct Device {
  static let address = "127.0.0.2"

  let served: Served
  /// The field with its token.
  var cookie = ""

  var host: String { "\(Self.address):\(served.port)" }

  /// The fields of a request that changes something, as a page sends them over a network: browsers say
  /// there nothing of where a page is from.
  var unsafe: String {
    "Origin: http://\(host)\r\nContent-Type: application/json\r\nX-Diple: 1\r\n"
  }

  /// A request as it goes over the wire.
  func request(_ line: String, fields: String? = nil, body: String = "") -> String {
    let own = fields ?? (line.hasPrefix("GET") ? cookie : unsafe + cookie)
    return served.request(line, host: host, fields: own, body: body)
  }

  /// Asks over a connection of its own.
  func ask(_ line: String, fields: String? = nil, body: String? = nil) throws -> Answer {
    let body = body ?? (line.hasPrefix("GET") ? "" : "{}")
    return try served.exchange(request(line, fields: fields, body: body), at: Self.address)
  }

  /// Tries to be paired.
  func pair(_ code: String, name: String = "Phone") throws -> Answer {
    let body = try JSONEncoder().encode(["code": code, "name": name])
    return try ask("POST /api/pair", body: String(decoding: body, as: UTF8.self))
  }

  /// A device that is paired.
  static func paired(_ served: Served, name: String = "Phone") throws -> Device {
    var device = Device(served: served)
    let answer = try device.pair(try served.newPairingCode(), name: name)
    #expect(answer.status == 201, "\(answer)")
    device.cookie = try cookie(of: answer)
    return device
  }

  /// The field with the token that an answer gives.
  static func cookie(of answer: Answer) throws -> String {
    "Cookie: \(try #require(answer["set-cookie"]?.split(separator: ";").first))\r\n"
  }

  /// Listens to what happens.
  func listen(_ query: String = "") throws -> Connection {
    let connection = try Connection(served.port, address: Self.address)
    try connection.send(request("GET /api/events\(query)"))
    _ = try connection.text(until: "event: access")
    return connection
  }
}
