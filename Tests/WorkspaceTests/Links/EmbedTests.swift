import BuiltIn
import Foundation
import LibrarySupport
import MarkdownParse
import Model
import Rendering
import SystemSupport
import TestSupport
import Testing

@testable import Workspace

/// Tests the notes and pictures that a document shows in place.
@Suite struct EmbedTests {
  let bench: LibraryBench
  let folder: String

  init() throws {
    bench = try LibraryBench()
    folder = FileSystem.absolute(bench.folder)
    try bench.write(".obsidian/x", "")
  }

  /// Adds a document and returns its page on a terminal of 40 columns, with the embeds.
  private func lines(_ name: String) async throws -> [String] {
    let library = try bench.open()
    _ = try await library.add([folder.appending(name)])
    let open = try await library.open(try await library.document(folder.appending(name)))
    var options = PageOptions(width: 40)
    options.embeds = await library.embeds(
      in: open.parsed, file: folder.appending(name), of: open.document)
    let page = Page(document: open.parsed, options: options)
    let lines = PageLayout.lines(of: page)
    // The text and its offsets are those of the document alone.
    options.embeds = nil
    let plain = PageLayout.lines(of: Page(document: open.parsed, options: options))
    #expect(
      lines.flatMap { $0.spans.compactMap(\.range) }
        == plain.flatMap {
          $0.spans.compactMap(\.range)
        })
    return lines.map { $0.spans.map(\.text).joined() }
  }

  @Test func `a note, a section and a block are shown below the paragraph`() async throws {
    try bench.write(
      "b.md", "# B\n\nFirst [c](c.md).\n\n## Part\n\n- one\n- two ^two\n\n## Rest\n\nx\n")
    try bench.write("a.md", "Before ![[b#Part]].\n\n- ![[b#^two]]\n\nAfter.\n\n![[b]]\n")
    let lines = try await lines("a.md")
    #expect(
      lines == [
        "Before embed: b > Part[1].", "│ b › Part", "│ ## Part", "│", "│ • one", "│ • two", "",
        "• embed: b[2]", "  │ b", "  │ • two", "", "After.", "", "embed: b[3]", "│ b", "│ # B", "│",
        "│ First c.", "│", "│ ## Part", "│", "│ • one", "│ • two", "│", "│ ## Rest", "│", "│ x", "",
        "[1] [[b#Part]]", "[2] [[b#^two]]", "[3] [[b]]",
      ])
  }

  @Test func `cycles, depth and missing notes are lines`() async throws {
    try bench.write("a.md", "![[b]] ![[none]] ![[b#none]]\n")
    try bench.write("b.md", "B ![[c]]\n")
    try bench.write("c.md", "C ![[d]] ![[a]]\n")
    try bench.write("d.md", "D ![[e]]\n")
    try bench.write("e.md", "E\n")
    let lines = try await lines("a.md")
    #expect(lines.contains("│ │ │ d"))
    #expect(lines.contains("│ │ │ │ e is not shown at this depth"))
    #expect(lines.contains("│ │ │ a is not shown inside itself"))
    #expect(lines.contains("│ there is no note 'none'"))
    #expect(lines.contains("│ b › none: there is no heading '#none'"))
    #expect(!lines.contains { $0.hasSuffix("E") })
  }

  @Test func `only notes below the library's folder are read`() async throws {
    let outside = try WorkFolder()
    try outside.write("secret.md", "the secret\n")
    try FileManager.default.createSymbolicLink(
      atPath: folder.appending("link.md"), withDestinationPath: outside.path + "/secret.md")
    try bench.write("a.md", "![[link]]\n\n![[\(outside.path)/secret]]\n\n![[../secret]]\n")
    let lines = try await lines("a.md")
    #expect(!lines.contains { $0.contains("the secret") })
    #expect(lines.count { $0.hasPrefix("│ there is no note") } == 3)
  }

  /// Each note embeds the next one ten times, so that the whole would have a thousand copies of the
  /// last and largest.
  @Test(.timeLimit(.minutes(1)))
  func `the total size is limited`() async throws {
    for (name, next) in [("a", "b"), ("b", "c"), ("c", "d")] {
      try bench.write(
        "\(name).md", (0..<10).map { _ in "![[\(next)]]\n" }.joined(separator: "\n"))
    }
    try bench.write("d.md", String(repeating: "Some words.\n\n", count: 20_000))
    let lines = try await lines("a.md")
    #expect(lines.count < 400_000)
    #expect(lines.contains { $0.contains("d is not shown: the page embeds") })
  }

  @Test func `a page has the content of embeds outside its text`() async throws {
    try bench.write("b.md", "# B\n\n<b>x</b> [[a]] [z](z.md) [^1]\n\n[^1]: note\n")
    try bench.write("a.md", "Before ![[b]] and [[b#B|link]].\n")
    let library = try bench.open()
    _ = try await library.add([folder.appending("a.md")])
    let open = try await library.open(try await library.document(folder.appending("a.md")))
    var options = HTMLOptions()
    options.noteAddress = { $0 == "[[b#B]]" ? "/d/1#t-B" : nil }
    let without = HTMLBody(Page(document: open.parsed), options: options).html
    options.embeds = await library.embeds(
      in: open.parsed, file: folder.appending("a.md"), of: open.document)
    let html = HTMLBody(Page(document: open.parsed), options: options).html
    #expect(html.hasPrefix(without.trimmingCharacters(in: .newlines)))
    #expect(without.contains("<a href=\"/d/1#t-B\"><span"))
    let embed = html.dropFirst(without.count)
    #expect(embed.hasPrefix("<aside class=\"embed\" data-x>"))
    #expect(embed.contains("<h1 data-e dir=\"auto\"><span>B</span></h1>"))
    for attribute in ["data-b", "data-o", " id=", " href="] {
      #expect(!embed.contains(attribute), "\(attribute)")
    }
  }
}
