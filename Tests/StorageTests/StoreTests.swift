import Foundation
import Model
import TestSupport
import Testing

@testable import Storage

/// A store in a temporary folder that is deleted with the object.
final class TemporaryStore {
  let folder: String
  var path: String { folder + "/library.sqlite" }

  init() {
    folder = NSTemporaryDirectory() + "/diple-storage-" + UUID().uuidString
    try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  func open(now: @escaping @Sendable () -> Date = { Date() }) throws -> Store {
    try Store(at: path, now: now)
  }

  /// Runs SQL with the sqlite3 program and returns its output.
  @discardableResult func sqlite(_ sql: String) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["sqlite3", path, sql]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let text = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0, "\(sql)")
    return String(decoding: text, as: UTF8.self).trimmingCharacters(in: .newlines)
  }
}

func digest(_ byte: UInt8) -> ContentDigest {
  ContentDigest(bytes: Array(repeating: byte, count: 32))!
}

func sampleRevision(_ byte: UInt8) -> Revision {
  Revision(
    sourceDigest: digest(byte), textDigest: digest(byte), renderVersion: 1, dialect: "github",
    stamp: FileStamp(size: 1, mtime: 2, ctime: 3, inode: .max, device: 5, checked: 6),
    seen: Date(timeIntervalSince1970: 1))
}

func selector(_ marked: String, _ byte: UInt8 = 1) -> Selector {
  let text = MarkedText(marked)
  let units = Array(text.text.utf16)
  let range = text.range.utf16
  return Selector(
    exact: String(decoding: units[range], as: UTF16.self),
    prefix: String(decoding: units[..<range.lowerBound], as: UTF16.self),
    suffix: String(decoding: units[range.upperBound...], as: UTF16.self), position: text.range,
    textDigest: digest(byte), renderVersion: 1)
}

extension WriteTransaction {
  func document(_ path: String, _ text: String = "the quick fox") throws -> Document {
    try createDocument(
      path: DocumentPath(path), title: "Title of \(path)", revision: sampleRevision(1),
      text: TextPreparation().prepare(text, positions: []))
  }

  func mark(_ document: Document, _ marked: String, tags: [String] = []) throws -> Highlight {
    let selector = selector(marked)
    return try createHighlight(
      in: document.id, selector: selector, color: .green, note: "a note", tags: tags,
      anchor: Anchor(range: selector.position, state: .exact, score: 1, method: "marked"))
  }
}

@Suite struct StoreTests {
  let files = TemporaryStore()

  @Test func `stored records are read after reopening`() throws {
    let created = try files.open().write { transaction in
      let document = try transaction.document("a.md")
      return try transaction.mark(document, "the «quick» fox", tags: ["b", "a"])
    }
    let found = try files.open().read { try $0.highlights(HighlightFilter()) }
    #expect(found == [created])
    #expect(found[0].selector == selector("the «quick» fox"))
    #expect(found[0].tags == ["a", "b"] && found[0].note == "a note" && found[0].color == .green)
    #expect(found[0].anchor.range == MarkedText("the «quick» fox").range)
  }

  @Test func `each change records an operation with the previous value in the same transaction`()
    throws
  {
    let store = try files.open()
    let highlight = try store.write { transaction in
      try transaction.mark(try transaction.document("a.md"), "«the»")
    }
    _ = try store.write { try $0.setColor(.pink, of: highlight.id) }
    let operations = try store.read { try $0.operations(on: .highlight(highlight.id)) }
    #expect(operations.map(\.field) == [.created, .selector, .color, .note, .color])
    #expect(operations.last?.value == .text("pink") && operations.last?.previous == .text("green"))
    #expect(operations.map(\.dot.sequence) == [4, 5, 6, 7, 8])
    #expect(Set(operations.prefix(4).map(\.group)).count == 1)
    #expect(zip(operations, operations.dropFirst()).allSatisfy { $0.time < $1.time })
  }

  @Test func `a transaction that throws leaves neither record nor operation`() throws {
    struct Stop: Error {}
    let store = try files.open()
    #expect(throws: Stop.self) {
      try store.write { transaction in
        _ = try transaction.document("a.md")
        throw Stop()
      }
    }
    let (documents, operations) = try store.read {
      (
        try $0.documents(includingRemoved: true),
        try $0.operations(of: try $0.replica(), after: 0, limit: 10)
      )
    }
    #expect(documents.isEmpty && operations.isEmpty)
  }

  @Test func `a change without effect records no operation`() throws {
    let store = try files.open()
    let highlight = try store.write {
      try $0.mark(try $0.document("a.md"), "«the»", tags: ["x"])
    }
    let changed = try store.write {
      [
        try $0.setColor(.green, of: highlight.id), try $0.setNote("a note", of: highlight.id),
        try $0.setTag("x", true, of: highlight.id), try $0.setTrashed(false, of: highlight.id),
      ]
    }
    #expect(changed == [false, false, false, false])
    #expect(try store.read { try $0.operations(on: .highlight(highlight.id)).count } == 5)
  }

  @Test func `timestamps increase even if the clock is set back`() throws {
    let store = try files.open(now: { Date(timeIntervalSince1970: 2_000_000_000) })
    let highlight = try store.write { try $0.mark(try $0.document("a.md"), "«the»") }
    let later = try files.open(now: { Date(timeIntervalSince1970: 1_000_000_000) })
    _ = try later.write { try $0.setNote("after the clock was set back", of: highlight.id) }
    let operations = try later.read { try $0.operations(on: .highlight(highlight.id)) }
    #expect(operations.last?.field == .note)
    #expect(zip(operations, operations.dropFirst()).allSatisfy { $0.time < $1.time })
  }

  @Test func `removing a document hides its highlights, and restoring shows them`() throws {
    let store = try files.open()
    let document = try store.write { transaction -> Document in
      let document = try transaction.document("a.md")
      _ = try transaction.mark(document, "«the»")
      return document
    }
    _ = try store.write { try $0.setTrashed(true, of: document.id) }
    try store.read { (transaction) throws in
      #expect(try transaction.documents(includingRemoved: false).isEmpty)
      #expect(try transaction.highlights(HighlightFilter()).isEmpty)
      #expect(try transaction.highlightCounts().isEmpty)
      #expect(try transaction.document(document.id)?.state == .removed)
    }
    _ = try store.write { try $0.setTrashed(false, of: document.id) }
    #expect(try store.read { try $0.highlights(HighlightFilter()).count } == 1)
  }

  @Test func `a filter matches highlights that meet all of its conditions`() throws {
    let store = try files.open()
    try store.write { transaction in
      let a = try transaction.document("a.md")
      _ = try transaction.mark(a, "«the»", tags: ["x", "y"])
      let pink = try transaction.mark(a, "the «quick»", tags: ["x"])
      _ = try transaction.setColor(.pink, of: pink.id)
      let trashed = try transaction.mark(try transaction.document("b.md"), "the quick «fox»")
      _ = try transaction.setTrashed(true, of: trashed.id)
    }
    func quotes(_ filter: HighlightFilter) throws -> [String] {
      try store.read { try $0.highlights(filter).map(\.selector.exact) }
    }
    #expect(try quotes(HighlightFilter()) == ["the", "quick"])
    #expect(try quotes(HighlightFilter(colors: [.pink])) == ["quick"])
    #expect(try quotes(HighlightFilter(tags: ["x", "y"])) == ["the"])
    #expect(try quotes(HighlightFilter(states: [.orphaned])) == [])
    #expect(try quotes(HighlightFilter(trash: .only)) == ["fox"])
    #expect(try quotes(HighlightFilter(documents: [])) == [])
    #expect(try quotes(HighlightFilter(since: Date(timeIntervalSinceNow: 60))) == [])
  }

  @Test func `anchors of an old revision are kept, in case its text returns`() throws {
    let store = try files.open()
    let (document, highlight) = try store.write { transaction in
      let document = try transaction.document("a.md")
      return (document, try transaction.mark(document, "the «quick» fox"))
    }
    let moved = Anchor(
      range: TextRange(utf16: 9..<14), state: .exact, score: 0.9, method: "snapshot-diff")
    let stored = try store.write {
      try $0.replaceRevision(
        of: document.id, expecting: digest(1), with: sampleRevision(2), text: "Now, the quick fox",
        anchors: [highlight.id: moved])
    }
    #expect(stored)
    try store.read { (transaction) throws in
      #expect(try transaction.highlight(highlight.id)?.anchor.range == moved.range)
      #expect(
        try transaction.anchors(of: document.id, in: digest(1), renderVersion: 1)[highlight.id]?
          .range
          == MarkedText("the «quick» fox").range)
      #expect(try transaction.lastPlaced(of: document.id)[highlight.id]?.text == digest(2))
      #expect(try transaction.snapshot(digest(1), of: document.id) == "the quick fox")
    }
    // A process that expects the first revision changes nothing.
    let again = try store.write {
      try $0.replaceRevision(
        of: document.id, expecting: digest(1), with: sampleRevision(3), text: "x", anchors: [:])
    }
    #expect(!again)
  }

  @Test func `the text in which a highlight was created is kept`() throws {
    let store = try files.open()
    let document = try store.write { transaction -> Document in
      let document = try transaction.document("a.md")
      _ = try transaction.mark(document, "the «quick» fox")
      return document
    }
    for byte in UInt8(2)...60 {
      _ = try store.write {
        try $0.replaceRevision(
          of: document.id, expecting: digest(byte - 1), with: sampleRevision(byte), text: "\(byte)",
          anchors: [:])
      }
    }
    try store.read { (transaction) throws in
      #expect(try transaction.snapshot(digest(1), of: document.id) == "the quick fox")
      #expect(try transaction.snapshot(digest(30), of: document.id) == nil)
      #expect(try transaction.snapshot(digest(59), of: document.id) == "59")
    }
  }

  @Test func `snapshots are compressed, and a damaged one is nil`() throws {
    let store = try files.open()
    let text = String(repeating: "The quick brown fox jumps. ", count: 4_000)
    let document = try store.write { try $0.document("a.md", text) }
    #expect(try store.read { try $0.snapshot(digest(1), of: document.id) } == text)
    let size = Int(try files.sqlite("SELECT length(data) FROM snapshot"))
    #expect(try #require(size) < text.utf8.count / 50)
    try files.sqlite("UPDATE snapshot SET data = substr(data, 1, 40)")
    #expect(try store.read { try $0.snapshot(digest(1), of: document.id) } == nil)
    try files.sqlite("UPDATE snapshot SET data = x'', size = 1 << 40")
    #expect(try store.read { try $0.snapshot(digest(1), of: document.id) } == nil)
  }

  @Test func `moving a highlight to another document does not depend on the order of operations`()
    throws
  {
    let store = try files.open()
    let (a, b, highlight) = try store.write { transaction in
      let a = try transaction.document("a.md")
      return (a, try transaction.document("b.md"), try transaction.mark(a, "the «quick» fox"))
    }
    #expect(try store.write { try $0.detach(highlight.id) })
    #expect(try store.write { try !$0.detach(highlight.id) })
    let target = selector("the quick «fox»")
    try store.write {
      try $0.reattach(
        highlight.id, to: target, in: b.id,
        anchor: Anchor(range: target.position, state: .exact, score: 1, method: "reattached"))
    }
    let moved = try #require(try store.read { try $0.highlight(highlight.id) })
    #expect(moved.document == b.id && !moved.isDetached && moved.note == "a note")
    #expect(moved.selector.exact == "fox" && moved.anchor.range == target.position)
    #expect(try store.write { try $0.setLabel("question", of: .green) })
    #expect(try store.read { try $0.highlight(highlight.id)?.label } == "question")

    let operations = try store.read {
      try $0.operations(of: try $0.replica(), after: 0, limit: 1_000)
    }
    for order in [operations, operations.reversed()] {
      let copy = try Store.inMemory()
      try copy.write { transaction in for operation in order { try transaction.apply(operation) } }
      try copy.read { (transaction) throws in
        let there = try #require(try transaction.highlight(highlight.id))
        #expect(there.document == b.id && there.selector.exact == "fox" && !there.isDetached)
        #expect(try transaction.labels() == [.green: "question"])
        #expect(try transaction.document(a.id) != nil)
      }
    }
  }

  @Test func `a number names one document, and a longer id its beginning`() throws {
    let store = try files.open()
    let ids = try store.write { transaction in
      try (0..<12).map { try transaction.document("\($0).md").id }
    }
    try store.read { (transaction) throws in
      for (index, id) in ids.enumerated() {
        #expect(try transaction.documentIDs(named: "\(index + 1)") == [id])
        #expect(try transaction.documentIDs(named: id.description) == [id])
        #expect(try transaction.documentIDs(named: String(id.description.dropLast(9))) == [id])
      }
      for name in ["0", "01", "13", "-1", "1 ", "", "\(ids[11].dot.sequence)"] {
        #expect(try transaction.documentIDs(named: name) == [])
      }
      #expect(try transaction.documentIDs(named: "x'; DROP TABLE document") == [])
    }
  }

  @Test func `operations in any order yield the same records`() throws {
    let seed = SeededGenerator.runSeed
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    let replicas = [ReplicaID(rawValue: 1), ReplicaID(rawValue: .max)]
    let document = Document.ID(Dot(replica: replicas[0], sequence: 1))
    let highlight = Highlight.ID(Dot(replica: replicas[1], sequence: 1))
    var operations = [
      operation(document.dot, 1, .document(document), .created, .none),
      operation(highlight.dot, 2, .highlight(highlight), .created, .reference(document.dot)),
    ]
    for number in 2..<40 {
      let replica = replicas.randomElement(using: &random)!
      let field: [(Model.Operation.Field, Model.Operation.Value)] = [
        (.note, .text("\(number)")), (.color, .text(HighlightColor.allCases[number % 4].rawValue)),
        (.tag("t\(number % 3)"), .flag(number % 2 == 0)), (.trashed, .flag(number % 5 == 0)),
        (Model.Operation.Field(rawValue: "later"), .text("?")),
      ]
      let (name, value) = field.randomElement(using: &random)!
      operations.append(
        operation(
          Dot(replica: replica, sequence: Int64(number)), Int64.random(in: 2..<9, using: &random),
          .highlight(highlight), name, value))
    }
    var results: Set<Highlight> = []
    for _ in 0..<20 {
      let store = try Store.inMemory()
      let shuffled = operations.shuffled(using: &random) + operations.prefix(5)
      try store.write { transaction in for one in shuffled { try transaction.apply(one) } }
      let found = try #require(try store.read { try $0.highlight(highlight) })
      results.insert(found)
      #expect(
        try store.read { try $0.operations(on: .highlight(highlight)).count }
          == operations.count - 1)
    }
    #expect(results.count == 1)
    let notes = operations.filter { $0.field == .note }
    let winner = notes.max {
      ($0.time, Int64(bitPattern: $0.dot.replica.rawValue), $0.dot.sequence)
        < ($1.time, Int64(bitPattern: $1.dot.replica.rawValue), $1.dot.sequence)
    }
    if let winner { #expect(results.first.map { .text($0.note) } == winner.value) }
  }

  private func operation(
    _ dot: Dot, _ time: Int64, _ record: RecordReference, _ field: Model.Operation.Field,
    _ value: Model.Operation.Value
  ) -> Model.Operation {
    Model.Operation(
      dot: dot, time: Timestamp(milliseconds: time), group: dot.sequence, record: record,
      field: field, value: value)
  }
}
