import Foundation
import TestSupport
import Testing

@Suite(.enabled(if: WebServer.isAvailable)) struct AddPagesTests {
  private let bench: Workbench

  init() throws {
    bench = try Workbench()
    bench.environment["DIPLE_LIBRARY"] = bench.path(".diple")
  }

  private static let words = String(repeating: "Many words, and commas, of an article. ", count: 20)
  private static let page =
    "<html><head><title>A page</title></head><body><nav><a href=/>Home</a></nav>"
    + "<article><h1>A page</h1><p>\(words)</p><p>\(words)</p></article></body></html>"

  @Test func `adding a page again keeps the file, unless --again is passed`() throws {
    let server = try WebServer(["/page": Self.page])
    let address = server.address + "/page"
    let refused = try bench.diple("add", address)
    #expect(refused.code == 2)
    #expect(refused.errors.contains("--allow-private"))
    let dry = try bench.diple("add", "--dry-run", "--allow-private", address)
    #expect(dry.output == "would add A page.md  A page\n")
    #expect(!FileManager.default.fileExists(atPath: bench.path("A page.md")))
    let added = try bench.diple("add", "--allow-private", address)
    #expect(added.output == "added A page.md  A page\n")
    let text = try bench.read("A page.md")
    #expect(
      text.contains("url: \"\(address)\"") && text.contains("Many words") && !text.contains("Home"))
    try bench.write("A page.md", text + "\nMy own words.\n")
    let again = try bench.diple("add", "--allow-private", address + "#part")
    #expect(again.code == 1)
    #expect(again.output == "already in the library: A page.md  A page\n")
    #expect(again.errors.contains("--again"))
    #expect(try bench.read("A page.md").hasSuffix("My own words.\n"))
    #expect(
      try bench.diple("add", "--allow-private", "--again", address).output
        == "added A page-2.md  A page\n")
    #expect(try bench.diple("source", "show", "A page.md").output.contains(address))
    #expect(
      try bench.diple("add", "--allow-private", "--again", "-o", "A page.md", address).code == 6)
    try bench.diple("undo")
    #expect(try bench.diple("doc", "list").lines.count == 1)
  }

  @Test(arguments: [
    (
      "kill -ABRT $$", "diple-fetch: signal 6 (Aborted) ended it, so nothing was added",
      "; it may need more than 1 GiB of memory"
    ),
    ("exit 3", "diple-fetch: it ended with exit code 3, so nothing was added", ""),
  ]) func `a program that dies while it reads a page is reported in one line`(
    script: String, message: String, hint: String
  ) throws {
    try bench.write("page.html", Self.page)
    // The program is searched for beside `diple`.
    try FileManager.default.createDirectory(
      atPath: bench.path("bin"), withIntermediateDirectories: true)
    try FileManager.default.copyItem(
      at: Workbench.programs.appendingPathComponent("diple"),
      to: URL(fileURLWithPath: bench.path("bin/diple")))
    try bench.write("bin/diple-fetch", "#!/bin/sh\n\(script)\n")
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o755], ofItemAtPath: bench.path("bin/diple-fetch"))
    let added = try bench.run(bench.path("bin/diple"), ["add", "page.html"])
    #expect(added.code == 9 && added.output.isEmpty)
    #expect(added.errors.hasPrefix("diple: \(message)\(hint)"))
    #expect(added.errors.split(separator: "\n").count == 1)
    #expect(try bench.diple("doc", "list").lines.isEmpty)
  }

  @Test(arguments: [
    // In the first page the parser exceeds the limit, in the second the conversion.
    ("<br a=1 b=2>some words", 390_000),
    ("<p>" + String(repeating: "Many words. ", count: 6), 130_000),
  ]) func `a page that takes more than 8 times its size in memory is refused`(
    part: String, count: Int
  ) throws {
    let page = "<article>" + String(repeating: part, count: count)
    #expect(page.utf8.count > 8 << 20)
    try bench.write("page.html", page)
    let added = try bench.diple("add", "page.html")
    #expect(added.code == 2 && added.output.isEmpty)
    #expect(
      added.errors
        == "diple: \(bench.path("page.html")) takes more than 96 MiB of memory to read; split it\n")
    #expect(try bench.diple("doc", "list").lines.isEmpty)
  }

  @Test func `undo removes all documents of a book in one step`() throws {
    try BookMaker.write(
      BookMaker.entries(
        chapters: (1...12).map { ("c\($0).xhtml", "<p>Words of chapter \($0).</p>") }),
      to: bench.path("book.epub"))
    let added = try bench.diple("add", "book.epub")
    #expect(added.code == 0)
    #expect(added.lines.count == 13)
    #expect(added.lines.last == "added The Book/12-part-12.md  Part 12")
    #expect(try bench.diple("show", "The Book/03-part-3.md").output.contains("Words of chapter 3."))
    #expect(try bench.diple("add", "book.epub").code == 1)
    try bench.diple("undo")
    #expect(try bench.diple("doc", "list").lines.isEmpty)
    #expect(FileManager.default.fileExists(atPath: bench.path("The Book/01-part-1.md")))
    #expect(
      try bench.diple("add", "-o", "other", "book.epub").output.contains("added other/01-part-1.md")
    )
  }

  @Test func `a book of one text becomes one document, which is found again`() throws {
    try BookMaker.write(
      BookMaker.entries(
        chapters: [("title.xhtml", "<h1>The Book</h1>"), ("c.xhtml", "<p>All of the words.</p>")]),
      to: bench.path("book.epub"))
    #expect(try bench.diple("add", "book.epub").output == "added The Book.md  The Book\n")
    #expect(try bench.diple("doc", "list").lines.count == 1)
    let again = try bench.diple("add", "book.epub")
    #expect(again.code == 1)
    #expect(again.output == "already in the library: The Book.md  The Book\n")
    #expect(
      try bench.diple("add", "--again", "book.epub").output == "added The Book-2.md  The Book\n")
  }

  @Test func `adding a page fails with one message if diple-fetch is missing`() throws {
    try FileManager.default.createDirectory(
      atPath: bench.path("bin"), withIntermediateDirectories: true)
    try FileManager.default.copyItem(
      at: Workbench.programs.appendingPathComponent("diple"),
      to: URL(filePath: bench.path("bin/diple")))
    try bench.write("page.html", Self.page)
    let result = try bench.run(bench.path("bin/diple"), ["add", "page.html"])
    #expect(result.code == 4)
    #expect(
      result.errors
        == "diple: diple-fetch cannot be started: No such file or directory (it reads web pages and books); it must be installed next to diple\n"
    )
    #expect(
      try bench.diple("add", "ftp://example.org/x").errors
        == "diple: ftp://example.org/x is not an http or https address\n")
    #expect(try bench.diple("add", "-o", "x.md", "page.html", "page.html").code == 2)
  }

  @Test func `a pasted page is added like the same file`() throws {
    let kept = "<article><h1>A page</h1><p>\(Self.words)</p></article>"
    let left = String(repeating: "<p>\(Self.words)</p>", count: 9)
    let page =
      "<!DOCTYPE html><html><head><title>A page</title></head><body>\(kept)"
      + "<div class=sidebar>\(left)</div></body></html>"
    try bench.write("page.html", page)
    let message =
      "diple: the article has 10 % of the text of the page; --whole adds the whole page\n"
    let file = try bench.diple("add", "page.html", "-o", "file.md")
    #expect(file.errors.replacing(#/of [^ ]*page.html;/#, with: "of the page;") == message)
    let pasted = try bench.diple("add", "-", "-o", "pasted.md", input: "\n" + page)
    #expect(pasted.output == "added pasted.md  A page\n" && pasted.errors == message)
    #expect(try bench.read("pasted.md") == bench.read("file.md"))
    // A page has a title; a text about HTML is not a page.
    #expect(try bench.diple("add", "-", "--title", "Mine", input: page).code == 2)
    let about = try bench.diple("add", "-", input: "`<html>` begins a page.\n")
    #expect(about.output.hasSuffix("html begins a page\n"), "\(about)")
  }
}
