import Formats
import Foundation
import Interchange
import Model
import Testing

@Suite struct FormatExampleTests {
  private let exporters: [any Exporter] = [MarkdownQuotes(), WebAnnotation()]
  private let importers: [any Importer] = [WebAnnotationReader()]

  @Test func `exporters write what their examples show`() throws {
    for exporter in exporters {
      #expect(!type(of: exporter).examples.isEmpty)
      for example in type(of: exporter).examples {
        var output = ""
        try exporter.export(example.records, to: &output)
        #expect(output == example.output, "\(type(of: exporter).id): \(example.title)")
      }
    }
  }

  @Test func `importers read what their examples show, and refuse the rest`() {
    for importer in importers {
      #expect(!type(of: importer).examples.isEmpty)
      for example in type(of: importer).examples {
        // What is refused has no records in its example.
        let records = try? importer.records(from: Array(example.input.utf8))
        #expect(records == example.records, "\(type(of: importer).id): \(example.title)")
      }
    }
  }

  @Test func `what W3C writes it reads again`() throws {
    let record = AnnotationRecord(
      id: "urn:x", quote: "a \"b\"\n\u{1}👋", prefix: "<", suffix: ">", source: "/a b.md",
      title: "T", color: .pink, note: "n\n\nm", tags: ["x", "y z"],
      created: Date(timeIntervalSince1970: 5), updated: Date(timeIntervalSince1970: 6))
    var output = ""
    WebAnnotation().export([record], to: &output)
    #expect(try WebAnnotationReader().records(from: Array(output.utf8)) == [record])
  }
}
