import Foundation
import Model
import TestSupport
import Testing

@testable import Storage

@Suite struct StoredPropertiesTests {
  let files = TemporaryStore()

  @Test func `properties of documents and of the library are operations`() throws {
    let store = try files.open()
    let document = try store.write { try $0.document("a.md") }
    let set = { (name: PropertyName, value: String, record: RecordReference) in
      try store.write { try $0.setProperty(name, value, of: record) }
    }
    #expect(try set(.margins, "wide", .document(document.id)))
    #expect(try !set(.margins, "wide", .document(document.id)))
    #expect(try set(.style("big"), "{}", .library))
    #expect(try store.read { try $0.properties(of: document.id) } == [.margins: "wide"])
    #expect(try store.read { try $0.documentProperties() } == [document.id: [.margins: "wide"]])
    #expect(try store.read { try $0.properties() } == [.style("big"): "{}"])
    #expect(try set(.margins, "", .document(document.id)))
    #expect(try set(.style("big"), "", .library))
    #expect(try store.read { try $0.properties(of: document.id) }.isEmpty)
    #expect(try store.read { try $0.properties() }.isEmpty)
    #expect(try store.integrityProblems() == [])
  }

  @Test func `the value of a property at an earlier time is known`() throws {
    let store = try files.open()
    let before = Date.now
    try store.write { _ = try $0.setProperty(.defaultFormat, "one", of: .library) }
    Thread.sleep(forTimeInterval: 0.005)
    let between = Date.now
    Thread.sleep(forTimeInterval: 0.005)
    try store.write { _ = try $0.setProperty(.defaultFormat, "two", of: .library) }
    let value = { (time: Date) in try store.read { try $0.property(.defaultFormat, asOf: time) } }
    #expect(try value(before.addingTimeInterval(-1)) == nil)
    #expect(try value(between) == "one")
    #expect(try value(.now.addingTimeInterval(1)) == "two")
  }

  @Test func `a copied format is stored without an operation`() throws {
    let store = try files.open()
    try store.write { try $0.setCopiedFormat("default", "{}") }
    #expect(try store.read { try $0.copiedFormat("default") } == "{}")
    #expect(try store.read { try $0.copiedFormat("other") } == nil)
    let count = try store.read {
      try $0.first("SELECT count(*) FROM operation") { try $0.count(0) }
    }
    #expect(count == 0)
  }

  @Test func `highlights and formatted passages are listed by their kind`() throws {
    let store = try files.open()
    try store.write { transaction in
      let document = try transaction.document("a.md", "the quick fox")
      _ = try transaction.mark(document, "the «quick» fox")
      _ = try transaction.createFormat(
        "{\"characters\":{\"bold\":true}}", in: document.id, selector: selector("the quick «fox»"),
        anchor: Anchor(range: TextRange(utf16: 10..<13), state: .exact, score: 1, method: "m"))
    }
    func quotes(_ kind: HighlightFilter.Kind) throws -> [String] {
      try store.read { try $0.highlights(HighlightFilter(kind: kind)).map(\.selector.exact) }
    }
    #expect(try quotes(.highlights) == ["quick"])
    #expect(try quotes(.formats) == ["fox"])
    #expect(try quotes(.all) == ["quick", "fox"])
    #expect(try store.read { try $0.liveCounts() }.highlights == 1)
    #expect(try store.integrityProblems() == [])
  }
}
