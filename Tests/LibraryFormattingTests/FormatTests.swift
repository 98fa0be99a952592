import Editing
import Foundation
import LibrarySupport
import MarkdownParse
import Model
import Rendering
import RichText
import SystemSupport
import TestSupport
import Testing

@testable import LibraryFormatting
@testable import Workspace

@Suite struct FormatTests {
  let folder = try! LibraryFolder()

  private func spec(_ text: String) throws -> SelectionSpec { try SelectionSpec(parsing: text) }

  private func summary(_ library: Library, _ name: String, _ spec: String) async throws
    -> FormatSummary
  {
    let open = try await library.open(try await library.document(name))
    let range = try await library.select(try self.spec(spec), in: open)
    return try await library.format(of: open).summary(of: range)
  }

  @discardableResult
  private func format(
    _ library: Library, _ spec: String, _ act: FormatAct, keepsFile: Bool = false
  ) async throws -> FormatResult {
    try await library.format(
      try await library.document("a.md"), try self.spec(spec), act, label: "test",
      keepsFile: keepsFile)
  }

  @Test func `a format that Markdown supports is written, others are stored in the library`()
    async throws
  {
    try folder.write("a.md", "One **two** three.\n")
    let library = try await folder.library()
    let bold = try await format(library, "\"three\"", .toggle(.bold(true)))
    #expect(!bold.isStored && bold.file != nil && bold.turnedOn == true)
    #expect(try folder.read("a.md") == "One **two** **three**.\n")
    let line = try await format(library, "\"two\"", .toggle(.underline(.single)))
    #expect(line.isStored && line.file == nil)
    #expect(try folder.read("a.md") == "One **two** **three**.\n")
    let found = try await summary(library, "a.md", "\"two\"")
    #expect(found.state(of: .underline(.single)) == .on && found.state(of: .bold(true)) == .on)
    #expect(try await summary(library, "a.md", "all").state(of: .underline(.single)) == .mixed)
  }

  @Test func `a format is written for the blocks that can have it, and stored for the others`()
    async throws
  {
    let source = "# T\n\nOne.\n\n```\ncode\n```\n\nTwo *three*.\n"
    try folder.write("a.md", source)
    let library = try await folder.library()
    let result = try await format(library, "all", .toggle(.italic(true)))
    #expect(result.isStored && result.file != nil && result.turnedOn == true)
    #expect(result.obstacle?.contains("inside a code block") == true)
    #expect(try folder.read("a.md").hasPrefix("# *T*\n\n*One.*\n\n```\ncode\n```\n\n*Two "))
    let open = try await library.open(try await library.document("a.md"))
    let stored = try await library.format(of: open).passages.map(\.quote)
    #expect(stored == ["code"])
    #expect(try await summary(library, "a.md", "all").state(of: .italic(true)) == .on)
    #expect(try await format(library, "all", .toggle(.italic(true))).turnedOn == false)
    #expect(try await summary(library, "a.md", "all").state(of: .italic(true)) == .off)
    _ = try await library.undo()
    _ = try await library.undo()
    #expect(try folder.read("a.md") == source)
    #expect(try await summary(library, "a.md", "\"code\"").state(of: .italic(true)) == .off)
  }

  @Test func `if the file cannot be changed, the format is stored with the reason`() async throws {
    try folder.write("a.md", "```\nlet code = 1\n```\n")
    let library = try await folder.library()
    let result = try await format(library, "\"code\"", .toggle(.bold(true)))
    #expect(result.isStored && result.file == nil && result.obstacle != nil)
    #expect(try folder.read("a.md") == "```\nlet code = 1\n```\n")
    #expect(try await summary(library, "a.md", "\"code\"").state(of: .bold(true)) == .on)
    #expect(try await format(library, "\"code\"", .toggle(.bold(true))).turnedOn == false)
    #expect(try await summary(library, "a.md", "\"code\"").state(of: .bold(true)) == .off)
  }

  @Test func `removing a heading's bold is stored in the library`() async throws {
    try folder.write("a.md", "# A heading\n\nText.\n")
    let library = try await folder.library()
    let result = try await format(library, "\"heading\"", .toggle(.bold(true)))
    #expect(result.turnedOn == false && result.isStored && result.file == nil)
    #expect(try await summary(library, "a.md", "\"heading\"").state(of: .bold(true)) == .off)
    #expect(try await summary(library, "a.md", "\"A\"").state(of: .bold(true)) == .on)
  }

  @Test func `bold in the file and in the library is removed in one step`() async throws {
    try folder.write("a.md", "One **two** three four.\n")
    let library = try await folder.library()
    try await format(library, "\"three\"", .toggle(.bold(true)), keepsFile: true)
    #expect(try folder.read("a.md") == "One **two** three four.\n")
    #expect(try await format(library, "\"two three\"", .toggle(.bold(true))).turnedOn == false)
    #expect(try folder.read("a.md") == "One two three four.\n")
    #expect(try await summary(library, "a.md", "all").state(of: .bold(true)) == .off)
    _ = try await library.undo()
    #expect(try folder.read("a.md") == "One **two** three four.\n")
    #expect(try await summary(library, "a.md", "\"two three\"").state(of: .bold(true)) == .on)
  }

  @Test func `a format replaces the previous one, and undo restores it`() async throws {
    try folder.write("a.md", "One two three.\n")
    let library = try await folder.library()
    for size in [24, 26, 28] {
      try await format(
        library, "\"two\"", .change(FormatChange(characters: [.set(.size(size))])))
    }
    let open = try await library.open(try await library.document("a.md"))
    #expect(try await library.format(of: open).passages.count == 1)
    _ = try await library.undo()
    #expect(
      try await summary(library, "a.md", "\"two\"").characters[.size] == .same(.size(26)))
    try await format(library, "all", .clear(withParagraphs: nil))
    #expect(try await library.format(of: open).passages.isEmpty)
    #expect(
      try await failure { try await format(library, "all", .clear(withParagraphs: nil)) }.code
        == .nothing)
  }

  @Test func `formats are not listed as highlights`() async throws {
    try folder.write("a.md", "One two three.\n")
    let library = try await folder.library()
    try await format(library, "\"two\"", .toggle(.underline(.wave)))
    #expect(try await library.highlights(HighlightFilter()).isEmpty)
    #expect(try await library.highlights(HighlightFilter(trash: .only)).isEmpty)
    let open = try await library.open(try await library.document("a.md"))
    #expect(open.highlights.isEmpty && open.overlays.isEmpty)
    let id = try #require(try await library.format(of: open).passages.first).id
    #expect(try await failure { _ = try await library.highlight("\(id.dot)") }.code == .notFound)
    #expect(try await library.integrityProblems().isEmpty)
  }

  @Test func `formats follow edits by other programs, and uncertain ones are reported`()
    async throws
  {
    try folder.write(
      "a.md", "One quick brown fox.\n\nA paragraph in the middle of it.\n\nThe end of all.\n")
    let library = try await folder.library()
    try await format(library, "\"brown fox\"", .toggle(.underline(.single)))
    try await format(
      library, "para:2", .change(FormatChange(paragraphs: [.set(.alignment(.center))])))
    try folder.write(
      "a.md",
      "# New\n\nOne quick brown old fox.\n\nThe end of all.\n\nA paragraph in the middle of it.\n")
    _ = try await library.refresh()
    #expect(
      try await summary(library, "a.md", "\"brown old fox\"").state(of: .underline(.single)) == .on)
    #expect(
      try await summary(library, "a.md", "\"middle\"").paragraphs[.alignment]
        == .same(.alignment(.center)))
    #expect(
      try await summary(library, "a.md", "\"The end\"").paragraphs[.alignment]
        == .same(nil))
    try folder.write("a.md", "Nothing of it is left here.\n")
    let report = try #require(try await library.refresh().first)
    #expect(report.lostFormats == 2)
    #expect(report.summary == "a.md changed; no highlights; 2 formatted passages lost their place")
    let open = try await library.open(try await library.document("a.md"))
    #expect(try await library.format(of: open).uncertain.count == 2)
  }

  @Test func `a document has the default format of the time when it was added`() async throws {
    try folder.write("a.md", "One.\n")
    let library = try await folder.library()
    var defaults = try await library.defaultFormat()
    #expect(defaults == .standard)
    defaults.characters.set(.size(30))
    // Times are compared in milliseconds.
    try await Task.sleep(for: .milliseconds(5))
    try await library.setDefaultFormat(defaults)
    try await Task.sleep(for: .milliseconds(5))
    try folder.write("b.md", "Two.\n")
    _ = try await library.add([folder.path])
    #expect(try await library.defaultFormat() == defaults)
    // Pages don't show Diple's own default.
    #expect(try await summary(library, "a.md", "all").characters[.size] == .same(nil))
    #expect(
      try await library.defaultFormat(of: try await library.document("a.md")) == .standard)
    #expect(try await library.open(try await library.document("a.md")).format == nil)
    #expect(try await summary(library, "b.md", "all").characters[.size] == .same(.size(30)))
    #expect(
      try await library.open(try await library.document("b.md")).format?.defaults.characters[.size]
        == .size(30))
    let document = try await library.document("a.md")
    try await library.setDefaultFormat(defaults, of: document)
    #expect(try await summary(library, "a.md", "all").characters[.size] == .same(.size(30)))
    _ = try await library.undo()
    #expect(try await summary(library, "a.md", "all").characters[.size] == .same(nil))
  }

  @Test func `a document has its own margins or those of the time when it was added`() async throws
  {
    try folder.write("a.md", "One.\n")
    let library = try await folder.library()
    try await Task.sleep(for: .milliseconds(5))
    try await library.setMargins(.wide)
    try await Task.sleep(for: .milliseconds(5))
    try folder.write("b.md", "Two.\n")
    _ = try await library.add([folder.path])
    let (a, b) = (try await library.document("a.md"), try await library.document("b.md"))
    func shown(_ document: Document) async throws -> EditorMargins? {
      try await library.open(document).format?.margins
    }
    #expect(try await library.margins() == .wide)
    #expect(try await shown(a) == nil)
    #expect(try await shown(b) == .wide)
    var own = EditorMargins.standard
    own.left = Twips(1_001)
    try await library.setMargins(own, of: b)
    #expect(try await shown(b) == own)
    try await library.setMargins(.standard, of: a)
    #expect(try await shown(a) == .standard)
    #expect(
      try await failure { try await library.setMargins(.standard, of: a) }.code == .nothing)
    own.top = .points(289)
    let wrong = own
    #expect(try await failure { try await library.setMargins(wrong, of: b) }.code == .usage)
    try await library.setMargins(nil, of: b)
    #expect(try await shown(b) == .wide)
    _ = try await library.undo()
    _ = try await library.undo()
    _ = try await library.undo()
    #expect(try await library.margins(of: b) == .wide)
    #expect(try await shown(a) == nil)
  }

  @Test func `text follows changes of its style`() async throws {
    try folder.write("a.md", "One.\n\nTwo.\n")
    let library = try await folder.library()
    let document = try await library.document("a.md")
    try await format(library, "para:1", .change(FormatChange(characters: [.set(.size(40))])))
    let (style, isNew) = try await library.saveStyle("Big", of: document, try spec("para:1"))
    #expect(isNew && style.id == StyleID("big"))
    try await format(
      library, "para:2", .change(FormatChange(paragraphs: [.set(.style(style.id))])))
    #expect(try await summary(library, "a.md", "para:2").characters[.size] == .same(.size(40)))
    _ = try await library.change(style, FormatChange(characters: [.set(.size(60))]))
    #expect(try await summary(library, "a.md", "para:2").characters[.size] == .same(.size(60)))
    try await library.removeStyle(try await library.style("big"))
    #expect(try await summary(library, "a.md", "para:2").characters[.size] == .same(nil))
    _ = try await library.undo()
    #expect(try await summary(library, "a.md", "para:2").characters[.size] == .same(.size(60)))
    #expect(try await library.integrityProblems().isEmpty)
  }

  @Test func `a document that is released before the result is parsed gets the same formats`()
    async throws
  {
    let seed = SeededGenerator.runSeed
    print("FormatTests: seed \(seed)")
    var random = SeededGenerator(seed: seed)
    let text =
      "# Head\n\nOne *two* three **four** five.\n\n> Six seven\n\n- eight\n- [x] nine ten\n"
    var libraries: [(folder: LibraryFolder, library: Library, document: Document)] = []
    for isLong in [false, true] {
      let folder = try LibraryFolder()
      try folder.write("a.md", text)
      let library = try await folder.library()
      if isLong { await library.releaseAllDocuments() }
      let document = try await library.document("a.md")
      _ = try await library.mark("a.md", "\"three\"")
      libraries.append((folder, library, document))
    }
    let words = ["Head", "One", "two", "three", "two three", "four five", "Six", "eight", "nine"]
    let attributes: [CharacterAttribute] = [.bold(true), .italic(true), .underline(.single)]
    let requests: [FileFormatRequest] = [
      .toggle(.strong), .toggle(.code), .link("https://example.org"), .link(nil), .heading(2),
      .heading(nil), .quote, .style(heading: 1), .style(heading: nil),
    ]
    for round in 0..<120 {
      let spec = try self.spec("\"\(words.randomElement(using: &random)!)\"")
      let attribute = attributes.randomElement(using: &random)!
      let request = requests.randomElement(using: &random)!
      let choice = Int.random(in: 0..<5, using: &random)
      var results: [[String]] = []
      for (folder, library, document) in libraries {
        var result: [String] = []
        do {
          switch choice {
          case 0, 1:
            let change = try await library.format(document, spec, .toggle(attribute), label: "x")
            result.append("\(change.isStored) \(change.turnedOn as Any) \(change.obstacle ?? "")")
            result += [change.quote, change.file?.diff ?? "", "\(change.file?.places ?? 0)"]
            result.append("\(change.file?.report?.outcomes.map(\.after.range) as Any)")
          case 2, 3:
            let change = try await library.format(document, spec, request)
            result += [change.diff, "\(change.places)"]
            result.append("\(change.report?.outcomes.map(\.after.range) as Any)")
          default:
            let path = ShownPaths(library.location).name(document.path)
            let summary = try await library.undo().step.summary
            result.append(summary.replacing(path, with: "a.md"))
          }
        } catch { result.append("\(error)") }
        let open = try await library.open(document)
        let format = try await library.format(of: open)
        result.append(try folder.read("a.md"))
        for offset in format.text.units.indices {
          result.append("\(format.text.resolved(at: offset, format.context))")
        }
        results.append(result)
      }
      #expect(results[0] == results[1], "round \(round): \(choice) \(attribute) \(request) \(spec)")
    }
  }

  @Test func `random formats equal those of the model, also after a refresh`() async throws {
    let seed = SeededGenerator.runSeed
    print("FormatTests: seed \(seed)")
    var random = SeededGenerator(seed: seed)
    try folder.write(
      "a.md", "# Head\n\nOne *two* three **four** five.\n\n> Six seven\n\n- eight\n- nine ten\n")
    let library = try await folder.library()
    let document = try await library.document("a.md")
    let open = try await library.open(document)
    var format = try await library.format(of: open)
    let count = format.text.units.count
    for _ in 0..<150 {
      let start = Int.random(in: 0..<count - 1, using: &random)
      let range = start..<Int.random(in: start + 1...count, using: &random)
      // A range with only the end of a paragraph is rejected.
      guard format.text.units[range].contains(where: { !AttributedText.isTerminator($0) }) else {
        continue
      }
      let act: FormatAct
      switch Int.random(in: 0..<5, using: &random) {
      case 0: act = .toggle(.underline([.single, .double].randomElement(using: &random)!))
      case 1: act = .toggle(.bold(true))
      case 2:
        act = .change(
          FormatChange(characters: [.set(.size(Int.random(in: 16...20, using: &random)))]))
      case 3:
        act = .change(
          FormatChange(
            paragraphs: [.set(.alignment(TextAlignment.allCases.randomElement(using: &random)!))]))
      default: act = .clear(withParagraphs: Bool.random(using: &random))
      }
      var expected = format.text
      switch act {
      case .toggle(let attribute):
        let turnsOn = expected.resolved(attribute.kind, in: range, format.context).contains {
          $0.value != attribute && expected.units[$0.range].contains { $0 > 32 }
        }
        for part in expected.changes(to: attribute, on: turnsOn, in: range, format.context) {
          expected.apply(part.change, to: part.range)
        }
      case .change(let change): expected.apply(change, to: range)
      case .clear(let withParagraphs):
        expected.apply(.clearing(withParagraphs: withParagraphs == true), to: range)
      case .paste: break
      }
      do {
        _ = try await library.format(
          document, SelectionSpec(units: TextRange(utf16: range)), act, label: "random",
          keepsFile: true)
      } catch { #expect(error.code == .nothing, "\(error)") }
      format = try await library.format(of: open)
      // The effective format is equal for each character and paragraph with words.
      for offset in 0..<count where format.text.units[offset] > 32 {
        let a = format.text.resolved(at: offset, format.context)
        let b = expected.resolved(at: offset, format.context)
        #expect(a == b, "\(act) at \(range): unit \(offset)")
        if a != b { return }
      }
    }
    try folder.write("a.md", "Before.\n\n" + (try folder.read("a.md")))
    _ = try await library.refresh()
    let moved = try await library.format(of: try await library.open(document))
    let shift = moved.text.units.count - count
    for offset in 0..<count where format.text.units[offset] > 32 {
      #expect(
        moved.text.characters[offset + shift] == format.text.characters[offset], "\(offset)")
    }
  }
}

extension Library {
  /// Makes the library release every document before it parses a change.
  fileprivate func releaseAllDocuments() { longSource = 0 }
}
