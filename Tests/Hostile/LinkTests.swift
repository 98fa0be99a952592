import Foundation
import Model
import Testing

/// Tests that links of documents are followed only if they lead to a web page, an e-mail address or
/// a local file.
@Suite struct LinkTests {
  static let bad = [
    "javascript:alert(1)", "JaVaScRiPt:alert(1)", "java\tscript:alert(1)", "%6aavascript:alert(1)",
    "javascript%3aalert(1)", "\u{1}javascript:alert(1)", "data:text/html,x", "vbscript:x",
    "file:///etc/passwd", "file://host/etc/passwd", "file:/etc/passwd", "//host/x", "\\\\host\\x",
    "ssh://-oProxyCommand=x", "java\u{AD}script:x", " javascript:x",
  ]

  @Test(arguments: bad) func `an unsafe address is rejected`(address: String) {
    #expect(!LinkSafety.isSafe(address))
    #expect(!LinkSafety.isSafe(address, below: "/home/me/notes"))
  }

  @Test func `a safe address is accepted, and that of a file only below the folder`() {
    for address in [
      "https://example.org/a?b#c", "HTTP://example.org", "mailto:a@example.org", "other.md",
      "#part",
      "../a b.md", "a%20b.md", "one/two:three.md", "?q=a:b",
    ] { #expect(LinkSafety.isSafe(address), "\(address)") }
    #expect(LinkSafety.isSafe("file:///home/me/notes/a.md", below: "/home/me/notes"))
    #expect(!LinkSafety.isSafe("file:///home/me/notes/../.ssh/id", below: "/home/me/notes"))
    #expect(!LinkSafety.isSafe("file:///home/me/notes/%2e%2e/x", below: "/home/me/notes"))
    #expect(!LinkSafety.isSafe("file:///home/me/notes2/a.md", below: "/home/me/notes"))
  }

  @Test(arguments: ["javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "vbscript:x"])
  func `copies, terminals and programs receive no unsafe address`(address: String) throws {
    let victim = try Victim()
    try victim.write(
      "clone/a.md", "A [word](\(address)) and ![one](\(address)), [good](https://example.org).\n")
    try victim.write(
      "bin/xdg-open", "#!/bin/sh\necho \"$1\" >> '\(victim.path("opened"))'\n")
    try victim.shell("chmod +x ../bin/xdg-open")
    victim.environment["PATH"] = victim.path("bin") + ":" + victim.environment["PATH"]!
    #expect(try victim.diple("init").code == 0)
    #expect(try victim.diple("add", "a.md").code == 0)
    for form in ["html", "md"] {
      let copied = try victim.diple("copy", "a.md", "all", "--as", form, "--print")
      #expect(copied.code == 0 && copied.output.contains("https://example.org"), "\(copied)")
      #expect(!copied.output.contains(address), "\(form): \(copied)")
    }
    for form in ["text", "markdown", "svg"] {
      let card = try victim.diple("share", "a.md", "all", "--format", form)
      #expect(card.code == 0 && !card.output.contains(address), "\(form): \(card)")
      // In an SVG the letters are outlines, not text.
      #expect(card.output.contains(form == "svg" ? "<svg" : "word"), "\(form): \(card)")
    }
    try victim.write("bin/wl-copy", "#!/bin/sh\ncat > '\(victim.path("clip"))'\n")
    try victim.shell("chmod +x ../bin/wl-copy")
    victim.environment["DIPLE_COPY_TO"] = "wl-copy"
    for form in ["html", "md"] {
      let copied = try victim.diple("copy", "a.md", "all", "--as", form)
      #expect(copied.code == 0, "\(copied)")
      let clip = try victim.read("clip")
      #expect(clip.contains("https://example.org") && !clip.contains(address), "\(form): \(clip)")
    }
    let shown = try victim.diple("show", "a.md", "--color", "always")
    #expect(!shown.output.contains("\u{1B}]8;;\(address)"), "\(shown)")
    for number in ["1", "2", "3"] {
      _ = try victim.diple("follow", "a.md", number, "--open")
    }
    #expect((try? victim.read("opened")) == "https://example.org\n")
  }

  @Test func `invisible characters of an address are percent-encoded`() {
    #expect(LinkSafety.encoded("https://a.b/ü?c=%20#d") == "https://a.b/ü?c=%20#d")
    #expect(
      LinkSafety.encoded("http://a\u{1B}[2J b\u{202E}\u{9B}") == "http://a%1B[2J%20b%E2%80%AE%C2%9B"
    )
  }

  @Test func `links of a cloned library open no file outside of it`() throws {
    let victim = try Victim()
    try victim.write("outside.md", "# Secret\n")
    try victim.write(
      "clone/a.md",
      "[a](../outside.md) [b](/etc/passwd) <a href='%2e%2e/outside.md'>c</a> [d](in.md) [[sym]] [[in]]\n"
    )
    try victim.write("clone/in.md", "# Inside\n")
    try victim.shell("mkdir .obsidian; ln -s ../outside.md sym.md")
    #expect(try victim.diple("init").code == 0)
    #expect(try victim.diple("add", "a.md", "in.md").code == 0)
    let links = (1...6).compactMap { try? victim.diple("follow", "a.md", "\($0)") }
    #expect(links.map(\.code) == [4, 4, 4, 0, 4, 0], "\(links)")
    #expect(links.allSatisfy { !$0.output.contains("outside") && !$0.output.contains("passwd") })
  }
}
