import Anchoring
import Editing
import Interchange
import MarkdownParse
import Model
import Rendering
import Search
import Sync
import TestSupport
import Testing

/// Tests a strategy of each kind as its author would write it. This target has no access to
/// `package` declarations, so it builds only if the public ones are sufficient.
@Suite struct PluginAuthorTests {
  @Test func `an anchor strategy can be written with the public interface`() {
    for example in PositionOnly.examples {
      let (old, new) = (MarkedText(example.old), MarkedText(example.new))
      let units = Array(old.text.utf16)
      let selector = Selector(
        exact: String(decoding: units[old.range.utf16], as: UTF16.self),
        prefix: String(decoding: units[..<old.range.utf16.lowerBound], as: UTF16.self),
        suffix: String(decoding: units[old.range.utf16.upperBound...], as: UTF16.self),
        position: old.range, textDigest: nil, renderVersion: ParsedDocument.renderVersion)
      let context = AnchorContext(snapshot: AnchorText(old.text), text: AnchorText(new.text))
      let found = PositionOnly().candidates(
        for: AnchorSubject(selector: selector, last: old.range), in: context)
      #expect(found.map(\.range) == new.ranges, "\(example.title)")
    }
  }

  @Test func `a highlight strategy can be written with the public interface`() throws {
    for example in CapitalWords.examples {
      let (selected, wanted) = (MarkedText(example.selected), MarkedText(example.highlighted))
      let document = ParsedDocument(parsing: MarkdownSource(selected.text))
      #expect(
        try CapitalWords().ranges(from: selected.range, in: document) == wanted.ranges,
        "\(example.title)")
    }
    let document = ParsedDocument(parsing: MarkdownSource("# Title\n\nSee `Code` in Rome."))
    let all = TextRange(utf16: 0..<document.text.count)
    #expect(
      try CapitalWords().ranges(from: all, in: document).map(document.text.substring)
        == ["See", "Rome"])
  }

  @Test func `a search strategy can be written with the public interface`() throws {
    for example in Palindromes.examples {
      let text = MarkedText(example.text)
      let found = try Palindromes().matches(
        SearchQuery(example.query), in: Array(text.text.utf16))
      #expect(found.map(\.range) == text.ranges, "\(example.title)")
    }
    #expect(throws: PatternError.self) { try Palindromes().searcher(for: SearchQuery("größe")) }
  }

  @Test func `a renderer can be written with the public interface`() {
    for example in Outline.examples {
      let page = Page(
        document: ParsedDocument(parsing: MarkdownSource(example.markdown)),
        overlays: example.overlays, options: example.options)
      var output = ""
      Outline().render(page, to: &output)
      #expect(output.split(separator: "\n").map(String.init) == example.lines, "\(example.title)")
    }
  }

  @Test func `formats and a card can be written with the public interface`() throws {
    for example in TabSeparatedExporter.examples {
      var output = ""
      try TabSeparatedExporter().export(example.records, to: &output)
      #expect(output == example.output, "\(example.title)")
    }
    for example in WholeTextExporter.examples {
      var output = ""
      try WholeTextExporter().export(example.records, to: &output)
      #expect(output == example.output, "\(example.title)")
    }
    let page = Page(
      document: ParsedDocument(parsing: MarkdownSource("# T\n\nwords\n")),
      overlays: [Overlay(range: TextRange(utf16: 2..<7), color: .blue)])
    let head = ExportedHead(source: "b.md", title: "T", count: 1)
    var text = ""
    try WholeTextExporter().export(
      [ExportedDocument(head: head, page: page, records: [])], contents: [head], to: &text)
    #expect(text == "b.md: 2 blocks, [\"\"]\n")
    for example in TabSeparatedImporter.examples {
      let read = try? TabSeparatedImporter().records(from: Array(example.input.utf8))
      #expect(read == example.records, "\(example.title)")
    }
    for example in TextCard.examples {
      let lines = try TextCard().card(of: example.quote).text?.split(separator: "\n")
      #expect(lines?.map(String.init) == example.lines, "\(example.title)")
    }
  }

  @Test func `a transport can be written with the public interface`() async throws {
    for example in SegmentStore.examples {
      let place = TransportPlace(address: example.address, cache: "/nowhere")
      let store = try await SegmentStore().connect(to: place)
      for objects in example.puts { try await store.put(objects) }
      try await store.delete(example.deleted)
      let listing = try await store.list(since: nil)
      #expect(Set(listing.entries.map(\.name)) == Set(example.held.map(\.name)), "\(example.title)")
      for object in example.held {
        #expect(try await store.get(object.name, limit: 10) == object.bytes, "\(example.title)")
      }
      await store.close()
    }
    await #expect(throws: TransportError.self) {
      try await SegmentStore().connect(to: TransportPlace(address: "x", cache: "/nowhere"))
    }
  }
}
