import Formats
import Foundation
import Interchange
import Model
import Testing

@Suite struct FormatExampleTests {
  private let exporters: [any Exporter] = [
    MarkdownQuotes(), HTMLPage(), WebAnnotation(), HypothesisExport(), ReadwiseImport(), CSVTable(),
    OrgQuotes(), AnkiCards(), JSONHighlights(),
  ]
  private let importers: [any Importer] = [
    WebAnnotationReader(), KindleClippings(), KindleNotebook(), ReadwiseCSV(),
    ReadwiseReaderCSV(), InstapaperCSV(), RaindropCSV(), CalibreAnnotations(), MoonReaderExport(),
    GooglePlayBooks(),
    Hypothesis(), KOReaderMetadata(),
    KOReaderExport(), PDFAnnotations(), ZoteroAnnotations(), ZoteroNotes(),
    WallabagAnnotations(), ReadestNotes(),
    KoboDatabase(),
    JSONHighlightsReader(), CSVTableReader(),
    AppleBooksDatabase(), MarkdownMarks(), MarkdownQuoteReader(), HTMLMarks(), PlainQuotes(),
  ]

  @Test func `exporters write the output of their examples`() throws {
    for exporter in exporters {
      #expect(!type(of: exporter).examples.isEmpty)
      for example in type(of: exporter).examples {
        var output = ""
        try exporter.export(example.records, to: &output)
        #expect(output == example.output, "\(type(of: exporter).id): \(example.title)")
      }
    }
  }

  @Test func `importers read the records of their examples, and reject invalid ones`() {
    for importer in importers {
      #expect(!type(of: importer).examples.isEmpty)
      for example in type(of: importer).examples {
        // A rejected example has no records.
        let content = try? importer.read(ImportSource(Array(example.input.utf8)))
        #expect(content?.records == example.records, "\(type(of: importer).id): \(example.title)")
        #expect(
          (content?.skipped.count ?? 0) == example.skipped, "\(example.title): \(content as Any)")
      }
    }
  }

  @Test func `an example of an import format is recognised only by its importer`() {
    for importer in importers {
      for example in type(of: importer).examples {
        let source = ImportSource(Array(example.input.utf8))
        let found = importers.filter { $0.recognizes(source) }.map { type(of: $0).id }
        let name = "\(type(of: importer).id): \(example.title): \(found)"
        #expect(found.count <= 1, "\(name)")
        // Formats that match any text are used only on request.
        let isNamed = ["markdown", "text"].contains(type(of: importer).id)
        if example.records != nil, !isNamed { #expect(found == [type(of: importer).id], "\(name)") }
      }
    }
  }

  private static func withoutObject(_ record: AnnotationRecord) -> AnnotationRecord {
    var record = record
    record.object = .null
    return record
  }

  @Test(arguments: [
    "=1", "'=1", "''=1", "a;=1", " =1", " '=1", "\t=1", "'\t=1", "a\n'@b", "'a", "", "'", "it's =1",
  ])
  func `a cell made inert can be read again`(_ text: String) throws {
    var record = CSVTable.examples[0].records[1]
    (record.quote, record.note) = ("x" + text, text)
    var output = ""
    CSVTable().export([record], to: &output)
    #expect(!output.contains(/,"?=/))
    let read = try CSVTableReader().records(from: Array(output.utf8))
    #expect(read.first?.note == text && read.first?.quote == "x" + text)
  }

  @Test func `a Hypothesis export can be imported again`() throws {
    let example = HypothesisExport.examples[0]
    let read = try Hypothesis().records(from: Array(example.output.utf8))
    var expected = example.records[0]
    (expected.colorLabel, expected.line, expected.sourceColor) = (nil, nil, "blue")
    (expected.author, expected.location) = ("", "")
    #expect(read.map(Self.withoutObject) == [expected])
  }

  @Test(arguments: ["=1+1", "+1", "-1", "@SUM(1)", "\tx", "\r=1"])
  func `no cell begins like a formula`(_ text: String) throws {
    var record = HypothesisExport.examples[0].records[0]
    (record.quote, record.note, record.title) = (text, text, text)
    (record.author, record.tags) = (text, [text])
    for exporter in [CSVTable(), ReadwiseImport()] as [any Exporter] {
      var output = ""
      try exporter.export([record], to: &output)
      let header = try #require(output.firstRange(of: "\r\n"))
      #expect(!output[header.upperBound...].contains(/(^|,)"?[=+\-@\t\r][^\n]/), "\(output)")
    }
  }

  @Test func `a W3C export can be imported again`() throws {
    let record = AnnotationRecord(
      id: "urn:x", quote: "a \"b\"\n\u{1}👋", prefix: "<", suffix: ">", source: "/a b.md",
      title: "T", color: .pink, note: "n\n\nm", tags: ["x", "y z"],
      created: Date(timeIntervalSince1970: 5), updated: Date(timeIntervalSince1970: 6))
    var output = ""
    WebAnnotation().export([record], to: &output)
    let read = try WebAnnotationReader().records(from: Array(output.utf8))
    #expect(read.map(Self.withoutObject) == [record])
  }
}
