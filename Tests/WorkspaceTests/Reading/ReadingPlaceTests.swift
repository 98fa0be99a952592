import BuiltIn
import Editing
import Files
import Foundation
import LibrarySupport
import MarkdownParse
import Model
import SystemSupport
import TestSupport
import Testing
import Workspace

/// Tests the records of places where the user stopped reading.
@Suite struct ReadingPlaceTests {
  private let folder: WorkFolder
  private let places: ReadingPlaces

  init() throws {
    folder = try WorkFolder()
    places = try #require(
      ReadingPlaces(environment: ["XDG_STATE_HOME": folder.path + "/state", "HOME": "/nowhere"]))
  }

  private static let paragraphs = (1...60).map {
    "Paragraph \($0) tells of \(["rivers", "hills", "woods"][$0 % 3]), number \($0 * 7) of them."
  }
  private static let essay = "# Essay\n\n" + paragraphs.joined(separator: "\n\n") + "\n"

  private func parsed(_ markdown: String) -> ParsedDocument {
    ParsedDocument(parsing: MarkdownSource(markdown))
  }

  private func offset(of words: String, in parsed: ParsedDocument) throws -> Int {
    let text = parsed.text.string
    let found = try #require(text.firstRange(of: words), "'\(words)' is not in the text")
    return text[..<found.lowerBound].utf16.count
  }

  private func place(
    at words: String, top: String? = nil, outline: String? = nil, in markdown: String = essay,
    of document: Document.ID? = nil, path: String = "/tmp/essay.md"
  ) throws -> ReadingPlace {
    let parsed = parsed(markdown)
    func offset(_ words: String) throws -> TextOffset {
      TextOffset(utf16: try self.offset(of: words, in: parsed))
    }
    return ReadingPlace(
      ReadingPlace.Offsets(
        caret: try offset(words), top: try offset(top ?? words), outline: try outline.map(offset)),
      caretRow: 3, query: "hills", percent: 50, in: parsed.text.utf16,
      digest: ContentDigest(of: parsed.text), of: document, library: nil, path: path,
      title: "Essay")
  }

  /// Returns the text from the caret on, after a place was found again in a changed text.
  private func found(_ place: ReadingPlace, in markdown: String) -> Substring {
    let parsed = parsed(markdown)
    let offsets = place.offsets(
      in: parsed.text, digest: ContentDigest(of: parsed.text), by: .builtIn)
    return parsed.text.string[
      String.Index(utf16Offset: offsets.caret.utf16, in: parsed.text.string)...]
  }

  @Test func `a place is found again after edits around it`() throws {
    let place = try place(at: "tells of woods, number 140")
    #expect(found(place, in: Self.essay).hasPrefix("tells of woods, number 140"))
    let above = "New text above.\n\n" + Self.essay
    #expect(found(place, in: above).hasPrefix("tells of woods, number 140"))
    let rewritten = Self.essay.replacing("Paragraph 20 tells", with: "Section 20 now tells")
    #expect(found(place, in: "More.\n\n" + rewritten).hasPrefix("tells of woods, number 140"))
    let shorter = Self.essay.replacing(Self.paragraphs[0...9].joined(separator: "\n\n"), with: "")
    #expect(found(place, in: shorter).hasPrefix("tells of woods, number 140"))
    let edited = Self.essay.replacing("number 140 of them", with: "number 140 of these things")
    #expect(found(place, in: "One.\n\n" + edited).hasPrefix("tells of woods, number 140"))
  }

  @Test func `if the words are gone, the place is that of the words beside them`() throws {
    let place = try place(at: "Paragraph 20")
    let gone = Self.essay.replacing(Self.paragraphs[19] + "\n\n", with: "")
    #expect(found(place, in: "New.\n\n" + gone).contains("Paragraph 21"))
    #expect(!found(place, in: "New.\n\n" + gone).contains("Paragraph 19"))
    // A text with nothing in common has the place in proportion.
    let other = String(repeating: "Nothing like it. ", count: 100)
    let rest = found(place, in: other).utf16.count
    #expect((500...1_500).contains(rest), "\(rest)")
    #expect(found(place, in: "").isEmpty)
  }

  @Test func `all marks of a place are found`() throws {
    let place = try place(at: "Paragraph 20", top: "Paragraph 18", outline: "Essay")
    let parsed = parsed("Front.\n\n" + Self.essay)
    let offsets = place.offsets(
      in: parsed.text, digest: ContentDigest(of: parsed.text), by: .builtIn)
    #expect(offsets.top.utf16 == (try offset(of: "Paragraph 18", in: parsed)))
    #expect(offsets.outline?.utf16 == (try offset(of: "Essay", in: parsed)))
  }

  @Test func `a caret at the end of a line or of the text has words, too`() throws {
    for text in ["", "x", "日本語\n\n👩‍👩‍👧 e\u{301}\n", Self.essay] {
      let parsed = parsed(text)
      let count = parsed.text.utf16.count
      for unit in stride(from: 0, through: count, by: max(1, count / 50)) {
        let place = ReadingPlace(
          ReadingPlace.Offsets(
            caret: TextOffset(utf16: unit), top: TextOffset(utf16: 0), outline: nil),
          caretRow: nil, query: "", percent: 0, in: parsed.text.utf16,
          digest: ContentDigest(of: parsed.text), of: nil, library: nil, path: "/x", title: "")
        #expect(place.isValid)
        let same = place.offsets(
          in: parsed.text, digest: ContentDigest(of: parsed.text), by: .builtIn)
        #expect(same.caret.utf16 == unit)
        let changed = self.parsed("First.\n\n" + text)
        let moved = place.offsets(
          in: changed.text, digest: ContentDigest(of: changed.text), by: .builtIn)
        #expect((0...changed.text.utf16.count).contains(moved.caret.utf16))
      }
    }
  }

  @Test func `an earlier text in the library locates words that occur often`() async throws {
    let bench = try LibraryBench()
    let text = "# Log\n\n" + String(repeating: "Nothing happened.\n\n", count: 40) + "The end.\n"
    let (library, document) = try await bench.open(with: text)
    // A text is stored with the first highlight in it.
    try await library.mark(document, SelectionSpec(parsing: "\"The end\""))
    let open = try await library.open(document)
    let digest = ContentDigest(of: open.parsed.text)
    let unit = try offset(of: "Nothing", in: open.parsed) + 20 * 18
    let offsets = ReadingPlace.Offsets(
      caret: TextOffset(utf16: unit), top: TextOffset(utf16: unit), outline: nil)
    let place = ReadingPlace(
      offsets, caretRow: 0, query: "", percent: 0, in: open.parsed.text.utf16, digest: digest,
      of: document.id, library: bench.folder, path: bench.path("a.md"), title: "Log")
    try bench.write("a.md", "A long new beginning of this.\n\n" + text)
    let changed = try await library.open(document)
    let moved = await library.offsets(
      of: place, in: changed, digest: ContentDigest(of: changed.parsed.text))
    let shift = changed.parsed.text.utf16.count - open.parsed.text.utf16.count
    #expect(moved.caret.utf16 == unit + shift)
  }

  // MARK: - Files

  @Test func `a place is stored in a private file and replaces the earlier one`() throws {
    let first = try place(at: "Paragraph 20")
    try places.keep(first)
    #expect(try places.place(of: nil, at: "/tmp/essay.md") == first)
    let second = try place(at: "Paragraph 30")
    try places.keep(second)
    #expect(try places.place(of: nil, at: "/tmp/essay.md") == second)
    #expect(try places.place(of: nil, at: "/tmp/other.md") == nil)
    let names = try FileManager.default.contentsOfDirectory(atPath: places.folder)
    #expect(names.count == 1)
    let attributes = try FileManager.default.attributesOfItem(
      atPath: places.folder + "/" + names[0])
    #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
    let ofFolder = try FileManager.default.attributesOfItem(atPath: places.folder)
    #expect((ofFolder[.posixPermissions] as? NSNumber)?.intValue == 0o700)
  }

  @Test func `a document keeps its place when it is renamed, and that from before it was added`()
    throws
  {
    let id = try #require(Document.ID("42-9f3c0a5517e2b846"))
    let asFile = try place(at: "Paragraph 5")
    try places.keep(asFile)
    #expect(try places.place(of: id, at: "/tmp/essay.md") == asFile)
    let asDocument = try place(at: "Paragraph 9", of: id)
    try places.keep(asDocument)
    #expect(try places.place(of: id, at: "/tmp/renamed.md") == asDocument)
    #expect(try places.place(of: nil, at: "/tmp/essay.md") == asFile)
  }

  @Test func `only the newest thousand places are kept`() throws {
    for number in 0..<ReadingPlaces.most + 5 {
      try places.keep(try place(at: "x", in: "x", path: "/tmp/\(number).md"))
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: places.folder).count == 1_000)
    let latest = places.latest
    #expect(latest.count == 1_000)
    #expect(latest.first?.place.path == "/tmp/1004.md")
    #expect(try places.place(of: nil, at: "/tmp/0.md") == nil)
    places.renew(try #require(try places.place(of: nil, at: "/tmp/500.md")))
    #expect(places.latest.first?.place.path == "/tmp/500.md")
  }

  @Test(arguments: [
    "", "{", "[]", "{\"version\": 1}", "\u{0}\u{1}\u{FFFF}", String(repeating: "[", count: 5_000),
    String(repeating: "x", count: 100_000),
  ])
  func `a damaged file is put aside with one message`(content: String) throws {
    let good = try place(at: "Paragraph 5")
    try places.keep(good)
    let file =
      places.folder + "/"
      + (try FileManager.default.contentsOfDirectory(
        atPath: places.folder)[0])
    try Data(content.utf8).write(to: URL(filePath: file))
    let error = #expect(throws: UserError.self) {
      _ = try places.place(of: nil, at: "/tmp/essay.md")
    }
    #expect(error?.code == .damaged && error?.message == "the place in this text was damaged")
    #expect(try places.place(of: nil, at: "/tmp/essay.md") == nil)
    #expect(places.latest.isEmpty)
    #expect(FileManager.default.fileExists(atPath: file + ".damaged"))
    try places.keep(good)
    #expect(try places.place(of: nil, at: "/tmp/essay.md") == good)
  }

  @Test func `values out of range are damage`() throws {
    let good = try place(at: "Paragraph 5", outline: "Essay")
    let json = String(decoding: try JSONEncoder().encode(good), as: UTF8.self)
    let broken = [
      json.replacing("\"version\":1", with: "\"version\":2"),
      json.replacing("\"percent\":50", with: "\"percent\":101"),
      json.replacing("\"caretRow\":3", with: "\"caretRow\":-3"),
      json.replacing("\"delta\":0", with: "\"delta\":9223372036854775807"),
      json.replacing("\"percent\":50", with: "\"percent\":99999999999999999999999"),
      json.replacing("\\/tmp", with: "tmp"),
    ]
    for text in broken {
      #expect(text != json)
      let place = try? JSONDecoder().decode(ReadingPlace.self, from: Data(text.utf8))
      #expect(place?.isValid != true, "\(text)")
    }
    // Lengths beyond the text don't trap.
    let far = json.replacing("\"delta\":0", with: "\"delta\":1000000")
    let place = try JSONDecoder().decode(ReadingPlace.self, from: Data(far.utf8))
    #expect(place.isValid)
    _ = found(place, in: "Another text with Paragraph 5 in it.\n")
    _ = found(place, in: Self.essay)
  }

  @Test func `two processes may store places at the same time`() async throws {
    let one = try place(at: "Paragraph 5")
    let other = try place(at: "Paragraph 50")
    await withTaskGroup(of: Void.self) { group in
      for place in [one, other] {
        group.addTask { [places] in for _ in 0..<50 { try? places.keep(place) } }
      }
    }
    let stored = try #require(try places.place(of: nil, at: "/tmp/essay.md"))
    #expect([one, other].contains(stored))
    #expect(try FileManager.default.contentsOfDirectory(atPath: places.folder).count == 1)
  }

  @Test func `another user's link or folder in place of a file is not followed`() throws {
    let good = try place(at: "Paragraph 5")
    try places.keep(good)
    let name = try FileManager.default.contentsOfDirectory(atPath: places.folder)[0]
    let file = places.folder + "/" + name
    let target = folder.path + "/target"
    try FileManager.default.moveItem(atPath: file, toPath: target)
    try FileManager.default.createSymbolicLink(atPath: file, withDestinationPath: target)
    #expect(throws: UserError.self) { _ = try places.place(of: nil, at: "/tmp/essay.md") }
  }
}
