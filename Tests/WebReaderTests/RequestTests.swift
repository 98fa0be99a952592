import Testing

@testable import WebReader

/// Addresses and heads, without a socket.
@Suite struct RequestTests {
  @Test func `addresses are taken apart`() throws {
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
  func `what is no address of the server`(text: String) { #expect(RequestTarget(text) == nil) }

  @Test func `a part of an address comes back as it was`() {
    for name in ["a.png", "é ü/%?#&+.png", "日本", "\"'<>"] {
      let path = RequestTarget("/files/" + RequestTarget.encoded(name))?.path
      // A slash can be no part of a name.
      #expect(path == (name.contains("/") ? nil : ["files", name]), "\(name)")
    }
  }

  @Test func `each address has its methods`() {
    #expect(Route.methods(of: []) == ["GET"])
    #expect(Route.methods(of: ["api", "devices", "1"]) == ["PATCH", "DELETE"])
    #expect(Route.methods(of: ["api", "documents", "1", "format"]) == ["GET"])
    #expect(Route.methods(of: ["api", "actions", "history.undo"]) == ["POST"])
    #expect(Route.methods(of: ["api"]) == [])
    #expect(Route.access("GET", ["api", "library"]) == .reading)
    #expect(Route.access("GET", ["files", "1", "a.png"]) == .reading)
    #expect(Route.access("POST", ["api", "login"]) == .login)
    #expect(Route.access("GET", ["d", "1"]) == .everybody)
  }

  @Test func `every address with something of the library asks who wants it`() {
    // The pages that need no login hold nothing, and a new address is not forgotten.
    for path in [
      ["api", "x"], ["api", "documents", "1", "new"], ["files"], ["api", "login", "x"],
      ["api", "pair", "x"],
    ] {
      #expect(Route.access("GET", path) == .reading, "\(path)")
      #expect(Route.access("POST", path) == .writing, "\(path)")
    }
  }

  @Test func `pictures are known by what they are`() {
    #expect(PictureType.of(Array("<svg xmlns='http://www.w3.org/2000/svg'/>".utf8)) == nil)
    #expect(PictureType.of(Array("<!doctype html>".utf8)) == nil)
    #expect(PictureType.of([]) == nil)
    let webp = Array("RIFF".utf8) + [8, 0, 0, 0] + Array("WEBPVP8 ".utf8) + [0, 0, 0, 0]
    #expect(PictureType.of(webp) == "image/webp")
  }
}
