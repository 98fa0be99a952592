import Foundation
import TestSupport
import Testing

/// A device on the server's network, simulated by another loopback address.
struct Device {
  static let address = "127.0.0.2"

  let served: Served
  /// The header field with the device's token; empty before it is paired.
  var cookie = ""

  var host: String { "\(Self.address):\(served.port)" }

  /// The header fields of a changing request, as a page sends them over a network. Browsers omit
  /// `Sec-Fetch-Site` there.
  var unsafe: String {
    "Origin: http://\(host)\r\nContent-Type: application/json\r\nX-Diple: 1\r\n"
  }

  /// Returns the bytes of a request.
  func request(_ line: String, fields: String? = nil, body: String = "") -> String {
    let own = fields ?? (line.hasPrefix("GET") ? cookie : unsafe + cookie)
    return served.request(line, host: host, fields: own, body: body)
  }

  /// Sends a request over a separate connection, and returns the response.
  func ask(_ line: String, fields: String? = nil, body: String? = nil) throws -> Answer {
    let body = body ?? (line.hasPrefix("GET") ? "" : "{}")
    return try served.exchange(request(line, fields: fields, body: body), at: Self.address)
  }

  /// Sends a pairing code.
  func pair(_ code: String, name: String = "Phone") throws -> Answer {
    let body = try JSONEncoder().encode(["code": code, "name": name])
    return try ask("POST /api/pair", body: String(decoding: body, as: UTF8.self))
  }

  static func paired(_ served: Served, name: String = "Phone") throws -> Device {
    var device = Device(served: served)
    let answer = try device.pair(try served.newPairingCode(), name: name)
    #expect(answer.status == 201, "\(answer)")
    device.cookie = try cookie(of: answer)
    return device
  }

  /// Returns the header field with the token that a response sets.
  static func cookie(of answer: Answer) throws -> String {
    "Cookie: \(try #require(answer["set-cookie"]?.split(separator: ";").first))\r\n"
  }

  /// Opens a stream of events.
  func listen(_ query: String = "") throws -> Connection {
    let connection = try Connection(served.port, address: Self.address)
    try connection.send(request("GET /api/events\(query)"))
    _ = try connection.text(until: "event: access")
    return connection
  }
}
