import Foundation
import Testing

/// Tests that links to programs and to the user's files are neither imported from other programs'
/// files nor exported to them.
@Suite struct ForeignLinkTests {
  static let addresses = [
    "javascript:alert(1)", "JaVaScRiPt:alert(1)", "vbscript:x", "data:text/html,x",
    "file:///etc/passwd", "file://host/share/x.exe", "/etc/passwd", "//host/x",
  ]

  private static func isInstalled(_ program: String) -> Bool {
    FileManager.default.isExecutableFile(atPath: "/usr/bin/\(program)")
  }

  private static func rtf(_ addresses: [String]) -> String {
    let links = addresses.enumerated().map { number, address in
      #"{\field{\*\fldinst{HYPERLINK ""# + address
        + #""}}{\fldrslt word\#(number)}}\par"#
    }
    return #"{\rtf1\ansi "# + links.joined(separator: "\n") + "}"
  }

  private func check(_ text: String, _ what: String) {
    let text = text.lowercased()
    for address in Self.addresses {
      // A path counts as an address only after a quotation mark or a bracket.
      let signs =
        address.hasPrefix("/") ? ["\"\(address)", "(\(address)", "<\(address)"] : [address]
      for sign in signs {
        #expect(!text.contains(sign.lowercased()), "\(what) has \(address): \(text.prefix(2000))")
      }
    }
    #expect(text.contains("https://example.org"), "\(what): \(text.prefix(2000))")
  }

  private func makeLibrary(_ victim: Victim) throws {
    // Links are also written as references, entities and footnotes.
    let links = Self.addresses.enumerated().map { "[word\($0)](<\($1)>) ![picture](<\($1)>)" }
    try victim.write(
      "clone/a.md",
      (links + [
        "[good](https://example.org)", "[entity](&#106;avascript:alert(1))",
        "[a]", "", "[a]: javascript:alert(1)", "", "A note[^1].", "", "[^1]: [n](vbscript:x)",
      ]).joined(separator: "\n\n") + "\n")
    #expect(try victim.diple("init").code == 0)
    #expect(try victim.diple("add", "a.md").code == 0)
  }

  @Test func `RTF and attributed text import no links to programs and files`() throws {
    let victim = try Victim()
    #expect(try victim.diple("init").code == 0)
    try victim.write("clone/in.rtf", Self.rtf(Self.addresses + ["https://example.org"]))
    let added = try victim.diple("add", "in.rtf", "-o", "in.md")
    #expect(added.code == 0, "\(added)")
    #expect("\(added)".contains("links to programs and files: \(Self.addresses.count)"), "\(added)")
    let text = try victim.read("clone/in.md")
    check(text, "Markdown")
    #expect(text.contains("word0"))
    // Import the same links from Diple's own JSON.
    try victim.write(
      "clone/out.md", "[good](https://example.org) [bad](https://bad.example)\n")
    #expect(try victim.diple("add", "out.md").code == 0)
    #expect(
      try victim.diple("export", "out.md", "--to", "attributed-json", "-o", "x.json").code == 0)
    try victim.write(
      "clone/x.json",
      try victim.read("clone/x.json").replacing("https://bad.example", with: "javascript:alert(1)"))
    let json = try victim.diple("add", "x.json", "-o", "json.md")
    #expect(json.code == 0, "\(json)")
    check(try victim.read("clone/json.md"), "Markdown of JSON")
  }

  @Test(arguments: ["rtf", "attributed-json"])
  func `text formats export no links to programs and files`(form: String) throws {
    let victim = try Victim()
    try makeLibrary(victim)
    let result = try victim.diple("export", "a.md", "--to", form, "-o", "out")
    #expect(result.code == 0 && result.errors.contains("links to programs"), "\(result)")
    // JSON may escape slashes. In RTF, nothing divides or escapes an address.
    check(try victim.read("clone/out").replacing("\\/", with: "/"), form)
  }

  @Test(
    .enabled(
      if: isInstalled("soffice") && isInstalled("unzip"), "LibreOffice or unzip is not installed"))
  func `word-processor documents neither export nor import links to programs and files`() throws {
    let victim = try Victim()
    try makeLibrary(victim)
    for (form, part) in [("docx", "word/_rels/document.xml.rels"), ("odt", "content.xml")] {
      let result = try victim.diple("export", "a.md", "--to", form, "-o", "out.\(form)")
      try #require(result.code == 0, "\(result)")
      check(try victim.shell("unzip -p out.\(form) \(part)"), form)
    }
    try victim.write("in.rtf", Self.rtf(Self.addresses + ["https://example.org"]))
    try victim.shell("soffice --headless --convert-to docx --outdir . ../in.rtf")
    let added = try victim.diple("add", "in.docx", "-o", "in.md")
    #expect(added.code == 0, "\(added)")
    check(try victim.read("clone/in.md"), "Markdown")
  }

  @Test(
    .enabled(if: isInstalled("pandoc") && isInstalled("unzip"), "pandoc or unzip is not installed"))
  func `EPUB exports no links to programs and files`() throws {
    let victim = try Victim()
    try makeLibrary(victim)
    let result = try victim.diple("export", "a.md", "--to", "epub", "-o", "out.epub")
    try #require(result.code == 0, "\(result)")
    check(try victim.shell("unzip -p out.epub 'EPUB/text/*.xhtml'"), "EPUB")
  }

  /// XML does not allow control characters, so a book with them cannot be opened.
  @Test(arguments: ["rtf", "attributed-json", "everything", "docx", "odt", "epub"])
  func `exports of whole documents contain no control characters`(form: String) throws {
    let isArchive = ["docx", "odt", "epub"].contains(form)
    guard !isArchive || ["unzip", "soffice", "pandoc"].allSatisfy(Self.isInstalled) else { return }
    let victim = try Victim()
    try victim.write("clone/a.md", "# T\u{1}\u{9B}\n\nA\u{7}\u{1B}[31m b\u{85}c\u{7F} \u{C}d\n")
    #expect(try victim.diple("init").code == 0)
    #expect(try victim.diple("add", "a.md").code == 0)
    let words = form == "everything" ? ["--everything"] : ["a.md", "--to", form]
    let result = try victim.run("diple", ["export", "-o", "out"] + words)
    try #require(result.code == 0, "\(result)")
    let text =
      isArchive
      ? try victim.shell("unzip -p out '*.xml' '*.xhtml' '*.opf' '*.ncx' 2>/dev/null || true")
      : try victim.read("clone/out")
    let found = text.unicodeScalars.filter {
      $0.value < 0x20 && !"\t\n\r".unicodeScalars.contains($0) || (0x7F..<0xA0).contains($0.value)
    }
    #expect(found.isEmpty && !text.isEmpty, "\(found.map { String($0.value, radix: 16) })")
    // RTF writes all but ASCII as numbers.
    for number in [1, 7, 0x7F, 0x85, 0x9B] where form == "rtf" {
      #expect(!text.contains("\\u\(number)\\"), "\(number)")
    }
  }

  @Test func `HTML and Markdown copies contain no picture of another folder`() throws {
    let victim = try Victim()
    try victim.write(
      "clone/a.md",
      """
      ![a](/etc/passwd) ![b](../secret.png) ![c](in/../../secret.png) ![d](%2e%2e/secret.png)
      ![e](file:///etc/passwd) ![f](..\\\\secret.png) ![g](in/picture.png) ![h](%2fetc/passwd)

      """)
    #expect(try victim.diple("init").code == 0)
    #expect(try victim.diple("add", "a.md").code == 0)
    for form in ["html", "md"] {
      let copied = try victim.diple("copy", "a.md", "all", "--as", form, "--print")
      #expect(copied.code == 0 && copied.output.contains("in/picture.png"), "\(copied)")
      for word in ["passwd", "secret"] {
        #expect(!copied.output.contains(word), "\(form): \(copied.output)")
      }
    }
  }
}
