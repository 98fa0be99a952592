import Foundation
import TestSupport
import Testing

/// Tests which requests the server accepts. Each rule is tested over a raw socket.
@Suite struct GateTests {
  let served: Served

  init() throws { served = try Served() }

  private func status(_ text: String) throws -> Int { try served.exchange(text).status }

  // MARK: - Names

  @Test func `only requests to the server's exact host names are answered`() throws {
    let port = served.port
    for host in ["127.0.0.1:\(port)", "localhost:\(port)", "[::1]:\(port)"] {
      #expect(try status("GET / HTTP/1.1\r\nHost: \(host)\r\n\r\n") == 200, "\(host)")
    }
    // A foreign DNS server could resolve such a name to this machine.
    for host in [
      "evil.example", "evil.example:\(port)", "127.0.0.1", "localhost", "127.0.0.1:\(port + 1)",
      "127.0.0.1:\(port).evil.example", "127.0.0.1:\(port)0", "evil.127.0.0.1:\(port)",
      "0.0.0.0:\(port)", "127.1:\(port)", "[::1%25lo]:\(port)", "LOCALHOST:\(port)",
      "user@127.0.0.1:\(port)", "127.0.0.1:\(port),evil.example", "127.0.0.1: \(port)",
    ] {
      let answer = try served.exchange(
        "GET /api/library HTTP/1.1\r\nHost: \(host)\r\n\(served.cookie)\r\n")
      #expect(answer.status == 421, "\(host): \(answer)")
      #expect(!answer.body.contains("documents"), "\(host)")
    }
    #expect(try [400, 421].contains(status("GET / HTTP/1.1\r\nHost:\r\n\r\n")))
  }

  @Test func `the server listens only on loopback addresses`() throws {
    let port = String(served.port, radix: 16, uppercase: true)
    for (file, own) in [
      ("tcp", "0100007F"), ("tcp6", "00000000000000000000000001000000"),
    ] {
      let lines = try String(contentsOfFile: "/proc/net/" + file, encoding: .utf8)
        .split(separator: "\n").map { $0.split(separator: " ") }
      let listening = lines.filter { $0.count > 3 && $0[3] == "0A" && $0[1].hasSuffix(":" + port) }
      #expect(listening.allSatisfy { $0[1].hasPrefix(own) }, "\(listening)")
      if file == "tcp" { #expect(listening.count == 1) }
    }
    let other = try Connection(served.port, address: "::1")
    try other.send(served.request("GET /", host: "[::1]:\(served.port)"))
    #expect(try other.answer().status == 200)
  }

  private static let hasNamespaces =
    (try? WorkFolder().shell("unshare -rn sh -c 'ip link set lo up'")) != nil

  @Test(.enabled(if: hasNamespaces, "unshare or ip cannot be used here"))
  func `the server starts on a machine without IPv6`() throws {
    let line = try served.folder.shell(
      """
      cd docs; HOME="$PWD/../home" timeout 3 unshare -rn sh -c \
        'ip link set lo up; exec "$0" serve --json --port 0 --lan 127.0.0.2' \
        '\(Served.programs)/diple' </dev/null || [ $? = 124 ]
      """)
    #expect(line.contains("http://127.0.0.1:"), "\(line)")
  }

  // MARK: - Form

  @Test func `ambiguous requests are rejected, and the connection is closed`() throws {
    let host = "Host: \(served.host)\r\n"
    let next = "GET /api/library HTTP/1.1\r\n\(host)\(served.cookie)\r\n"
    let unsafe = served.unsafe + served.cookie
    let refused = [
      // Ambiguous hosts.
      "GET / HTTP/1.1\r\n\(host)Host: evil.example\r\n\r\n",
      "GET / HTTP/1.1\r\n\(host)\(host)\r\n",
      "GET http://evil.example/ HTTP/1.1\r\n\(host)\r\n",
      "GET http://\(served.host)/ HTTP/1.1\r\n\(host)\r\n",
      "GET / HTTP/1.1\r\n\r\n", "GET / HTTP/1.0\r\n\(host)\r\n", "GET /\r\n\r\n",
      "GET / HTTP/2.0\r\n\(host)\r\n", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
      "GET * HTTP/1.1\r\n\(host)\r\n", "CONNECT 127.0.0.1:22 HTTP/1.1\r\n\(host)\r\n",
      // Ambiguous lengths.
      "POST /api/actions/history.undo HTTP/1.1\r\n\(host)\(unsafe)Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}\(next)",
      "POST /api/actions/history.undo HTTP/1.1\r\n\(host)\(unsafe)Content-Length: 2\r\nContent-Length: 40\r\n\r\n{}\(next)",
      "POST /api/actions/history.undo HTTP/1.1\r\n\(host)\(unsafe)Content-Length: 2, 2\r\n\r\n{}\(next)",
      "POST /api/actions/history.undo HTTP/1.1\r\n\(host)\(unsafe)Content-Length: +2\r\n\r\n{}\(next)",
      "POST /api/actions/history.undo HTTP/1.1\r\n\(host)\(unsafe)Content-Length: -2\r\n\r\n{}\(next)",
      "POST /api/actions/history.undo HTTP/1.1\r\n\(host)\(unsafe)Content-Length: 0x2\r\n\r\n{}\(next)",
      "POST /api/actions/history.undo HTTP/1.1\r\n\(host)\(unsafe)Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n\(next)",
      "POST /api/actions/history.undo HTTP/1.1\r\n\(host)\(unsafe)Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n\(next)",
      "POST /api/actions/history.undo HTTP/1.1\r\n\(host)\(unsafe)Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n\(next)",
      "POST /api/actions/history.undo HTTP/1.1\r\n\(host)\(unsafe)Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n\(next)",
      "GET / HTTP/1.1\r\n\(host)Content-Length: 5\r\n\r\nhello\(next)",
      // Ambiguous header fields.
      "GET / HTTP/1.1\r\n\(host)A: b\r\n folded: c\r\n\r\n\(next)",
      "GET / HTTP/1.1\r\n\(host)A : b\r\n\r\n\(next)",
      "GET / HTTP/1.1\r\n\(host)A\u{0}: b\r\n\r\n\(next)",
      "GET / HTTP/1.1\r\n\(host)Upgrade: h2c\r\nConnection: Upgrade\r\n\r\n\(next)",
      "POST /api/actions/history.undo HTTP/1.1\r\n\(host)\(unsafe)Expect: 100-continue\r\nContent-Length: 2\r\n\r\n{}\(next)",
    ]
    for text in refused {
      let connection = try Connection(served.port)
      try connection.send(text)
      let answer = try connection.answer()
      #expect((400...505).contains(answer.status), "\(text.debugDescription): \(answer)")
      // The bytes after the refused request are not parsed as another one.
      try connection.waitForEnd()
      #expect(throws: Connection.Ended.self, "\(text.debugDescription)") {
        try connection.answer(within: 0)
      }
    }
  }

  @Test func `consecutive requests are answered in order`() throws {
    let connection = try Connection(served.port)
    try connection.send(
      served.request("GET /api/library")
        + served.request("POST /api/actions/style.list", body: "{}"))
    #expect(try connection.answer().body.contains("documents"))
    #expect(try connection.answer().body.contains("diple.styles/1"))
    try connection.send(served.request("POST /api/actions/library.strategies", body: "{}"))
    let strategies = try connection.answer().body
    #expect(strategies.contains("literal") && strategies.contains("paper"))
  }

  @Test func `unknown methods and paths are rejected`() throws {
    for method in ["OPTIONS", "HEAD", "PUT", "TRACE", "POST", "DELETE", "PROPFIND"] {
      let answer = try served.exchange(served.request("\(method) /"))
      #expect([400, 405].contains(answer.status), "\(method): \(answer)")
    }
    for path in ["/x", "/api", "/api/x", "//", "/api//library", "/static/x.js", "/d"] {
      #expect(try [400, 404].contains(served.get(path).status), "\(path)")
    }
  }

  // MARK: - Sizes and times

  @Test func `a request head is limited to 16 KiB, and a body to 256 KiB`() throws {
    func padded(_ count: Int) -> String {
      served.request("GET /", fields: "X: \(String(repeating: "x", count: count))\r\n")
    }
    #expect(try status(padded(15_000)) == 200)
    for count in [17_000, 70_000, 1_000_000] { #expect(try status(padded(count)) == 431) }
    let many = (0..<2_000).map { "X\($0): yy\r\n" }.joined()
    #expect(try status(served.request("GET /", fields: many)) == 431)
    #expect(
      try [400, 431].contains(
        status("GET /\(String(repeating: "x", count: 20_000)) HTTP/1.1\r\n")))
    let long = "{\"doc\":\"\(String(repeating: "x", count: 256 << 10))\"}"
    #expect(try served.post("/api/actions/history.undo", long).status == 413)
    let whole = "{\"code\":\"\(String(repeating: "x", count: 200 << 10))\"}"
    #expect(try served.post("/api/login", whole).status == 401)
  }

  @Test func `slow requests are cut off`() throws {
    let begun = ContinuousClock.now
    let silent = try Connection(served.port)
    let slow = try Connection(served.port)
    let half = try Connection(served.port)
    try slow.send("GET / HTTP/1.1\r\nHost: \(served.host)\r\n")
    try half.send(
      "POST /api/actions/history.undo HTTP/1.1\r\nHost: \(served.host)\r\n\(served.unsafe)\(served.cookie)Content-Length: 20\r\n\r\n{"
    )
    // Single bytes do not extend the time limit.
    for _ in 0..<8 {
      Thread.sleep(forTimeInterval: 1)
      try slow.send("X")
    }
    for connection in [silent, slow, half] {
      #expect(try connection.answer(within: 20).status == 408)
      try connection.waitForEnd()
    }
    #expect(ContinuousClock.now - begun < .seconds(20))
  }

  @Test func `connections without a login displace only each other`() throws {
    let known = try (0..<40).map { _ in
      let connection = try Connection(served.port)
      try connection.send(served.request("GET /api/library"))
      #expect(try connection.answer().status == 200)
      return connection
    }
    // Silent connections do not block others: the oldest ones are closed.
    let begun = ContinuousClock.now
    let strangers = try (0..<40).map { _ in try Connection(served.port) }
    for _ in 0..<3 { #expect(try served.get("/api/library").status == 200) }
    for stranger in strangers.prefix(8) {
      try stranger.waitForEnd()
      #expect(throws: Connection.Ended.self) { try stranger.answer(within: 0) }
    }
    // The other connections are still open, unless the test was so slow that all of them timed out.
    if ContinuousClock.now - begun < .seconds(8) {
      try strangers[39].send(served.request("GET /", fields: ""))
      #expect(try strangers[39].answer().status == 200)
    }
    // Connections with a session remain open, however old they are.
    for connection in known {
      try connection.send(served.request("GET /api/library"))
      #expect(try connection.answer().status == 200)
    }
  }

  // MARK: - Pages

  @Test func `for an unknown path a browser gets a page, and a program JSON`() throws {
    let accept = "Accept: text/html,application/xhtml+xml,*/*;q=0.8\r\n"
    for path in ["/nope", "/d", "/static/none", "//", "/files/1-0000000000000001/a.png"] {
      let answer = try served.exchange(
        served.request("GET \(path)", fields: accept + served.cookie))
      #expect(answer.status == 404, "\(path): \(answer)")
      #expect(answer["content-type"] == "text/html; charset=utf-8", "\(path): \(answer)")
      #expect(answer.body.contains("<a href=\"/\">"), "\(path): \(answer)")
      #expect(!answer.body.contains("nope"), "\(path)")
      let plain = try served.exchange(
        served.request("GET \(path)", fields: "Accept: */*\r\n" + served.cookie))
      #expect([400, 404].contains(plain.status), "\(path): \(plain)")
      #expect(plain["content-type"] == "application/json; charset=utf-8", "\(path): \(plain)")
    }
    for path in ["/api/nope", "/api/documents/1-0000000000000001"] {
      let answer = try served.exchange(
        served.request("GET \(path)", fields: accept + served.cookie))
      #expect(answer["content-type"] == "application/json; charset=utf-8", "\(path): \(answer)")
    }
    // There is no page for a request to another host either.
    let other = try served.exchange(
      served.request("GET /nope", host: "evil.example", fields: accept))
    #expect(other.status == 421 && other.body.hasPrefix("{"), "\(other)")
  }

  @Test func `each text response declares its encoding`() throws {
    let id = try served.id()
    let paths = [
      "/", "/d/\(id)", "/static/icon.svg", "/static/base.css", "/static/mapping.js",
      "/api/library", "/api/documents/\(id)/body", "/nope", "/api/nope", "//",
    ]
    for path in paths {
      let answer = try served.get(path)
      #expect(answer["content-type"]?.hasSuffix("; charset=utf-8") == true, "\(path): \(answer)")
    }
  }
}
