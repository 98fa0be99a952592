import BuiltIn
import CXattr
import Editing
import Files
import Foundation
import LibraryExchange
import LibraryFormatting
import LibrarySupport
import MarkdownParse
import Model
import Search
import Storage
import Synchronization
import SystemSupport
import TestSupport
import Testing

@testable import Workspace

/// Tests writing files atomically, with their mode, and without overwriting concurrent changes.
@Suite final class RewriteTests {
  let folder = NSTemporaryDirectory() + "/diple-rewrite-" + UUID().uuidString

  init() throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  private func write(_ name: String, _ text: String) throws {
    try Data(text.utf8).write(to: URL(filePath: folder + "/" + name))
  }

  private func read(_ name: String) throws -> String {
    String(decoding: try Data(contentsOf: URL(filePath: folder + "/" + name)), as: UTF8.self)
  }

  private func open() throws -> Library {
    try Library(at: location, plugins: .builtIn, opening: .create)
  }

  private var location: LibraryLocation {
    var location = LibraryLocation(folder: folder + "/.diple")
    location.state = folder + "/.state"
    return location
  }

  /// Records a step that this process has begun, with the temporary files that it was to write.
  private func begin(_ edits: [FileEdit], copies: [String?] = []) throws {
    let store = try Store(at: folder + "/.diple/library.sqlite")
    let entry = try store.write { transaction in
      transaction.journal(JournalStep(label: "replaced"))
      return try transaction.beginStep(edits)
    }
    let files = edits.enumerated().map { index, edit in
      (edit, index < copies.count ? copies[index] : nil)
    }
    try #require(StepIntents(location)).record(StepIntent(files), of: entry)
  }

  private func all(_ query: String, _ replacement: String) throws -> ReplaceRequest {
    var request = ReplaceRequest(try SearchQuery(query), with: replacement)
    request.which = .all
    return request
  }

  private var digest: (String) -> ContentDigest {
    { ContentDigest(sha256: Array($0.utf8)) }
  }

  // MARK: - The writer

  @Test func `a file is replaced through its link, with its mode and attributes`() throws {
    try FileManager.default.createDirectory(
      atPath: folder + "/real", withIntermediateDirectories: true)
    try write("real/a.md", "old")
    symlink("real/a.md", folder + "/link.md")
    chmod(folder + "/real/a.md", 0o604)
    let canKeep =
      "value".withCString {
        setxattr(folder + "/real/a.md", "user.diple-test", $0, 5, 0)
      } == 0
    let writer = try FileWriter(
      replacing: folder + "/link.md", Array("old".utf8), with: Array("new".utf8), links: .followed)
    #expect(try read("real/a.md") == "old")
    let stamp = try writer.commit()
    FileWriter.makeDurable([writer])
    #expect(try read("real/a.md") == "new" && stamp.size == 3)
    var status = stat()
    #expect(lstat(folder + "/link.md", &status) == 0 && status.st_mode & S_IFMT == S_IFLNK)
    #expect(stat(folder + "/real/a.md", &status) == 0 && status.st_mode & 0o7777 == 0o604)
    if canKeep {
      #expect(getxattr(folder + "/real/a.md", "user.diple-test", nil, 0) == 5)
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder + "/real") == ["a.md"])
  }

  @Test func `a file that changed is not written, and no temporary file remains`() throws {
    try write("a.md", "old")
    #expect(throws: UserError.self) {
      try FileWriter(replacing: self.folder + "/a.md", Array("older".utf8), with: [])
    }
    var writer: FileWriter? = try FileWriter(
      replacing: folder + "/a.md", Array("old".utf8), with: Array("new".utf8))
    try write("a.md", "theirs")
    #expect(throws: UserError.self) { try writer?.commit() }
    writer = nil
    #expect(try read("a.md") == "theirs")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["a.md"])
  }

  @Test func `temporary files neither overwrite a similar file nor exceed the name limit`() throws {
    let long = String(repeating: "n", count: 252) + ".md"
    for name in ["a.md", long] {
      try write(name, "old")
      try write(".a.md.diple-new", "mine")
      let writer = try FileWriter(
        replacing: folder + "/" + name, Array("old".utf8), with: Array("new".utf8))
      _ = try writer.commit()
      #expect(try read(name) == "new")
      #expect(try read(".a.md.diple-new") == "mine")
    }
  }

  /// Whether the process wrote the file before it was killed. Its step was already in the journal.
  @Test(arguments: [true, false])
  func `the journal detects whether a killed process has written the file`(wasWritten: Bool)
    async throws
  {
    try write("a.md", "One word.\n")
    let library = try open()
    _ = try await library.add([folder + "/a.md"])
    let document = try await library.document("a.md")
    let source = "One word.\n"
    let patch: [UInt8] = [4, 4, 4] + Array("wordterm".utf8)
    try begin([
      FileEdit(
        document: document.id, before: digest(source), after: digest("One term.\n"), places: 1,
        patch: patch)
    ])
    if wasWritten { try write("a.md", "One term.\n") }
    try await library.settleJournal()
    let history = try await library.history(limit: 9)
    let added = "added \(ShownPaths(library.location).name(document.path))"
    #expect(history.map(\.summary) == (wasWritten ? ["replaced", added] : [added]))
    let undone = try await library.undo()
    #expect(undone.step.summary == (wasWritten ? "replaced" : added))
    #expect(try read("a.md") == source)
  }

  @Test func `a file that another program changed after the kill counts as unwritten`()
    async throws
  {
    for name in ["a.md", "b.md"] { try write(name, "One word.\n") }
    let library = try open()
    _ = try await library.add([folder])
    let documents = try await library.documents()
    try begin(
      documents.map {
        FileEdit(
          document: $0.id, before: digest("One word.\n"), after: digest("One term.\n"),
          places: 1, patch: [4, 4, 4] + Array("wordterm".utf8))
      }, copies: [folder + "/.diple-1.new", folder + "/.diple-2.new"])
    // The process replaced the first file, but not the second, which another program changed.
    try write("a.md", "One term.\n")
    try write(".diple-1.new", "One word.\n")
    try write("b.md", "One word more.\n")
    try write(".diple-2.new", "One term.\n")
    try await library.settleJournal()
    #expect(try await library.history(limit: 9).map(\.summary) == ["added 2 documents"])
    #expect(try read("a.md") == "One word.\n" && read("b.md") == "One word more.\n")
    let left = try FileManager.default.contentsOfDirectory(atPath: folder)
    #expect(left.sorted() == [".diple", ".state", "a.md", "b.md"])
  }

  @Test func `a partly written step is reverted completely`() async throws {
    for name in ["a.md", "b.md"] { try write(name, "One word.\n") }
    let library = try open()
    _ = try await library.add([folder])
    let documents = try await library.documents()
    try begin(
      documents.map {
        FileEdit(
          document: $0.id, before: digest("One word.\n"), after: digest("One term.\n"),
          places: 1, patch: [4, 4, 4] + Array("wordterm".utf8))
      }, copies: [folder + "/.diple-1.new", folder + "/.diple-2.new"])
    try write("b.md", "One term.\n")
    try write(".diple-1.new", "One te")
    try await library.settleJournal()
    #expect(try await library.history(limit: 9).map(\.summary) == ["added 2 documents"])
    #expect(try read("a.md") == "One word.\n" && read("b.md") == "One word.\n")
    let left = try FileManager.default.contentsOfDirectory(atPath: folder)
    #expect(left.sorted() == [".diple", ".state", "a.md", "b.md"])
  }

  @Test func `a partly written step is reverted before the next change`()
    async throws
  {
    for name in ["a.md", "b.md"] { try write(name, "One word.\n") }
    let library = try open()
    _ = try await library.add([folder])
    let documents = try await library.documents()
    for way in ["replace", "format"] {
      try begin(
        documents.map {
          FileEdit(
            document: $0.id, before: digest("One word.\n"), after: digest("One term.\n"),
            places: 1, patch: [4, 4, 4] + Array("wordterm".utf8))
        })
      try write("b.md", "One term.\n")
      // Both changes apply to the word that the killed process has written.
      if way == "replace" {
        _ = try? await library.replace(try all("term", "word"))
      } else {
        _ = try? await library.format(
          try await library.document("b.md"), try SelectionSpec(parsing: "\"term\""),
          .toggle(.strong))
      }
      #expect(try await library.history(limit: 9).map(\.summary) == ["added 2 documents"])
      #expect(try read("a.md") == "One word.\n" && read("b.md") == "One word.\n", "\(way)")
    }
  }

  // MARK: - Highlights

  @Test func `highlights follow a replacement exactly, also among similar lines`() async throws {
    let lines = (1...40).map { "The same words and the colour, line \($0 % 3).\n\n" }
    try write("a.md", lines.joined())
    let library = try open()
    _ = try await library.add([folder + "/a.md"])
    let document = try await library.document("a.md")
    for number in [1, 7, 20, 39] {
      for spec in ["para:\(number)", "\"same words\"#\(number)", "\"colour\"#\(number)"] {
        _ = try await library.mark(document, try SelectionSpec(parsing: spec))
      }
    }
    let before = try await library.highlights(HighlightFilter())
    let report = try await library.replace(try all("colour", "dazzling hue"))
    #expect(report.places == 40)
    let after = try await library.highlights(HighlightFilter())
    #expect(after.map(\.id) == before.map(\.id))
    let opened = try await library.open(document)
    for highlight in after {
      let range = try #require(highlight.anchor.range)
      let words = opened.parsed.text.substring(range)
      #expect(words == highlight.selector.exact.replacing("colour", with: "dazzling hue"))
      #expect(highlight.anchor.method == "edit-map" || highlight.anchor.method == "known-text")
    }
    _ = try await library.undo()
    let back = try await library.highlights(HighlightFilter())
    #expect(back.map(\.anchor.range) == before.map(\.anchor.range))
    #expect(back.allSatisfy { $0.anchor.state == .exact })
  }

  // MARK: - Undo

  @Test func `a long file is merged on undo, and searched before it is indexed`() async throws {
    let line = "Some text that fills a line of the file, and a good word in it.\n\n"
    let text = "The word.\n\n" + String(repeating: line, count: 18_000)
    #expect(text.utf8.count > 1 << 20)
    try write("a.md", text)
    let library = try open()
    _ = try await library.add([folder + "/a.md"])
    var request = try all("The word", "A rare term")
    request.text = .source
    #expect(try await library.replace(request).places == 1)
    let found = Mutex(0)
    let outcome = try await library.search(SearchRequest(query: try SearchQuery("rare term"))) {
      if case .found(let result) = $0 { found.withLock { $0 += result.matches.count } }
      return true
    }
    #expect(outcome == .complete && found.withLock { $0 } == 1)
    try write("a.md", "# Title\n\n" + (try read("a.md")) + "The end.\n")
    _ = try await library.undo()
    #expect(try read("a.md") == "# Title\n\n" + text + "The end.\n")
  }

  @Test func `adding many files and importing are one step each`() async throws {
    for number in 0..<600 { try write("\(number).md", "# \(number)\n") }
    let library = try open()
    _ = try await library.add([folder])
    let records = (0..<5).map {
      """
      {"type": "Annotation", "target": {"source": "\($0).md",
        "selector": {"type": "TextQuoteSelector", "exact": "\($0)"}}}
      """
    }
    let data = Array("[\(records.joined(separator: ","))]".utf8)
    #expect(
      try await library.importHighlights(data, from: "w3c", into: nil).made.count == 5)
    #expect(
      try await library.history(limit: 9).map(\.summary) == [
        "made 5 highlights", "added 600 documents",
      ])
    _ = try await library.undo()
    #expect(try await library.highlights(HighlightFilter()).isEmpty)
    _ = try await library.undo()
    #expect(try await library.documents().isEmpty)
    _ = try await library.redo()
    _ = try await library.redo()
    #expect(try await library.highlights(HighlightFilter()).count == 5)
  }

  @Test func `undoing a reattachment restores the old passage`() async throws {
    try write("a.md", "One two three.\n")
    try write("b.md", "Four five six.\n")
    let library = try open()
    _ = try await library.add([folder])
    let document = try await library.document("a.md")
    let highlight = try await library.mark(
      document, try SelectionSpec(parsing: "\"two\"")
    ).highlights[0]
    _ = try await library.reattach(
      highlight, to: try SelectionSpec(parsing: "\"five\""), in: try await library.document("b.md"))
    _ = try await library.undo()
    let back = try await library.highlight(highlight.id.description)
    #expect(back.document == document.id && back.selector.exact == "two")
    #expect(back.anchor.range == TextRange(utf16: 4..<7) && back.anchor.state == .exact)
  }
}
