import Foundation
import TestSupport
import Testing

/// Tests the rights of paired devices, and their changes.
@Suite struct DeviceTests {
  let served: Served

  init() throws { served = try Served(words: ["--lan", Device.address]) }

  private struct Text: Decodable { var digest: String }

  private func mark(_ device: Device, _ id: String) throws -> Answer {
    let digest = try device.ask("GET /api/documents/\(id)").decode(Text.self).digest
    return try device.ask(
      "POST /api/actions/highlight.mark",
      body: """
        {"document":"\(id)","passage":{"ranges":[{"start":0,"end":5}],"text":"\(digest)"}}
        """)
  }

  @Test func `a read-only device cannot change anything`() throws {
    try served.diple("mark", "a.md", "\"quick\"")
    let device = try Device.paired(served)
    let id = try served.id()
    func highlights() throws -> NSDictionary? {
      let body = try served.act("highlight.list").body
      return try JSONSerialization.jsonObject(with: Data(body.utf8)) as? NSDictionary
    }
    let before = try #require(try highlights())
    let body = try served.act("highlight.list").body
    #expect(body.contains("\"quote\":\"quick\""))
    for line in [
      "POST /api/actions/highlight.mark", "POST /api/actions/passage.format",
      "POST /api/actions/highlight.change", "POST /api/actions/highlight.remove",
      "POST /api/actions/highlight.restore", "POST /api/actions/highlight.accept",
      "POST /api/actions/highlight.detach", "POST /api/actions/history.undo",
      "POST /api/actions/history.redo", "POST /api/actions/none",
    ] {
      let answer = try device.ask(line)
      #expect(answer.status == 403, "\(line): \(answer)")
      #expect(answer.body.contains("this device may only read"), "\(answer)")
      // The command uses the id, because a name may contain anything.
      #expect(answer.body.contains(/diple serve allow [0-9a-f]{8}/), "\(answer)")
    }
    #expect(try highlights() == before)
    for action in [
      "document.remove", "document.restore", "document.rename", "document.link", "document.unlink",
    ] {
      let answer = try device.ask(
        "POST /api/actions/\(action)", body: "{\"document\":\"\(id)\"}")
      #expect(answer.status == 403, "\(action): \(answer)")
    }
    for (action, request) in [
      ("document.statistics", "{\"document\":\"\(id)\"}"), ("document.list", "{}"),
      ("highlight.list", "{}"), ("highlight.review", "{}"),
      ("library.search", "{\"query\":\"fox\"}"), ("library.strategies", "{}"),
      ("document.find", "{\"document\":\"\(id)\",\"query\":\"fox\"}"),
      (
        "passage.copy",
        "{\"document\":\"\(id)\",\"passage\":{\"spec\":\"word:1\"},\"as\":\"md\"}"
      ), ("style.list", "{}"), ("query.list", "{}"),
    ] {
      let answer = try device.ask("POST /api/actions/\(action)", body: request)
      #expect(answer.status == 200, "\(action): \(answer)")
    }
    for path in [
      "/api/library", "/api/documents/\(id)", "/api/documents/\(id)/body",
    ] {
      #expect(try device.ask("GET \(path)").status == 200, "\(path)")
    }
  }

  @Test func `a read-only device keeps its reading place, which is the user's`() throws {
    let device = try Device.paired(served)
    let id = try served.id()
    let digest = try device.ask("GET /api/documents/\(id)").decode(Text.self).digest
    let kept = try device.ask(
      "POST /api/actions/reading.keep",
      body: """
        {"document":"\(id)","offset":7,"text":"\(digest)","percent":40}
        """)
    #expect(kept.status == 200, "\(kept)")
    let shown = try served.act("reading.show", "{\"document\":\"\(id)\"}")
    #expect(shown.body.contains("\"offset\":7,\"percent\":40"), "\(shown)")
    #expect(try served.get("/api/library").body.contains("\"percent\":40"))
    // Offsets that the text lacks are clamped.
    let far = try device.ask(
      "POST /api/actions/reading.keep",
      body: """
        {"document":"\(id)","offset":2147483647,"text":"\(digest)","percent":900}
        """)
    #expect(far.status == 200 && far.body.contains("\"percent\":100"), "\(far)")
    #expect(try served.act("reading.show", "{\"document\":\"\(id)\"}").status == 200)
  }

  @Test func `a change of a device's rights takes effect immediately`() throws {
    let device = try Device.paired(served)
    let id = try served.id()
    let page = try device.listen("?doc=\(id)")
    #expect(try page.text(until: "\"mayWrite\":false").contains("event: access"))
    #expect(try mark(device, id).status == 403)
    try served.diple("serve", "allow", "Phone")
    #expect(try mark(device, id).status == 200)
    _ = try page.text(until: "\"mayWrite\":true", within: 1)
    page.forget()
    try served.diple("serve", "allow", "Phone", "--read")
    #expect(try device.ask("POST /api/actions/history.undo").status == 403)
    _ = try page.text(until: "\"mayWrite\":false", within: 1)
  }

  @Test func `the rights are checked when a request is complete`() throws {
    let device = try Device.paired(served)
    try served.diple("serve", "allow", "Phone")
    let slow = try Connection(served.port, address: Device.address)
    let text = device.request("POST /api/actions/history.undo", body: "{\"document\":null}")
    try slow.send(String(text.dropLast(3)))
    try served.diple("serve", "allow", "Phone", "--read")
    try slow.send(String(text.suffix(3)))
    #expect(try slow.answer().status == 403)
  }

  @Test func `a revoked device loses access within a second`() throws {
    let device = try Device.paired(served)
    let other = try Device.paired(served, name: "Other")
    let page = try device.listen()
    let open = try Connection(served.port, address: Device.address)
    try open.send(device.request("GET /api/library"))
    #expect(try open.answer().status == 200)
    let otherPage = try other.listen()
    try served.diple("serve", "revoke", "Phone")
    #expect(try device.ask("GET /api/library").status == 401)
    try page.waitForEnd(within: 1)
    try open.waitForEnd(within: 1)
    #expect(try other.ask("GET /api/library").status == 200)
    otherPage.forget()
    try served.diple("serve", "allow", "Other")
    _ = try otherPage.text(until: "\"mayWrite\":true", within: 1)
    #expect(try served.code(of: "serve", "revoke", "Phone") == 4)
  }

  @Test func `the owner can allow and revoke devices in the local browser`() throws {
    let device = try Device.paired(served)
    let page = try Connection(served.port)
    try page.send(served.request("GET /api/events"))
    _ = try page.text(until: "event: state")
    struct List: Decodable {
      struct Entry: Decodable {
        var id: String
        var name: String
        var mayWrite: Bool
      }
      var devices: [Entry]
      var address: String?
    }
    let list = try served.get("/api/devices").decode(List.self)
    #expect(list.address == "http://\(device.host)/")
    let entry = try #require(list.devices.first)
    #expect(entry.name == "Phone" && !entry.mayWrite)
    #expect(try served.get("/api/library").body.contains("\"devices\":1"))
    let path = "/api/devices/\(entry.id)"
    let phone = try device.listen()
    #expect(try served.post(path, "{\"mayWrite\":true}", method: "PATCH").status == 200)
    _ = try phone.text(until: "\"mayWrite\":true", within: 1)
    _ = try page.text(until: "event: devices", within: 1)
    for line in ["GET /api/devices", "PATCH \(path)", "DELETE \(path)"] {
      let answer = try device.ask(line, body: line.hasPrefix("GET") ? "" : "{\"mayWrite\":true}")
      #expect(answer.status == 403, "\(line): \(answer)")
    }
    #expect(!(try device.ask("GET /api/library").body.contains("\"devices\"")))
    #expect(!(try phone.text(until: "event: access").contains("event: devices")))
    #expect(try served.post(path, method: "DELETE").status == 200)
    try phone.waitForEnd(within: 1)
    #expect(try device.ask("GET /api/library").status == 401)
    #expect(try served.post(path, method: "DELETE").status == 404)
    #expect(try served.post("/api/devices/..%2fx", method: "DELETE").status == 400)
  }

  @Test func `after a restart devices keep their access, and logins end`() throws {
    let device = try Device.paired(served)
    try served.diple("serve", "allow", "Phone")
    try served.restart(["--lan", Device.address])
    let library = try device.ask("GET /api/library")
    #expect(library.status == 200 && library.body.contains("\"mayWrite\":true"), "\(library)")
    #expect(try served.get("/api/library").status == 401)
    // Without --lan the server does not listen on the network.
    try served.restart([])
    #expect(throws: (any Error).self) { try Connection(served.port, address: Device.address) }
    let text = served.request("GET /api/library", host: device.host, fields: device.cookie)
    #expect(try served.exchange(text).status == 421)
  }

  @Test func `a token is invalid for the server of another library`() throws {
    let device = try Device.paired(served)
    let other = try Served(words: ["--lan", Device.address])
    let there = Device(served: other)
    let token = device.cookie.split(separator: "=")[1].prefix { !$0.isNewline }
    let name = try Device.paired(other).cookie.dropFirst(8).prefix { $0 != "=" }
    #expect(try there.ask("GET /api/library", fields: device.cookie).status == 401)
    #expect(try there.ask("GET /api/library", fields: "Cookie: \(name)=\(token)\r\n").status == 401)
  }

  @Test func `a damaged device list admits no device, and the error contains the remedy`() throws {
    let device = try Device.paired(served)
    let name = try served.folder.shell("ls home/.local/state/diple/devices | grep 'json$'")
      .trimmingCharacters(in: .whitespacesAndNewlines)
    let path = "home/.local/state/diple/devices/\(name)"
    let good = try served.folder.read(path)
    try served.folder.write(path, "{\"version\":1,\"devices\":[{}]}")
    try served.folder.shell("chmod 600 '\(path)'")
    #expect(try device.ask("GET /api/library").status == 401)
    let shown = try served.get("/api/devices")
    #expect(shown.status == 500 && shown.body.contains("remove the file"), "\(shown)")
    #expect(try served.get("/api/library").status == 200)
    for words in [["devices"], ["revoke", "Phone"], ["--port", "0", "--lan", Device.address]] {
      #expect(try served.code(of: "serve", words) == 8, "\(words)")
    }
    try served.folder.write(path, good)
    try served.folder.shell("chmod 666 '\(path)'")
    #expect(try device.ask("GET /api/library").status == 401)
    #expect(try served.code(of: "serve", ["--port", "0", "--lan", Device.address]) == 6)
    try served.folder.shell("chmod 600 '\(path)'")
    #expect(try device.ask("GET /api/library").status == 200)
    try served.folder.remove(path)
    #expect(try device.ask("GET /api/library").status == 401)
  }
}
