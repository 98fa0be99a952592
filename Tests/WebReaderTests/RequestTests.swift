import Testing

@testable import WebReader

/// Tests addresses and request heads without a socket.
@Suite struct RequestTests {
  @Test func `an address is split into its path and query`() throws {
    let target = try #require(RequestTarget("/api/search?q=a%20b+c&limit=3&q=x&empty="))
    #expect(target.path == ["api", "search"])
    #expect(target.query == ["q": "a b c", "limit": "3", "empty": ""])
    #expect(RequestTarget("/")?.path == [])
    #expect(RequestTarget("/files/1/%C3%A9%20%2B+.png")?.path == ["files", "1", "é ++.png"])
  }

  @Test(arguments: [
    "", "x", "*", "http://127.0.0.1/", "//", "/a//b", "/a/", "/a/../b", "/..", "/%2e%2e/b",
    "/a%2fb", "/%00", "/%7f", "/%0a", "/%", "/%4", "/%zz", "/a#b", "/a b", "/é", "/%ff", "/.",
    "/a?q=%ff", "/a?q=%",
  ])
  func `parsing an invalid address returns nil`(text: String) {
    #expect(RequestTarget(text) == nil)
  }

  @Test func `a part of a path is equal after encoding and decoding`() {
    for name in ["a.png", "é ü/%?#&+.png", "日本", "\"'<>"] {
      let path = RequestTarget("/files/" + RequestTarget.encoded(name))?.path
      // A part of an address cannot contain a slash.
      #expect(path == (name.contains("/") ? nil : ["files", name]), "\(name)")
    }
  }

  @Test func `each address has the expected methods and access`() {
    #expect(Route.methods(of: []) == ["GET"])
    #expect(Route.methods(of: ["api", "devices", "1"]) == ["PATCH", "DELETE"])
    #expect(Route.methods(of: ["api", "documents", "1", "body"]) == ["GET"])
    #expect(Route.methods(of: ["api", "actions", "history.undo"]) == ["POST"])
    #expect(Route.methods(of: ["api"]) == [])
    #expect(Route.access("GET", ["api", "library"]) == .reading)
    #expect(Route.access("GET", ["files", "1", "a.png"]) == .reading)
    #expect(Route.access("POST", ["api", "login"]) == .login)
    #expect(Route.access("GET", ["d", "1"]) == .everybody)
  }

  @Test func `unknown addresses require a login`() {
    // Only listed pages are public, so a new address is protected by default.
    for path in [
      ["api", "x"], ["api", "documents", "1", "new"], ["files"], ["api", "login", "x"],
      ["api", "pair", "x"],
    ] {
      #expect(Route.access("GET", path) == .reading, "\(path)")
      #expect(Route.access("POST", path) == .writing, "\(path)")
    }
  }

  @Test func `the type of a picture is detected from its content`() {
    let svg = "<svg xmlns='http://www.w3.org/2000/svg'/>"
    #expect(PictureType.of(Array(svg.utf8)) == "image/svg+xml")
    #expect(PictureType.of(Array("<!DOCTYPE svg [<!ENTITY a 'b'>]>\(svg)".utf8)) == nil)
    #expect(PictureType.of(Array("<!doctype html>".utf8)) == nil)
    #expect(PictureType.of([]) == nil)
    let webp = Array("RIFF".utf8) + [8, 0, 0, 0] + Array("WEBPVP8 ".utf8) + [0, 0, 0, 0]
    #expect(PictureType.of(webp) == "image/webp")
  }
}
