import Interchange
import Model
import Rendering

private let record = AnnotationRecord(
  id: "a.md:1", quote: "words", source: "a.md", title: "a.md", color: .pink)

/// An exporter of whole documents: their text on one line each, with highlights in brackets.
struct WholeTextExporter: DocumentExporter {
  static let id = "whole"
  static let summary = "each document on a line, with highlights in brackets"
  static let examples = [
    ExportExample("no text", records: [record], output: "a.md: no text, 1 highlight\n")
  ]

  func export(
    _ documents: some Sequence<ExportedDocument>, contents: [ExportedHead],
    to output: inout some TextOutputStream
  ) throws(StrategyError) {
    for document in documents {
      guard let page = document.page else {
        output.write("\(document.head.source): no text, \(document.records.count) highlight\n")
        continue
      }
      let parts = HTMLBody(page).parts
      output.write(
        "\(document.head.source): \(parts.count) blocks, \(parts.flatMap(\.highlights))\n")
    }
  }
}
