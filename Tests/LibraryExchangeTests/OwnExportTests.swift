import Foundation
import LibrarySupport
import Model
import SystemSupport
import Testing

@testable import LibraryExchange
@testable import Workspace

/// Tests that exports can be imported again: into the same library, which they don't change, and
/// into a new one.
@Suite struct OwnExportTests {
  private static let text = """
    # Signs

    One two three four. Five six seven eight nine ten. A fox, a second fox and a third fox.

    """

  private struct Values: Hashable {
    var quote: String
    var note: String
    var tags: [String]
    var color: HighlightColor
    var range: TextRange?
  }

  private func values(_ library: Library) async throws -> Set<Values> {
    Set(
      try await library.highlights(HighlightFilter()).map {
        Values(
          quote: $0.selector.exact, note: $0.note, tags: $0.tags.sorted(), color: $0.color,
          range: $0.anchor.range)
      })
  }

  /// Returns a library with highlights of all colours.
  private func marked(_ bench: LibraryBench) async throws -> Library {
    let (library, _) = try await bench.open(with: Self.text)
    var marks: [Highlight] = []
    for spec in ["\"two three\"", "\"six\"", "\"fox\"#2", "\"nine ten\""] {
      marks.append(try await library.mark("a.md", spec))
    }
    var first = HighlightChange()
    (first.color, first.note, first.addedTags) = (.green, "=1+1, \"why\"\n'-so", ["x", "y z"])
    _ = try await library.change(marks[0], first)
    var third = HighlightChange()
    third.color = .blue
    _ = try await library.change(marks[2], third)
    return library
  }

  @Test(arguments: ["json", "csv", "w3c", "hypothesis", "readwise"])
  func `an own export changes nothing in its library`(_ format: String) async throws {
    let bench = try LibraryBench()
    let library = try await marked(bench)
    let before = try await library.highlights(HighlightFilter())
    let file = Array(try await library.export(HighlightFilter(), as: format, to: "").utf8)
    let report = try await library.importHighlights(file, from: nil, into: nil)
    #expect(report.known == 4 && report.made.isEmpty && report.updated.isEmpty, "\(report)")
    #expect(try await library.highlights(HighlightFilter()) == before)
  }

  @Test(arguments: ["json", "csv", "w3c", "hypothesis"])
  func `an own export gives equal highlights in a new library`(_ format: String) async throws {
    let (bench, other) = (try LibraryBench(), try LibraryBench())
    let library = try await marked(bench)
    let file = Array(try await library.export(HighlightFilter(), as: format, to: "").utf8)
    let (copy, _) = try await other.open(with: Self.text)
    let report = try await copy.importHighlights(file, from: nil, into: nil)
    #expect(report.made.count == 4, "\(report)")
    #expect(try await values(copy) == values(library))
    let again = try await copy.importHighlights(file, from: nil, into: nil)
    #expect(again.known == 4 && again.made.isEmpty && again.updated.isEmpty)
  }

  @Test func `a table of an earlier version finds a repeated word by its line`() async throws {
    let bench = try LibraryBench()
    let (library, _) = try await bench.open(
      with: "One fox here.\n\nA fox there.\n\nA fox and a fox.\n")
    let table = """
      id,quote,color,document,place
      1,fox,blue,a.md,line 3
      2,fox,green,a.md,line 5
      3,fox,pink,a.md,line 9

      """
    let made = try await library.importHighlights(Array(table.utf8), from: nil, into: nil).made
      .map(\.highlight)
    #expect(made.map(\.anchor.state) == [.exact, .doubtful, .doubtful])
    #expect(made.first?.anchor.line?.line == 3)
  }

  @Test(arguments: ["readwise", "csv", "json"])
  func `an export of documents with one title changes nothing in its library`(_ format: String)
    async throws
  {
    let bench = try LibraryBench()
    let texts = [
      "a.md": "# Same\n\nthe quick fox and the dog\n",
      "b.md": "# Same\n\nthe other cat and the dog\n",
    ]
    for (name, text) in texts { try bench.write(name, text) }
    let library = try bench.open()
    _ = try await library.add(texts.keys.map(bench.path))
    for (name, spec) in [
      ("a.md", "\"quick fox\""), ("a.md", "\"the dog\""), ("b.md", "\"other cat\""),
      ("b.md", "\"the dog\""), ("b.md", "\"the\"#2"),
    ] {
      _ = try await library.mark(name, spec)
    }
    let before = try await library.highlights(HighlightFilter())
    let file = Array(try await library.export(HighlightFilter(), as: format, to: "").utf8)
    let report = try await library.importHighlights(file, from: nil, into: nil)
    #expect(report.known == 5 && report.made.isEmpty && report.updated.isEmpty, "\(report)")
    #expect(try await library.highlights(HighlightFilter()) == before)
    #expect(try await library.documents().count == 2)
  }

  @Test func `a quote belongs to the document with its title that contains it`() async throws {
    let bench = try LibraryBench()
    try bench.write("a.md", "# Same\n\nthe quick fox and the dog\n")
    try bench.write("b.md", "# Same\n\nthe other cat and the dog\n")
    let library = try bench.open()
    _ = try await library.add([bench.path("a.md"), bench.path("b.md")])
    let table = "Highlight,Book Title\nquick fox,Same\nother cat,Same\nthe dog,Same\n"
    let made = try await library.importHighlights(Array(table.utf8), from: nil, into: nil).made
    #expect(
      Dictionary(uniqueKeysWithValues: made.map { ($0.highlight.words, $0.document.path.string) })
        == ["quick fox": "a.md", "other cat": "b.md", "the dog": "Quotes/Same.md"])
  }

  @Test(arguments: ["html", "markdown", "json", "csv"])
  func `documents are exported in the order in which they are named`(_ format: String)
    async throws
  {
    let bench = try LibraryBench()
    let library = try bench.open()
    for (name, word) in [("a.md", "alder"), ("b.md", "birch"), ("c.md", "cedar")] {
      try bench.write(name, "# A tree\n\nThe \(word) is a tree.\n")
      _ = try await library.add([bench.path(name)])
      if name != "c.md" { _ = try await library.mark(name, "\"\(word)\"") }
    }
    var names: [Document.ID] = []
    for name in ["c.md", "b.md", "a.md", "b.md"] {
      names.append(try await library.document(bench.path(name)).id)
    }
    func words(_ filter: HighlightFilter) async throws -> [String] {
      let text = try await library.export(filter, as: format, to: "")
      var found: [String] = []
      for match in text.matches(of: /alder|birch|cedar/) where found.last != String(match.0) {
        found.append(String(match.0))
      }
      return found
    }
    let whole = format == "html" ? ["cedar"] : []
    #expect(try await words(HighlightFilter(documents: names)) == whole + ["birch", "alder"])
    #expect(try await words(HighlightFilter()) == ["alder", "birch"])
  }

  /// Returns an export of a library that names its documents by absolute paths.
  private func exported(_ format: String) async throws -> [UInt8] {
    let bench = try LibraryBench()
    let library = try await marked(bench)
    let text = try await library.export(HighlightFilter(), as: format, to: "")
    return Array(
      text.replacing("\"a.md\"", with: "\"/home/ann/notes/a.md\"")
        .replacing("\\/a.md", with: "\\/home\\/ann\\/notes\\/a.md")
        .replacing("a.md,", with: "/home/ann/notes/a.md,").utf8)
  }

  @Test(arguments: ["json", "csv", "w3c"])
  func `an export with absolute paths finds the documents of another library`(_ format: String)
    async throws
  {
    let file = try await exported(format)
    let words = String(decoding: file, as: UTF8.self)
    try #require(words.contains("/home/ann/notes/a.md"), "\(words)")
    // The same file name and title, elsewhere.
    let bench = try LibraryBench()
    try bench.write("texts/a.md", Self.text)
    let library = try bench.open()
    _ = try await library.add([bench.path("texts/a.md")])
    let report = try await library.importHighlights(file, from: nil, into: nil)
    #expect(report.made.count == 4 && report.failed == 0, "\(report.problems)")
    #expect(report.made.allSatisfy { $0.document.path.string == "texts/a.md" })
  }

  /// The documents of a library, of which the first one is the wanted one.
  enum Layout: CaseIterable { case folder, renamed, retitled, text }

  @Test(arguments: Layout.allCases)
  func `a document is found by its folder, title, file name or text`(_ layout: Layout) async throws
  {
    let file = try await exported("json")
    let bench = try LibraryBench()
    let others = Self.text.replacing("Signs", with: "Notes")
    let files: [(String, String)] =
      switch layout {
      case .folder: [("notes/a.md", Self.text), ("drafts/a.md", Self.text)]
      case .renamed: [("b.md", Self.text), ("c.md", others)]
      case .retitled: [("a.md", others), ("c.md", others)]
      case .text: [("c.md", others), ("d.md", "# Other\n\nNothing of it.\n")]
      }
    for (name, text) in files { try bench.write(name, text) }
    let library = try bench.open()
    _ = try await library.add(files.map { bench.path($0.0) })
    // Of the text alone, only long quotes are searched for.
    let long = String(decoding: file, as: UTF8.self)
      .replacing("\"nine ten\"", with: "\"Five six seven eight nine ten\"")
      .replacing("\"Five six seven eight \"", with: "\"\"")
    let report = try await library.importHighlights(Array(long.utf8), from: nil, into: nil)
    #expect(report.made.count == 4 && report.failed == 0, "\(report.problems)")
    #expect(Set(report.made.map(\.document.path.string)) == [files[0].0])
  }

  @Test func `a document with one of many quotes is not the document of an export`() async throws {
    let quotes = [
      "The tide comes in at half past nine", "Nobody has counted the stones of this wall",
      "Every harbour has its own kind of silence", "Lighthouses were manned until last winter",
    ]
    let rows = quotes.enumerated().map { "\($0),/home/ann/x.md,X,\($1),\n" }
    let csv = "id,document,title,quote,color\n" + rows.joined()
    let bench = try LibraryBench()
    let (library, _) = try await bench.open(
      with: "# Essay\n\nEvery harbour has its own kind of silence, he wrote.\n")
    let report = try await library.importHighlights(
      Array(csv.utf8), from: "csv", into: nil)
    #expect(report.made.isEmpty && report.failed == 4 && report.problems.count == 1, "\(report)")
  }

  @Test func `an export whose document is missing is refused with the choice of another`()
    async throws
  {
    let file = try await exported("json")
    let bench = try LibraryBench()
    let (library, _) = try await bench.open(with: "# Other\n\nNothing of it.\n")
    let report = try await library.importHighlights(file, from: nil, into: nil)
    #expect(report.made.isEmpty && report.failed == 4 && report.problems.count == 1)
    let error = try #require(report.problems.first)
    #expect(error.message.contains("/home/ann/notes/a.md"))
    #expect(error.hint?.text(in: .plain).contains("into another document") == true)
  }

  private static let annotation = """
    {"@context": "http://www.w3.org/ns/anno.jsonld", "id": "http://example.org/1",
     "type": "Annotation", "motivation": "commenting", "creator": {"name": "Ada"},
     "body": {"type": "TextualBody", "value": "Why?", "format": "text/plain", "language": "en"},
     "target": {"source": "a.md", "selector": {"type": "TextQuoteSelector", "exact": "two thre"}}}
    """
  private static let row = """
    {"id": "abc", "user": "acct:me@hypothes.is", "group": "g", "uri": "a.md", "text": "Why?",
     "tags": ["t"], "permissions": {"read": ["g"]}, "document": {"title": ["Signs"]},
     "target": [{"selector": [{"type": "TextQuoteSelector", "exact": "two three"}]}]}
    """

  @Test(arguments: [("w3c", annotation), ("hypothesis", row)])
  func `an imported annotation is exported as it was, with the changes`(
    _ format: String, _ json: String
  ) async throws {
    let bench = try LibraryBench()
    let (library, _) = try await bench.open(with: Self.text)
    let whole = try #require(JSONValue(Array(json.utf8)))
    let file = Array("[\(json)]".utf8)
    let made = try await library.importHighlights(file, from: nil, into: nil).made
    #expect(made.count == 1)
    func exported() async throws -> JSONValue {
      let text = try await library.export(HighlightFilter(), as: format, to: "")
      let value = try #require(JSONValue(Array(text.utf8)))
      return try #require((value["annotations"].list ?? value.values).first)
    }
    #expect(try await exported() == whole)
    #expect(try await library.integrityProblems().isEmpty)
    var change = HighlightChange()
    change.note = "So."
    _ = try await library.change(try #require(made.first?.highlight), change)
    guard case .object(var expected) = whole else { return }
    if format == "w3c" {
      guard case .object(var body) = whole["body"] else { return }
      body["value"] = .text("So.")
      expected["body"] = .object(body)
    } else {
      expected["text"] = .text("So.")
    }
    #expect(try await exported() == .object(expected))
    // Importing the original or the export again keeps the user's note.
    let text = try await library.export(HighlightFilter(), as: format, to: "")
    for input in [file, Array(text.utf8)] {
      let report = try await library.importHighlights(input, from: nil, into: nil)
      #expect(report.known == 1 && report.made.isEmpty && report.updated.isEmpty, "\(report)")
    }
    #expect(try await library.highlights(HighlightFilter()).map(\.note) == ["So."])
  }

  @Test func `an object that is too large is not kept, and said`() async throws {
    let bench = try LibraryBench()
    let (library, _) = try await bench.open(with: Self.text)
    let large = String(repeating: "x", count: 1 << 16)
    let input = """
      {"type": "Annotation", "id": "x", "more": "\(large)",
       "target": {"source": "a.md", "selector": {"type": "TextQuoteSelector", "exact": "six"}}}
      """
    let report = try await library.importHighlights(Array(input.utf8), from: nil, into: nil)
    #expect(report.made.first?.highlight.origin?.origin?.object == nil)
    #expect(report.made.count == 1 && report.skipped.count == 1)
  }
}
