import Foundation
import TestSupport
import Testing

/// Tests pairing and the rights of devices on a network. Each rule is tested over a raw socket.
@Suite struct PairingTests {
  let served: Served
  let stranger: Device

  init() throws {
    served = try Served(words: ["--lan", Device.address])
    stranger = Device(served: served)
  }

  private func wrong(_ code: String) -> String {
    code.dropLast() + (code.hasSuffix("A") ? "B" : "A")
  }

  // MARK: - The code

  @Test func `a code pairs one device, which can only read`() throws {
    #expect(try stranger.ask("GET /").status == 200)
    let refused = try stranger.ask("GET /api/library")
    #expect(refused.status == 401 && refused.body.contains("\"pairing\":true"), "\(refused)")
    let code = try served.firstPairingCode()
    #expect(code.count == 8)
    let answer = try stranger.pair(code, name: "My phone")
    #expect(answer.status == 201, "\(answer)")
    let cookie = try #require(answer["set-cookie"])
    let pattern = #/diple-device-([0-9]+)-[0-9a-f]{16}=([0-9a-f]{64}); (.*)/#
    let parts = try #require(cookie.wholeMatch(of: pattern))
    #expect(Int(parts.1) == served.port)
    #expect(
      Set(parts.3.split(separator: "; ").map(String.init)) == [
        "HttpOnly", "SameSite=Strict", "Path=/", "Max-Age=31536000",
      ])
    var device = stranger
    device.cookie = try Device.cookie(of: answer)
    let library = try device.ask("GET /api/library")
    #expect(library.status == 200)
    #expect(
      library.body.contains("\"name\":\"My phone\"") && library.body.contains("\"readOnly\":true"))
    // Only the device stores the token.
    let list = try served.folder.shell("cat home/.local/state/diple/devices/*.json")
    #expect(list.contains("My phone") && !list.contains(parts.2))
    let modes = try served.folder.shell("stat -c %a home/.local/state/diple/devices/*")
    #expect(Set(modes.split(separator: "\n")) == ["600"])

    let again = try stranger.pair(code)
    #expect(again.status == 401 && again["set-cookie"] == nil, "\(again)")
    #expect(again.body.contains("press Enter"))
  }

  @Test func `a client is refused after five wrong attempts over any connections`() throws {
    let code = try served.firstPairingCode()
    // Texts that cannot be codes do not count as attempts.
    for text in ["", "ABCDEFG", "ABCDEFG1", String(repeating: "A", count: 100_000)] {
      #expect(try stranger.pair(text).status == 400)
    }
    let connection = try Connection(served.port, address: Device.address)
    for index in 0..<5 {
      let body = "{\"code\":\"\(wrong(code))\",\"name\":\"x\"}"
      if index.isMultiple(of: 2) {
        try connection.send(stranger.request("POST /api/pair", body: body))
        #expect(try connection.answer().status == 401)
      } else {
        #expect(try stranger.pair(wrong(code)).status == 401)
      }
    }
    #expect(try stranger.pair(code).status == 401)
    let next = try served.newPairingCode()
    #expect(try stranger.pair(code).status == (code == next ? 201 : 401))
    #expect(try stranger.pair(next).status == 201)
  }

  @Test func `a thousand simultaneous attempts pair no device and do not block the owner`() throws {
    let code = try served.firstPairingCode()
    let body = "{\"code\":\"\(wrong(code))\",\"name\":\"x\"}"
    let connections = try (0..<10).map { _ in try Connection(served.port, address: Device.address) }
    for connection in connections {
      try connection.send(
        (0..<100).map { _ in stranger.request("POST /api/pair", body: body) }.joined())
    }
    var tries = 0
    for connection in connections {
      for _ in 0..<100 {
        let answer = try connection.answer()
        #expect(answer.status == 401)
        if answer.body.contains("wrong code") { tries += 1 }
      }
    }
    #expect(tries == 5)
    #expect(try stranger.pair(code).status == 401)
    #expect(try served.get("/api/library").status == 200)
    #expect(try served.code(of: "serve", "devices") == 1)
  }

  @Test func `names of devices contain no control characters and are limited in length`() throws {
    _ = try Device.paired(served, name: "a\u{1B}[31m\u{202E}b\n\u{200B}c")
    _ = try Device.paired(served, name: String(repeating: "é", count: 10_000))
    struct List: Decodable {
      struct Entry: Decodable { var name: String }
      var devices: [Entry]
    }
    let names = try served.get("/api/devices").decode(List.self).devices.map(\.name)
    #expect(names == ["a [31mb c", String(repeating: "é", count: 40)])
  }

  // MARK: - Listeners

  @Test func `tokens are valid only for the listener that issued them`() throws {
    let device = try Device.paired(served)
    let token = device.cookie.split(separator: "=")[1].prefix { !$0.isNewline }
    let name = device.cookie.dropFirst(8).prefix { $0 != "=" }
    let own = served.cookie.split(separator: "=")[1].prefix { !$0.isNewline }
    for fields in [
      served.cookie, "Cookie: \(name)=\(own)\r\n", "Cookie: diple-\(served.port)=\(token)\r\n",
    ] {
      #expect(try device.ask("GET /api/library", fields: fields).status == 401, "\(fields)")
    }
    for fields in [device.cookie, "Cookie: diple-\(served.port)=\(token)\r\n"] {
      let answer = try served.exchange(served.request("GET /api/library", fields: fields))
      #expect(answer.status == 401, "\(fields)")
    }
    let both = "\(device.cookie.dropLast()); \(served.cookie.dropFirst(8))"
    #expect(try device.ask("GET /api/library", fields: both).body.contains("\"readOnly\":true"))
  }

  @Test func `each listener answers only requests to its own host names`() throws {
    let device = try Device.paired(served)
    for host in [served.host, "localhost:\(served.port)", "[::1]:\(served.port)", "evil.example"] {
      let text = served.request("GET /api/library", host: host, fields: device.cookie)
      #expect(try served.exchange(text, at: Device.address).status == 421, "\(host)")
    }
    let text = served.request("GET /api/library", host: device.host)
    #expect(try served.exchange(text).status == 421)
    #expect(try served.exchange(text, at: Device.address).status == 401)
  }

  @Test func `a login link is invalid on the network, and a pairing code is invalid locally`()
    throws
  {
    let link = try served.newCode()
    let refused = try stranger.ask("POST /api/login", body: "{\"code\":\"\(link)\"}")
    #expect(refused.status == 403 && refused["set-cookie"] == nil, "\(refused)")
    try served.logIn(with: link)
    let code = try served.newPairingCode()
    let here = try served.post("/api/pair", "{\"code\":\"\(code)\",\"name\":\"x\"}")
    #expect(here.status == 403 && here["set-cookie"] == nil, "\(here)")
    #expect(try stranger.pair(link).status == 400)
    #expect(try stranger.pair(code).status == 201)
  }

  @Test func `on the network too, changing requests are accepted only from a page of the server`()
    throws
  {
    let device = try Device.paired(served)
    try served.diple("serve", "allow", "Phone")
    let rest = "Content-Type: application/json\r\nX-Diple: 1\r\n\(device.cookie)"
    for fields in [
      rest, "Origin: http://\(served.host)\r\n" + rest, "Origin: http://evil.example\r\n" + rest,
      "Origin: http://\(device.host)\r\nSec-Fetch-Site: cross-site\r\n" + rest,
    ] {
      #expect(
        try device.ask("POST /api/actions/history.redo", fields: fields).status == 403, "\(fields)")
      let code = try served.newPairingCode()
      let body = "{\"code\":\"\(code)\",\"name\":\"x\"}"
      #expect(try stranger.ask("POST /api/pair", fields: fields, body: body).status == 403)
    }
    let other = device.cookie + "Sec-Fetch-Site: cross-site\r\n"
    #expect(try device.ask("GET /api/library", fields: other).status == 403)
    #expect(try device.ask("POST /api/actions/history.redo").status == 409)
  }

  @Test func `with --lan the server listens on that address and loopback addresses`() throws {
    let port = String(served.port, radix: 16, uppercase: true)
    let lines = try String(contentsOfFile: "/proc/net/tcp", encoding: .utf8)
      .split(separator: "\n").map { $0.split(separator: " ") }
    let listening = lines.filter { $0.count > 3 && $0[3] == "0A" && $0[1].hasSuffix(":" + port) }
    #expect(Set(listening.map { $0[1].prefix(8) }) == ["0100007F", "0200007F"])
    #expect(throws: (any Error).self) { try Connection(served.port, address: "127.0.0.3") }
  }

  @Test func `an invalid, foreign or wildcard address is rejected`() throws {
    for address in [
      "", "0.0.0.0", "::", "::1", "127.0.0.1", "127.1", "localhost", "203.0.113.7",
      "::ffff:127.0.0.2",
      "::ffff:0.0.0.0", "255.255.255.255", "224.0.0.1", "fe80::1", "[::]", "127.0.0.2:80", "0",
    ] {
      #expect(try served.code(of: "serve", "--port", "0", "--lan", address) == 2, "\(address)")
    }
  }

  @Test func `idle connections on the network do not block local ones`() throws {
    let device = try Device.paired(served)
    let strangers = try (0..<40).map { _ in try Connection(served.port, address: Device.address) }
    for _ in 0..<20 { #expect(try served.get("/api/library").status == 200) }
    #expect(try served.exchange(served.request("GET /", fields: "")).status == 200)
    // Idle connections do not block other devices either: silent ones are closed first.
    #expect(try device.ask("GET /api/library").status == 200)
    #expect(try stranger.ask("GET /").status == 200)
    _ = strangers.count
  }

  @Test func `a device with many open pages does not block other devices`() throws {
    let (greedy, device) = (try Device.paired(served), try Device.paired(served))
    var streams: [Connection] = []
    for _ in 0..<40 {
      let connection = try Connection(served.port, address: Device.address)
      try connection.send(greedy.request("GET /api/events"))
      streams.append(connection)
    }
    let refused = try eventually(
      "a refusal", see: { try greedy.ask("GET /api/library") }, until: { $0.status == 503 })
    #expect(refused.body.contains("too many pages are open in this browser"))
    #expect(try device.ask("GET /api/library").status == 200)
    #expect(try served.get("/api/library").status == 200)
    _ = streams.count
  }
}
