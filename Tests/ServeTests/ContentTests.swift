import Foundation
import TestSupport
import Testing

/// Tests which documents and files beside them a page shows, and how.
@Suite struct ContentTests {
  private struct Body: Decodable {
    struct Part: Decodable {
      var key: String
      var offset: Int
      var length: Int
      var html: String
    }
    var parts: [Part]
    var length: Int
    var html: String { parts.map(\.html).joined() }
  }

  private func body(_ served: Served, _ name: String = "a.md") throws -> Body {
    try served.get("/api/documents/\(try served.id(of: name))/body").decode(Body.self)
  }

  @Test func `a page runs no script of a document and loads nothing from other sites`() throws {
    let hostile = """
      # <script>alert(1)</script>

      <img src=x onerror=alert(1)> <svg onload=alert(1)> <iframe src="https://evil.example"></iframe>

      <script>
      alert(1)
      </script>

      [a](javascript:alert(1)) [b](java&Tab;script:alert(1)) [c](< javascript:alert(1)>)
      [d](data:text/html,x) [e](vbscript:x) [f](file:///etc/passwd) [g](/etc/passwd) [h](../../x.md)
      <javascript:alert(1)>

      ![i](https://evil.example/i.png) ![j](//evil.example/j.png) ![k](data:image/png;base64,AAAA)
      ![l](/etc/l.png) ![m](../m.png) ![n](file:///etc/n.png) ![o](x.png"onerror="alert(1))

      [p](https://example.org/?a=1&b="2) `<b>` "</span><b>"
      """
    let html = try body(Served(["a.md": hostile])).html
    let tags = Set(html.matches(of: /<([a-z0-9]+)/).map { String($0.1) })
    #expect(tags.isSubset(of: ["h1", "p", "span", "a", "code", "div", "img"]), "\(tags)")
    let sources = html.matches(of: /\ src="([^"]*)"/).map { String($0.1) }
    #expect(sources.allSatisfy { $0.hasPrefix("/files/") && !$0.contains("..") }, "\(sources)")
    let addresses = html.matches(of: /\ href="([^"]*)"/).map { String($0.1) }
    // A picture on another site is shown as its description, which links to the picture.
    #expect(
      addresses == ["https://evil.example/i.png", "https://example.org/?a=1&amp;b=&quot;2"],
      "\(addresses)")
    let attributes = Set(html.matches(of: /\ ([a-z-]+)="/).map { String($0.1) })
    #expect(
      attributes.isSubset(of: [
        "id", "data-b", "data-o", "data-n", "dir", "class", "src", "alt", "href", "rel",
      ]), "\(attributes)")
  }

  @Test func `links refer to documents of the library and to the web`() throws {
    let served = try Served([
      "a.md": "# A\n\n[b](b.md#two) [c](sub/c.md) [d](missing.md) [e](https://example.org/)\n",
      "b.md": "# B\n\n## Two\n", "sub/c.md": "# C\n",
    ])
    let html = try body(served).html
    let addresses = html.matches(of: /\ href="([^"]*)"/).map { String($0.1) }
    let (b, c) = (try served.id(of: "b.md"), try served.id(of: "sub/c.md"))
    #expect(addresses == ["/d/\(b)#t-two", "/d/\(c)", "https://example.org/"])
    let shell = try served.get("/d/\(b)")
    #expect(shell.status == 200)
    #expect(!shell.body.contains("Two"))
  }

  // MARK: - Pictures

  private static let png = Data(
    base64Encoded:
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
  )

  @Test func `pictures of a site are served from its folders only`() throws {
    let served = try Served([
      "hugo.toml": "", "content/a.md": "![p](/p.png) ![q](/q.png) ![r](/../s.png)\n",
    ])
    let folder = served.folder.path + "/docs"
    let png = try #require(Self.png)
    for path in ["static/p.png", "assets/q.png", "s.png", "private/p.png"] {
      let file = URL(filePath: "\(folder)/\(path)")
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try png.write(to: file)
    }
    try FileManager.default.createSymbolicLink(
      atPath: folder + "/static/link.png", withDestinationPath: "../s.png")
    let id = try served.id(of: "content/a.md")
    let html = try body(served, "content/a.md").html
    let sources = html.matches(of: /\ src="([^"]*)"/).map { String($0.1) }
    #expect(sources == ["/site/\(id)/static/p.png", "/site/\(id)/assets/q.png"])
    for source in sources {
      let answer = try served.get(source)
      #expect(answer.status == 200 && answer["content-type"] == "image/png", "\(source)")
    }
    for name in [
      "s.png", "private/p.png", "static/link.png", "static/%2e%2e/s.png", "hugo.toml", "static",
      "content/a.md",
    ] {
      #expect([400, 404].contains(try served.get("/site/\(id)/\(name)").status), "\(name)")
    }
  }

  @Test func `a note's links and embeds are shown, and a vault's pictures`() throws {
    let served = try Served([
      ".obsidian/x": "", "notes/a.md": "To [[B]].\n\n![[B#Part]]\n\n![[p.png]]\n",
      "B.md": "# B\n\n## Part\n\nThe *part*.\n",
    ])
    let png = try #require(Self.png)
    try png.write(to: URL(filePath: served.folder.path + "/docs/p.png"))
    let html = try body(served, "notes/a.md").html
    #expect(html.contains("href=\"/d/\(try served.id(of: "B.md"))\""))
    #expect(html.contains("<aside class=\"embed\" data-x>"))
    #expect(html.contains("<em><span>part</span></em>"))
    let id = try served.id(of: "notes/a.md")
    #expect(html.contains("<img src=\"/files/\(id)/p.png\" alt=\"\">"))
    #expect(try served.get("/files/\(id)/p.png").status == 200)
  }

  @Test func `pictures are served only from the library's folder`() throws {
    let served = try Served([
      "notes/a.md": "![p](p.png) ![q](in/q.png) ![r](../r.png) ![s](../../s.png)\n"
    ])
    let folder = served.folder.path
    let png = try #require(Self.png)
    let notes = folder + "/docs/notes"
    try FileManager.default.createDirectory(
      atPath: notes + "/in", withIntermediateDirectories: true)
    for path in [
      "notes/p.png", "notes/in/q.png", "notes/as.txt", "r.png", "../secret.png", "../s.png",
      ".diple/own.png",
    ] {
      try png.write(to: URL(filePath: folder + "/docs/" + path))
    }
    for (name, text) in [
      ("page.html", "<script>alert(1)</script>"), ("fake.png", "<script>alert(1)</script>"),
      ("fake.svg", "<html><svg onload=\"alert(1)\"/></html>"),
      ("entities.svg", "<!DOCTYPE svg [<!ENTITY a \"alert\">]><svg>&a;</svg>"),
      ("binary.svg", "<svg>\0</svg>"), ("open.svg", "<!-- alert <svg>"), ("short.svg", "<svg"),
      ("cut.png", "\u{89}PNG"), ("empty.png", ""),
    ] { try served.folder.write("docs/notes/" + name, text) }
    for (name, target) in [
      ("link.png", folder + "/secret.png"), ("up.png", "../r.png"), ("out", folder),
      ("control.png", "../.diple/own.png"),
      ("own.png", "p.png"), ("loop.png", "loop.png"), ("zero.png", "/dev/zero"),
    ] {
      try FileManager.default.createSymbolicLink(
        atPath: notes + "/" + name, withDestinationPath: target)
    }
    mkfifo(notes + "/pipe.png", 0o600)
    let id = try served.id(of: "notes/a.md")
    let own = ["p.png", "in/q.png", "as.txt", "own.png", "up.png"].map { "notes/" + $0 }
    for name in own + ["r.png"] {
      let answer = try served.get("/files/\(id)/\(name)")
      #expect(answer.status == 200, "\(name): \(answer)")
      #expect(answer["content-type"] == "image/png", "\(name)")
      #expect(answer["content-security-policy"] == "sandbox; default-src 'none'", "\(name)")
      #expect(answer["x-content-type-options"] == "nosniff", "\(name)")
    }
    let refused = [
      "../s.png", "%2e%2e/s.png", "..%2fs.png", "%2e%2e%2fs.png", "notes/../../s.png",
      "notes/..%2f..%2fs.png", "..%5cs.png", "%2fetc/passwd", "/etc/passwd", "%c0%ae%c0%ae/s.png",
      ".diple/own.png", "%zz", "~/r.png", "./r.png", "p.png",
    ]
    let refusedNotes = [
      "p.png%00.txt", "p.png/", "in//q.png", "p.png%", "link.png", "out/secret.png", "loop.png",
      "zero.png", "pipe.png", "page.html", "fake.png", "fake.svg", "entities.svg", "binary.svg",
      "open.svg", "short.svg", "cut.png", "empty.png", "a.md", "in", "missing.png", "control.png",
    ]
    for name in refused + refusedNotes.map({ "notes/" + $0 }) {
      let answer = try served.get("/files/\(id)/\(name)")
      #expect([400, 404].contains(answer.status), "\(name): \(answer)")
      #expect(!answer.body.contains("\u{89}PNG") && !answer.body.contains("alert"), "\(name)")
      #expect(!answer.body.contains(folder), "\(name): \(answer)")
    }
    // The page shows the reason in place of the picture.
    for (name, reason) in [
      ("missing.png", "no such picture"), ("link.png", "outside the library's folder"),
      ("fake.png", "only pictures in PNG, JPEG, GIF, WebP or SVG"),
    ] { #expect(try served.get("/files/\(id)/notes/\(name)").body.contains(reason), "\(name)") }
    let html = try body(served, "notes/a.md").html
    let sources = html.matches(of: /\ src="([^"]*)"/).map { String($0.1) }
    #expect(
      sources == ["notes/p.png", "notes/in/q.png", "r.png"].map { "/files/\(id)/\($0)" })
    #expect(
      html.contains("s</span><span class=\"why\" data-x> (outside the library's folder)"))
    for other in ["1-0000000000000001", "x", "..", id + "0"] {
      #expect(try [400, 404].contains(served.get("/files/\(other)/r.png").status), "\(other)")
    }
  }

  @Test func `drawings in SVG are served without the right to run or load anything`() throws {
    let served = try Served(["a.md": "![p](p.svg)\n"])
    for (name, start) in [
      ("p.svg", ""), ("declared.svg", "\u{FEFF}<?xml version=\"1.0\"?>\n<!-- by > hand -->\n"),
      ("typed.svg", "<!DOCTYPE svg PUBLIC \"-//W3C//DTD SVG 1.1//EN\" \"svg11.dtd\">\n"),
    ] {
      try served.folder.write(
        "docs/" + name,
        start + "<svg xmlns=\"http://www.w3.org/2000/svg\"><script>alert(1)</script></svg>\n")
      let answer = try served.get("/files/\(try served.id())/\(name)")
      #expect(answer.status == 200 && answer["content-type"] == "image/svg+xml", "\(name)")
      #expect(answer["content-security-policy"] == "sandbox; default-src 'none'")
      #expect(answer["x-content-type-options"] == "nosniff")
    }
    #expect(try body(served).html.contains("src=\"/files/\(try served.id())/p.svg\""))
  }

  @Test func `only the program's own static files are served`() throws {
    let served = try Served()
    let module = try served.get("/static/mapping.js")
    #expect(module["content-type"] == "text/javascript; charset=utf-8")
    for name in [
      "../Main.swift", "%2e%2e%2fMain.swift", "", "mapping.js/", "mapping.js%00", "LOGIN.JS",
    ] {
      #expect(try [400, 404].contains(served.get("/static/\(name)").status), "\(name)")
    }
  }
}
