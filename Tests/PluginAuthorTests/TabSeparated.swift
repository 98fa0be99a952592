import Foundation
import Interchange
import Model

private let day = Date(timeIntervalSince1970: 0)
private let record = AnnotationRecord(
  id: "a.md:1", quote: "words", source: "a.md", title: "a.md", color: .pink, note: "why",
  created: day, updated: day)

/// Writes a line with tab-separated fields for each highlight.
struct TabSeparatedExporter: Exporter {
  static let id = "tsv"
  static let summary = "one line each: source, colour, quote, note"
  static let examples = [
    ExportExample("one", records: [record], output: "a.md\tpink\twords\twhy\n")
  ]

  func export(
    _ records: some Sequence<AnnotationRecord>, to output: inout some TextOutputStream
  ) throws(StrategyError) {
    for record in records {
      let fields = [record.source, record.color.rawValue, record.quote, record.note]
      guard !fields.joined().contains("\t") else {
        throw StrategyError("a field of \(record.id) contains a tab")
      }
      output.write(fields.joined(separator: "\t") + "\n")
    }
  }
}

/// Reads the lines that `TabSeparatedExporter` writes.
struct TabSeparatedImporter: Importer {
  static let id = "tsv"
  static let summary = TabSeparatedExporter.summary
  static let examples = [
    ImportExample("one", input: "a.md\tpink\twords\twhy\n", records: [record]),
    ImportExample("no such colour", input: "a.md\tred\twords\twhy\n", records: nil),
  ]

  func read(_ source: ImportSource) throws(ImportError) -> ImportContent {
    var records: [AnnotationRecord] = []
    for (index, line) in source.bytes.split(separator: 10).enumerated() {
      let fields = String(decoding: line, as: UTF8.self)
        .split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
      guard fields.count == 4, let color = HighlightColor(rawValue: fields[1]) else {
        throw ImportError("line \(index + 1) is not: source, colour, quote, note")
      }
      records.append(
        AnnotationRecord(
          id: "\(fields[0]):\(index + 1)", quote: fields[2], source: fields[0], title: fields[0],
          color: color, note: fields[3], created: day, updated: day))
    }
    return ImportContent(records: records)
  }
}

/// Renders a quote as a card of plain text.
struct TextCard: CardStrategy {
  static let id = "text-card"
  static let summary = "the quote and its title as text"
  static let examples = [CardExample("one", quote: record, lines: ["words", "a.md"])]

  func card(of quote: AnnotationRecord) throws(StrategyError) -> Card {
    let lines = [quote.quote, quote.title, quote.tags.joined(separator: " ")]
    return Card(mediaType: "text/plain", bytes: Array(lines.joined(separator: "\n").utf8))
  }
}
