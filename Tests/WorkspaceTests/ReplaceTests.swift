import BuiltIn
import Editing
import Foundation
import LibrarySupport
import MarkdownParse
import Model
import Search
import SystemSupport
import Testing

@testable import Workspace

/// Tests replacing with the contents of groups.
@Suite final class ReplaceTests {
  let folder = NSTemporaryDirectory() + "/diple-replace-" + UUID().uuidString

  init() throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  private func library(_ text: String) async throws -> (Library, Document) {
    try Data(text.utf8).write(to: URL(filePath: folder + "/a.md"))
    let library = try Library(
      at: LibraryLocation(folder: folder + "/.diple"), plugins: .builtIn, opening: .create)
    _ = try await library.add([folder + "/a.md"])
    return (library, try await library.document("a.md"))
  }

  private func file() throws -> String {
    String(decoding: try Data(contentsOf: URL(filePath: folder + "/a.md")), as: UTF8.self)
  }

  private func request(_ pattern: String, _ replacement: String, source: Bool = false) throws
    -> ReplaceRequest
  {
    var request = ReplaceRequest(try SearchQuery(pattern), with: replacement)
    request.strategy = "regex"
    request.which = .all
    request.text = source ? .source : .rendered
    return request
  }

  @Test(arguments: [
    // Groups by name and by number, and a change of case.
    (
      #"(?<day>\d+)\.(?<month>\d+)\.(\d{4})"#, "${3}-${month}-${day}", false,
      "On 24.12.2025 and *1.2.2026*.", "On 2025-12-24 and *2026-2-1*."
    ),
    (#"\b(\w)(\w*)"#, #"\u$1$2"#, false, "one **two** 😀 éa", "One **Two** 😀 Éa"),
    // A group without a match is empty.
    (#"(a)|(b)"#, "[$1|$2]", true, "ab c", "[a|][|b] c"),
    // Patterns that match across lines, in the rendered text and in the source.
    (#"(one) (two)"#, "$2 $1", false, "one\ntwo\n", "two one\n"),
    (#"^(\w+)\n(\w+)$"#, #"$2\n$1"#, true, "one\ntwo\n", "two\none\n"),
    // A pattern that can match nothing also matches between characters, but not directly after
    // another match.
    ("x*", "<$0>", true, "axxb x", "<>a<xx>b<> <x>"),
    // Empty matches: lines, words and lookarounds.
    ("^", "> ", true, "one\n\n**two**\n", "> one\n> \n> **two**\n"),
    ("$", ";", true, "one\ntwo\n", "one;\ntwo;\n"),
    ("$", ";", true, "one\r\ntwo\r\n", "one;\r\ntwo;\r\n"),
    ("^", "> ", true, "one\r\ntwo\r\n", "> one\r\n> two\r\n"),
    (#"\b"#, "'", true, "one, 😀 é", "'one', 😀 'é'"),
    (#"(?<=(\d))(?=(\d{3})+\b)"#, ",", true, "1234567 and 89", "1,234,567 and 89"),
    ("^", "§ ", false, "# One\n\n- *two*\n  three\n", "# § One\n\n- *§ two*\n  three\n"),
    ("$", "!", false, "# One\n\n- *two*\n  three\n", "# One!\n\n- *two*\n  three!\n"),
    (#"\b"#, "|", false, "a **b** c", "|a| |**b|** |c|"),
    // A dollar sign, and the whole match.
    (#"\d+"#, "$$$0 ($0)", false, "5 or 17", "$5 (5) or $17 (17)"),
    // Markup characters in a group are escaped.
    (#"(\S+) star"#, "$1", false, #"\*a\* star"#, #"\*a\*"#),
    (#"(?<=€ )(\d+)(?= each)"#, "$1$1", false, "€ 7 each, $ 7 each", "€ 77 each, $ 7 each"),
  ])
  func `groups are inserted in the replacement, and the preview equals the result`(
    _ pattern: String, _ replacement: String, _ source: Bool, _ text: String, _ expected: String
  ) async throws {
    let (library, document) = try await library(text)
    let request = try request(pattern, replacement, source: source)
    let preview = try await library.replace(request, in: [document], dryRun: true)
    #expect(try file() == text)
    let report = try await library.replace(request, in: [document])
    #expect(try file() == expected)
    #expect(report.refused.isEmpty)
    #expect(preview.changes.map(\.diff) == report.changes.map(\.diff))
    _ = try await library.undo()
    #expect(try file() == text)
  }

  @Test func `a number with a superscript is not replaced like a plain number`() async throws {
    let (library, document) = try await library("10<sup>6</sup> or 106, H<sub>2</sub>O\n")
    var request = ReplaceRequest(try SearchQuery("106"), with: "7")
    request.which = .all
    _ = try await library.replace(request, in: [document])
    #expect(try file() == "10<sup>6</sup> or 7, H<sub>2</sub>O\n")
  }

  @Test func `an empty match can be replaced by a text but not removed`()
    async throws
  {
    let (library, document) = try await library("abc\n")
    await #expect(throws: UserError.self) {
      try await library.replace(try self.request("x*", ""), in: [document])
    }
    #expect(try file() == "abc\n")
    _ = try await library.replace(try request("x*", "y"), in: [document])
    #expect(try file() == "yaybycy\n")
  }

  @Test(arguments: ["$2", "${year}", "${", "$1 ${2}"])
  func `an unknown group is an error before anything is written`(_ replacement: String)
    async throws
  {
    let (library, document) = try await library("one two\n")
    let steps = try await library.history(limit: 9).count
    let request = try request(#"(?<word>\w+)"#, replacement)
    if replacement == "${" {
      // The brace is not closed, so it is literal.
      _ = try await library.replace(request, in: [document])
      #expect(try file() == "${ ${\n")
      return
    }
    do {
      _ = try await library.replace(request, in: [document])
      Issue.record("'\(replacement)' was accepted")
    } catch {
      #expect(error.code == .usage && error.message.contains("the pattern has 1 (word)"))
    }
    #expect(try file() == "one two\n")
    #expect(try await library.history(limit: 9).count == steps)
  }

  /// Whether the document is long, so that it is released before the new one is parsed.
  @Test(arguments: [false, true])
  func `replacing and undoing keep highlights at their words`(isLong: Bool) async throws {
    let line = "One *river* and a ford 😀.\n\nfiller words — and more\nwords\n\n"
    let text = String(repeating: line, count: 20) + "The end of it.\n"
    let (library, _) = try await library(text)
    await library.setLongSource(isLong ? 0 : .max)
    let marked = try await library.mark("a.md", "\"The end\"")
    var request = ReplaceRequest(try SearchQuery("river"), with: "brook 漢")
    request.which = .all
    let report = try await library.replace(request)
    let changed = text.replacing("river", with: "brook 漢")
    #expect(report.refused.isEmpty && report.places == text.ranges(of: "river").count)
    #expect(try file() == changed)
    func place() async throws -> String {
      let open = try await library.open(try await library.document("a.md"))
      let range = try #require(open.highlights.first { $0.id == marked.id }?.anchor.range)
      return open.parsed.text.substring(range)
    }
    #expect(try await place() == "The end")
    let diff = try #require(report.changes.first).diff
    #expect(diff.contains("-One *river*") && diff.contains("+One *brook 漢*"))

    // A replacement that needs backslashes is tried on the whole document.
    var escaped = ReplaceRequest(try SearchQuery("The end"), with: "# End")
    escaped.which = .only
    _ = try await library.replace(escaped)
    #expect(try file() == changed.replacing("The end", with: "\\# End"))
    _ = try await library.undo()
    #expect(try file() == changed)
    // This undo changes the rendered text beside the edits.
    var joined = ReplaceRequest(try SearchQuery("The end"), with: "\tThe end")
    (joined.which, joined.text) = (.only, .source)
    _ = try await library.replace(joined)
    #expect(try file() == changed.replacing("The end", with: "\tThe end"))
    _ = try await library.undo()
    #expect(try file() == changed)
    #expect(try await place() == "The end")
    let undone = try await library.undo()
    #expect(undone.changes.count == 1)
    #expect(try file() == text)
    #expect(try await place() == "The end")
  }
}

extension Library {
  fileprivate func setLongSource(_ bytes: Int) { longSource = bytes }
}
