import Editing
import Foundation
import LibrarySupport
import Model
import Testing

@testable import LibraryExchange
@testable import Workspace

/// Tests imports of several PDF files. Many programs name the annotations of every file alike.
@Suite struct PDFImportTests {
  let bench: LibraryBench

  init() throws { bench = try LibraryBench() }

  /// A mark on page 1 of a file.
  private struct Mark: Encodable {
    var id = "fitz-A0"
    var quote: String
    var note = ""
    var color = ""
    var page = "1"
    var prefix = ""
    var suffix = ""
    var changed = ""
    var original: Original?

    /// A highlight as Diple wrote it.
    struct Original: Encodable {
      var quote: String
      var prefix = ""
      var suffix = ""
      var note = ""
      var color = "#fff36d"
    }
  }

  /// A file as `diple-pdf` returns it.
  private struct File: Encodable {
    var format = "diple.pdf-annotations/1"
    var title = "Rivers"
    var author = "Ann Bell"
    var textDigest = "aa"
    var fileID = "11"
    var annotations: [Mark]

    var data: [UInt8] { get throws { Array(try JSONEncoder().encode(self)) } }

    /// The file as earlier versions of Diple read it, without its digest and identifier.
    var former: [UInt8] {
      get throws {
        var file = self
        (file.textDigest, file.fileID) = ("", "")
        return try file.data
      }
    }
  }

  private let rivers = File(annotations: [
    Mark(quote: "a river is never the same twice", note: "Heraclitus", color: "#ff0000")
  ])
  private let hills = File(
    title: "Hills", author: "Bo Ek", textDigest: "bb", fileID: "22",
    annotations: [Mark(quote: "every hill has two sides", note: "up and down")])

  private func values(_ library: Library) async throws -> [String] {
    try await library.highlights(HighlightFilter()).map {
      "\($0.selector.exact): \($0.note) \($0.color)"
    }.sorted()
  }

  private static let both = [
    "a river is never the same twice: Heraclitus pink",
    "every hill has two sides: up and down yellow",
  ]

  @Test func `files with the same names of annotations stay apart`() async throws {
    let (library, _) = try await bench.open(with: "Text.\n")
    for file in [rivers, hills] {
      let report = try await library.importHighlights(try file.data, from: nil, into: nil)
      #expect(report.made.count == 1 && report.kept.isEmpty, "\(report)")
    }
    #expect(try await values(library) == Self.both)
    for file in [rivers, hills] {
      let again = try await library.importHighlights(try file.data, from: nil, into: nil)
      #expect(again.known == 1 && again.made.isEmpty && again.updated.isEmpty, "\(again)")
    }
  }

  @Test func `files without properties stay apart`() async throws {
    let (library, _) = try await bench.open(with: "Text.\n")
    var (first, second) = (rivers, hills)
    (first.title, first.author, first.fileID) = ("", "", "")
    (second.title, second.author, second.fileID) = ("", "", "")
    for file in [first, second] {
      let report = try await library.importHighlights(
        try file.data, at: "scan.pdf", from: nil, into: nil)
      #expect(report.made.count == 1, "\(report)")
    }
    #expect(try await values(library) == Self.both)
  }

  /// Changes of a file after its import that don't change which file it is.
  enum LaterChange: CaseIterable { case copied, retitled, identified, recognized }

  @Test(arguments: LaterChange.allCases)
  func `a later state of a file updates its highlights`(_ change: LaterChange) async throws {
    let (library, _) = try await bench.open(with: "Text.\n")
    _ = try await library.importHighlights(try rivers.data, from: nil, into: nil)
    _ = try await library.importHighlights(try hills.data, from: nil, into: nil)
    var later = rivers
    switch change {
    case .copied: break
    case .retitled: later.title = "On Rivers"
    case .identified: later.fileID = "33"
    case .recognized: later.textDigest = "cc"
    }
    later.annotations[0].note = "Plato"
    later.annotations.append(Mark(id: "fitz-A1", quote: "the sea takes every river"))
    let report = try await library.importHighlights(
      try later.data, at: "copy.pdf", from: nil, into: nil)
    #expect(report.updated.count == 1 && report.made.count == 1, "\(report)")
    #expect(
      try await values(library) == [
        "a river is never the same twice: Plato pink",
        "every hill has two sides: up and down yellow",
        "the sea takes every river:  yellow",
      ])
  }

  @Test func `files that share an identifier stay apart`() async throws {
    let (library, _) = try await bench.open(with: "Text.\n")
    var other = hills
    other.fileID = rivers.fileID
    for file in [rivers, other] {
      let report = try await library.importHighlights(try file.data, from: nil, into: nil)
      #expect(report.made.count == 1, "\(report)")
    }
    #expect(try await values(library) == Self.both)
  }

  @Test func `highlights of earlier versions are recognised`() async throws {
    let (library, _) = try await bench.open(with: "Text.\n")
    _ = try await library.importHighlights(try rivers.former, from: nil, into: nil)
    let other = try await library.importHighlights(try hills.data, from: nil, into: nil)
    #expect(other.made.count == 1 && other.updated.isEmpty, "\(other)")
    let again = try await library.importHighlights(try rivers.data, from: nil, into: nil)
    #expect(again.known == 1 && again.made.isEmpty && again.updated.isEmpty, "\(again)")
    // Now its file is known, so that the title may change.
    var later = rivers
    (later.title, later.annotations[0].note) = ("On Rivers", "Plato")
    let update = try await library.importHighlights(try later.data, from: nil, into: nil)
    #expect(update.updated.count == 1 && update.made.isEmpty, "\(update)")
  }

  @Test func `a highlight whose last letters were missing is recognised`() async throws {
    let (library, _) = try await bench.open(with: "Text.\n")
    var cut = rivers
    cut.annotations[0].quote = "a river is never the same twi"
    _ = try await library.importHighlights(try cut.former, from: nil, into: nil)
    let report = try await library.importHighlights(try rivers.data, from: nil, into: nil)
    #expect(report.made.isEmpty && report.updated.count == 1, "\(report)")
  }

  @Test func `highlights that earlier versions mixed up get their values back`() async throws {
    let (library, _) = try await bench.open(with: "Text.\n")
    for file in [rivers, hills] {
      _ = try await library.importHighlights(try file.former, from: nil, into: nil)
    }
    #expect(try await values(library) == ["a river is never the same twice: up and down yellow"])
    for file in [hills, rivers] {
      _ = try await library.importHighlights(try file.data, from: nil, into: nil)
    }
    #expect(try await values(library) == Self.both)
  }

  @Test func `annotations of two servers stay apart`() async throws {
    let (library, _) = try await bench.open(with: "Text.\n")
    for (site, quote) in [("a.example", "the first of all"), ("b.example", "the second of all")] {
      let json = """
        [{"title": "A page", "url": "https://\(site)/page", "annotations": [
          {"id": 1, "quote": "\(quote)", "text": "", "ranges": []}]}]
        """
      let report = try await library.importHighlights(Array(json.utf8), from: nil, into: nil)
      #expect(report.made.count == 1 && report.updated.isEmpty, "\(report)")
    }
  }

  /// Returns a file that Diple wrote with the highlights of a library.
  private func written(_ highlights: [Highlight]) -> File {
    File(
      annotations: highlights.map { highlight in
        let note = TaggedNote(note: highlight.note, tags: highlight.tags).text
        let color = "#" + String(highlight.color.onPaper, radix: 16)
        return Mark(
          id: "urn:diple:\(highlight.id)", quote: "as on the page", note: note.trimmed,
          color: color,
          original: Mark.Original(
            quote: highlight.selector.exact, note: note, color: color))
      })
  }

  @Test func `changes that another program made to exported highlights are imported`() async throws
  {
    let (library, document) = try await bench.open(with: "One two three four five.\n")
    for words in ["One", "two", "three", "four"] {
      var request = MarkRequest(color: .yellow)
      (request.note, request.tags) = (" about \(words)", ["tag"])
      _ = try await library.mark(document, try SelectionSpec(parsing: "\"\(words)\""), request)
    }
    var all = try await library.highlights(HighlightFilter())
    let file = written(all)
    let same = try await library.importHighlights(try file.data, from: nil, into: nil)
    #expect(same.known == 4 && same.updated.isEmpty && same.made.isEmpty, "\(same)")
    var changed = file
    changed.annotations[0].note = "other words\n#tag, #new"
    changed.annotations[1].color = "#ff00ff"
    changed.annotations[2].note = "of the page"
    // The library changed this note, too.
    var change = HighlightChange()
    change.note = "of the library"
    _ = try await library.change(all[2], change)
    let report = try await library.importHighlights(try changed.data, from: nil, into: nil)
    #expect(report.updated.count == 3 && report.known == 1 && report.made.isEmpty, "\(report)")
    #expect(report.kept.count == 1 && report.kept[0].contains("the note changed"), "\(report)")
    all = try await library.highlights(HighlightFilter())
    #expect(
      all.map { "\($0.selector.exact) \($0.color) \($0.note.trimmed) \($0.tags)" } == [
        "One yellow other words [\"new\", \"tag\"]", "two pink about two [\"tag\"]",
        "three yellow of the library []", "four yellow about four [\"tag\"]",
      ])
    #expect(all.allSatisfy { $0.origin == nil })
    #expect(try await library.integrityProblems().isEmpty)
  }
}
