import Foundation
import Interchange
import Model
import Testing

@Suite struct InterchangeTests {
  /// A format with a line for each record.
  private struct Lines: Exporter {
    static let id = "lines"
    static let summary = "a line for each quote"
    static let examples = [
      ExportExample("nothing", records: [], output: ""),
      ExportExample("two", records: [record("a"), record("b")], output: "a\nb\n"),
    ]
    func export(
      _ records: some Sequence<AnnotationRecord>, to output: inout some TextOutputStream
    ) {
      for record in records { output.write(record.quote + "\n") }
    }
  }

  /// Reads the output of `Lines`, and rejects an empty line.
  private struct LineReader: Importer {
    static let id = "lines"
    static let summary = "a quote in each line"
    static let examples = [
      ImportExample("two", input: "a\nb\n", records: [record("a"), record("b")]),
      ImportExample("an empty line", input: "a\n\nb\n", records: nil),
    ]
    func read(_ source: ImportSource) throws(ImportError) -> ImportContent {
      var records: [AnnotationRecord] = []
      let lines = source.bytes.split(separator: 10, omittingEmptySubsequences: false).dropLast()
      for (index, line) in lines.enumerated() {
        if line.isEmpty { throw ImportError("line \(index + 1) is empty") }
        records.append(record(String(decoding: line, as: UTF8.self)))
      }
      return ImportContent(records: records)
    }
  }

  private static func record(_ quote: String) -> AnnotationRecord {
    AnnotationRecord(
      id: "urn:\(quote)", quote: quote, source: "a.md", title: "A", color: .yellow,
      created: Date(timeIntervalSince1970: 1), updated: Date(timeIntervalSince1970: 2))
  }

  @Test func `exporters and importers are chosen by id`() throws {
    var exporters = Registry<any Exporter>(kind: "export format")
    exporters.register(Lines())
    var importers = Registry<any Importer>(kind: "import format")
    importers.register(LineReader())
    #expect(exporters.entries.map(\.id) == ["lines"] && importers.entries.map(\.id) == ["lines"])
    #expect(exporters.entries[0].summary == "a line for each quote")

    var output = "before\n"
    try exporters.strategy("lines").export([Self.record("x"), Self.record("y")], to: &output)
    #expect(output == "before\nx\ny\n")
    let read = try importers.strategy("lines").records(from: Array("x\ny\n".utf8))
    #expect(read == [Self.record("x"), Self.record("y")])
    #expect(throws: UnknownStrategyError(kind: "export format", id: "line", known: ["lines"])) {
      try exporters.strategy("line")
    }
  }

  @Test func `an import error contains the line and the reason`() {
    #expect(throws: ImportError("line 2 is empty")) {
      try LineReader().records(from: Array("a\n\nb\n".utf8))
    }
    #expect(ImportError("line 2 is empty").description == "line 2 is empty")
  }

  @Test func `the examples of a format have the expected output`() {
    #expect(!Lines.examples.isEmpty && !LineReader.examples.isEmpty)
    for example in Lines.examples {
      var output = ""
      Lines().export(example.records, to: &output)
      #expect(output == example.output, "\(example.title)")
    }
    for example in LineReader.examples {
      #expect(
        (try? LineReader().records(from: Array(example.input.utf8))) == example.records,
        "\(example.title)")
    }
  }

  @Test func `the optional fields of a record are empty by default`() {
    let record = Self.record("q")
    #expect(record.prefix.isEmpty && record.suffix.isEmpty && record.note.isEmpty)
    #expect(record.position == nil && record.tags.isEmpty)
  }

  /// Two records are equal only if all their fields are.
  @Test func `records with one different field are not equal`() {
    let record = Self.record("q")
    let changes: [(inout AnnotationRecord) -> Void] = [
      { $0.id = "" }, { $0.quote = "" }, { $0.prefix = "a" }, { $0.suffix = "a" },
      { $0.source = "" }, { $0.title = "" }, { $0.note = "a" }, { $0.color = .pink },
      { $0.tags = ["a"] }, { $0.position = .utf16(TextRange(utf16: 0..<1)) },
      { $0.created = Date(timeIntervalSince1970: 9) },
      { $0.updated = Date(timeIntervalSince1970: 9) },
    ]
    for change in changes {
      var other = record
      change(&other)
      #expect(other != record)
    }
  }
}
