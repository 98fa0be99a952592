import Foundation
import TestSupport
import Testing

/// Tests who can use the server, and from which origins.
@Suite struct LoginTests {
  @Test func `a login code can be used once`() throws {
    let served = try Served(logsIn: false)
    #expect(try served.get("/").status == 200)
    #expect(try served.get("/api/library").status == 401)
    let code = try served.firstCode()
    #expect(code.count == 32)
    let wrong = String(code.reversed())
    for other in [wrong, "", code.uppercased() + "x", String(code.dropLast())] {
      #expect(try served.post("/api/login", "{\"code\":\"\(other)\"}").status == 401)
    }
    let answer = try served.post("/api/login", "{\"code\":\"\(code)\"}")
    #expect(answer.status == 204)
    let cookie = try #require(answer["set-cookie"])
    #expect(cookie.hasPrefix("diple-\(served.port)="))
    let attributes = cookie.split(separator: ";").dropFirst().map {
      $0.trimmingCharacters(in: .whitespaces)
    }
    #expect(Set(attributes) == ["HttpOnly", "SameSite=Strict", "Path=/"])
    let again = try served.post("/api/login", "{\"code\":\"\(code)\"}")
    #expect(again.status == 401)
    #expect(again.body.contains("press Enter in the terminal of"))
    #expect(again["set-cookie"] == nil)
  }

  @Test
  func `Enter prints a new address that replaces the earlier one, and Ctrl-C ends the server`()
    throws
  {
    let served = try Served()
    let first = served.cookie
    let (older, newer) = (try served.newCode(), try served.newCode())
    #expect(try served.post("/api/login", "{\"code\":\"\(older)\"}").status == 401)
    try served.logIn(with: newer)
    #expect(served.cookie != first)
    #expect(try served.get("/api/library").status == 200)
    #expect(try served.interrupt() == 0)
    #expect(throws: (any Error).self) { try Connection(served.port) }
  }

  @Test func `the address printed after Enter opens the same document`() throws {
    let served = try Served(words: ["a.md"])
    #expect(try served.newAddress() == "http://\(served.host)/d/\(try served.id())")
    let library = try Served()
    #expect(try library.newAddress() == "http://\(library.host)/")
  }

  @Test func `logging out ends only that browser's session`() throws {
    let served = try Served()
    let left = served.cookie
    try served.logIn(with: try served.newCode())
    let answer = try served.exchange(
      served.request("POST /api/logout", fields: served.unsafe + left, body: "{}"))
    #expect(answer.status == 204, "\(answer)")
    let cookie = try #require(answer["set-cookie"])
    #expect(cookie.hasPrefix("diple-\(served.port)=;") && cookie.hasSuffix("; Max-Age=0"))
    let after = try served.exchange(served.request("GET /api/library", fields: left))
    #expect(after.status == 401, "\(after)")
    #expect(try served.get("/api/library").status == 200)
    // A request without the session cannot end it.
    let stranger = try served.exchange(
      served.request("POST /api/logout", fields: served.unsafe, body: "{}"))
    #expect(stranger.status == 401, "\(stranger)")
  }

  @Test func `a browser receives its code in a file that only the user can read`() throws {
    let served = try Served(words: ["a.md", "--open"], logsIn: false)
    let place = served.folder.path + "/opened"
    let page = try eventually(
      "the page", see: { (try? String(contentsOfFile: place, encoding: .utf8)) ?? "" },
      until: { $0.contains("</title>") })
    let mode = try FileManager.default.attributesOfItem(atPath: place)[.posixPermissions] as? Int
    #expect(mode == 0o600)
    let code = try #require(page.firstMatch(of: /#([0-9a-f]{32})"/)?.1)
    #expect(page.contains("url=http://\(served.host)/d/"))
    // The printed code is still valid: another code would have replaced it.
    #expect(try String(code) == served.firstCode())
    try served.logIn(with: String(code))
    #expect(try served.interrupt() == 0)
    let left = try FileManager.default.contentsOfDirectory(atPath: served.folder.path + "/tmp")
    #expect(left.filter { $0.hasPrefix("diple-serve") } == [])
  }

  @Test func `the content of the library requires a login`() throws {
    let served = try Served()
    let id = try served.id()
    let right = served.cookie
    let token = right.split(separator: "=")[1].prefix { !$0.isNewline }
    let paths = [
      "/api/library", "/api/documents/\(id)", "/api/documents/\(id)/body",
      "/api/documents/\(id)/card?start=0&end=3", "/api/events", "/files/\(id)/a.png",
    ]
    let wrong = [
      "", "Cookie: diple-\(served.port)=\r\n", "Cookie: diple-\(served.port + 1)=\(token)\r\n",
      "Cookie: diple-\(served.port)=\(String(repeating: "0", count: token.count))\r\n",
      "Cookie: xdiple-\(served.port)=\(token)\r\n", "Authorization: Bearer \(token)\r\n",
    ]
    for (action, request) in [
      ("highlight.list", "{}"), ("highlight.review", "{}"), ("library.search", "{\"query\":\"a\"}"),
      ("document.find", "{\"document\":\"\(id)\",\"query\":\"a\"}"),
      ("passage.copy", "{\"document\":\"\(id)\",\"passage\":{\"spec\":\"all\"}}"),
      ("library.strategies", "{}"),
    ] {
      for fields in wrong {
        let answer = try served.exchange(
          served.request(
            "POST /api/actions/\(action)", fields: served.unsafe + fields, body: request))
        #expect(answer.status == 401, "\(action) \(fields): \(answer)")
      }
    }
    for path in paths {
      for fields in wrong {
        let answer = try served.exchange(served.request("GET \(path)", fields: fields))
        #expect(answer.status == 401, "\(path) \(fields): \(answer)")
      }
      let other = try served.exchange(
        served.request("GET \(path)", fields: right + "Sec-Fetch-Site: cross-site\r\n"))
      #expect(other.status == 403, "\(path): \(other)")
      let both = "Sec-Fetch-Site: same-origin\r\nSec-Fetch-Site: cross-site\r\n"
      let twice = try served.exchange(served.request("GET \(path)", fields: right + both))
      #expect(twice.status == 403, "\(path): \(twice)")
    }
    // Browsers send the cookies of a host to all of its ports, so the server may receive several.
    let several = "Cookie: a=b; diple-\(served.port)=\(token); diple-1=c\r\n"
    let answer = try served.exchange(served.request("GET /api/library", fields: several))
    #expect(answer.status == 200)
  }

  @Test func `changing requests are accepted only from a page of the server`() throws {
    let served = try Served()
    let origin = "Origin: http://\(served.host)\r\n"
    let json = "Content-Type: application/json\r\n"
    let mine = "X-Diple: 1\r\n"
    let site = "Sec-Fetch-Site: same-origin\r\n"
    let refused: [(fields: String, status: Int)] = [
      (json + mine + site, 403), ("Origin: null\r\n" + json + mine, 403),
      ("Origin: http://evil.example\r\n" + json + mine, 403),
      ("Origin: http://127.0.0.1:\(served.port + 1)\r\n" + json + mine, 403),
      ("Origin: http://localhost:\(served.port)\r\n" + json + mine, 403),
      ("Origin: https://\(served.host)\r\n" + json + mine, 403),
      ("Origin: http://\(served.host).evil.example\r\n" + json + mine, 403),
      (origin + origin + json + mine, 403),
      (origin + json + mine + "Sec-Fetch-Site: cross-site\r\n", 403),
      (origin + json + mine + "Sec-Fetch-Site: same-site\r\n", 403),
      (origin + json + mine + "Sec-Fetch-Site: none\r\n", 403),
      (origin + mine, 415), (origin + mine + "Content-Type: text/plain\r\n", 415),
      (origin + mine + "Content-Type: application/x-www-form-urlencoded\r\n", 415),
      (origin + mine + "Content-Type: text/plain; application/json\r\n", 415),
      (origin + json, 403), (origin + json + "X-Diple: 0\r\n", 403),
    ]
    let paths = [
      ("POST", "/api/actions/history.undo"), ("POST", "/api/actions/history.redo"),
      ("POST", "/api/login"),
      ("POST", "/api/logout"),
      ("POST", "/api/actions/passage.format"), ("POST", "/api/actions/highlight.mark"),
      ("POST", "/api/actions/highlight.change"), ("POST", "/api/actions/highlight.remove"),
      ("POST", "/api/actions/highlight.accept"), ("POST", "/api/actions/highlight.detach"),
      ("PATCH", "/api/devices/1"), ("DELETE", "/api/devices/1"),
    ]
    for (method, path) in paths {
      for (fields, status) in refused {
        let answer = try served.exchange(
          served.request("\(method) \(path)", fields: fields + served.cookie, body: "{}"))
        #expect(answer.status == status, "\(method) \(path) \(fields): \(answer)")
      }
      guard path != "/api/login" else { continue }
      let stranger = try served.exchange(
        served.request("\(method) \(path)", fields: origin + json + mine, body: "{}"))
      #expect(stranger.status == 401, "\(method) \(path): \(stranger)")
    }
    // Older browsers do not send `Sec-Fetch-Site`.
    let plain = try served.exchange(
      served.request(
        "POST /api/actions/history.redo", fields: origin + json + mine + served.cookie, body: "{}"))
    #expect(plain.status == 409, "\(plain)")
  }

  @Test func `other sites cannot read any response, and each response has security headers`() throws
  {
    let served = try Served()
    let id = try served.id()
    let policy =
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
      + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
      + "require-trusted-types-for 'script'; trusted-types diple"
    let always = [
      "content-security-policy": policy, "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer", "cross-origin-resource-policy": "same-origin",
      "cross-origin-opener-policy": "same-origin", "cache-control": "no-store",
      "x-frame-options": "DENY",
    ]
    let requests = [
      "GET /", "GET /d/\(id)", "GET /h/1-0000000000000001", "GET /static/login.js",
      "GET /api/library", "GET /api/documents/\(id)/body", "GET /none",
      "OPTIONS /api/actions/history.undo",
      "GET /api/documents/1-0000000000000001", "POST /api/actions/history.redo",
    ]
    for line in requests {
      let fields =
        line.hasPrefix("POST")
        ? served.unsafe + served.cookie
        : "Origin: http://evil.example\r\n" + served.cookie
      let answer = try served.exchange(
        served.request(line, fields: fields, body: line.hasPrefix("POST") ? "{}" : ""))
      for (name, value) in always { #expect(answer[name] == value, "\(line): \(answer)") }
      let names = answer.fields.map(\.name)
      #expect(names.filter { $0.hasPrefix("access-control") } == [], "\(line)")
      #expect(!names.contains("server"), "\(line)")
    }
  }
}
