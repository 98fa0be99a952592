import Foundation
import Model
import TestSupport
import Testing

@testable import Storage

/// Tests that no value in the database can crash the process.
@Suite struct HostileValueTests {
  let files = TemporaryStore()

  /// Creates a library with a row in every table.
  private func fill() throws -> (store: Store, document: Document, highlights: [Highlight]) {
    let store = try files.open()
    let (document, highlights) = try store.write { transaction in
      let document = try transaction.document("a.md")
      let first = try transaction.mark(document, "the «quick» fox", tags: ["x", "y"])
      let second = try transaction.mark(document, "the quick «fox»", tags: ["x"])
      _ = try transaction.document("b.md")
      _ = try transaction.setLabel("question", of: .green)
      _ = try transaction.setQuery("fox", named: "foxes")
      var source = Source()
      source.set(.title, typed: "Foxes")
      _ = try transaction.setSource(source, of: document.id)
      _ = try transaction.setProperty(.margins, "wide", of: .document(document.id))
      _ = try transaction.setProperty(.style("big"), "{}", of: .library)
      try transaction.setCopiedFormat("default", "{}")
      return (document, [first, second])
    }
    try store.write { transaction in
      transaction.journal(JournalStep(.act, label: "replaced"))
      _ = try transaction.beginStep([
        FileEdit(
          document: document.id, before: digest(1), after: digest(2), places: 1, patch: [1, 2],
          result: [3])
      ])
    }
    _ = try store.write { try $0.setTrashed(true, of: highlights[1].id) }
    try store.write { transaction in
      transaction.journal(JournalStep(.undo, of: 3))
      _ = try transaction.setTrashed(false, of: highlights[1].id)
    }
    _ = try store.write {
      try $0.replaceRevision(
        of: document.id, expecting: digest(1), with: sampleRevision(2), text: "a quick fox",
        anchors: [highlights[0].id: highlights[0].anchor])
    }
    try hear(of: document, highlights[0], store)
    return (store, document, highlights)
  }

  /// Merges operations of another replica: the same document at another path, a highlight of an
  /// unknown document, and a concurrent note.
  private func hear(of document: Document, _ highlight: Highlight, _ store: Store) throws {
    func dot(_ sequence: Int64) -> Dot {
      Dot(replica: ReplicaID(rawValue: .max), sequence: sequence)
    }
    let twin = RecordReference.document(Document.ID(dot(1)))
    let said: [(RecordReference, Model.Operation.Field, Model.Operation.Value)] = [
      (twin, .created, .none), (twin, .alias(document.id), .flag(true)),
      (.highlight(Highlight.ID(dot(3))), .created, .reference(dot(9))),
      (.highlight(highlight.id), .note, .text("another")),
    ]
    let operations = said.enumerated().map { index, said in
      Model.Operation(
        dot: dot(Int64(index + 1)), time: Timestamp(milliseconds: 1_900_000_000_000), group: 1,
        record: said.0, field: said.1, value: said.2)
    }
    _ = try store.write { transaction in
      _ = try transaction.merge(operations)
      try transaction.setProgress(ReplicaProgress(sequence: 4, chain: [1]), of: dot(1).replica)
      try transaction.setSyncState("remote", [1, 2])
    }
  }

  /// Calls every reading function. Errors of the store are expected.
  private func readEverything(
    _ transaction: ReadTransaction, _ document: Document, _ highlight: Highlight
  ) throws {
    func attempt(_ body: () throws -> Void) throws {
      do { try body() } catch is BadValue {} catch is StoreError {} catch is SQLiteError {}
    }
    let reads: [() throws -> Void] = [
      { _ = try transaction.documents(includingRemoved: true) },
      { _ = try transaction.missingDocuments() },
      { _ = try transaction.document(document.id) },
      { _ = try transaction.document(at: document.path) },
      { _ = try transaction.documentIDs(named: "1") },
      { _ = try transaction.revision(of: document.id) },
      { _ = try transaction.snapshot(digest(1), of: document.id) },
      { _ = try transaction.highlights(HighlightFilter(trash: .included)) },
      { _ = try transaction.highlights(HighlightFilter(trash: .only)) },
      { _ = try transaction.highlights(HighlightFilter(tags: ["x"])) },
      { _ = try transaction.highlight(highlight.id) },
      { _ = try transaction.highlightIDs(named: "5") },
      { _ = try transaction.highlightCounts() },
      { _ = try transaction.anchors(of: document.id, in: digest(2), renderVersion: 1) },
      { _ = try transaction.lastPlaced(of: document.id) },
      { _ = try transaction.properties() }, { _ = try transaction.properties(of: document.id) },
      { _ = try transaction.documentProperties() },
      { _ = try transaction.property(.defaultFormat, asOf: .now) },
      { _ = try transaction.copiedFormat("default") },
      { _ = try transaction.highlights(HighlightFilter(kind: .formats)) },
      { _ = try transaction.tags() }, { _ = try transaction.labels() },
      { _ = try transaction.sightings(of: highlight.id) },
      { _ = try transaction.operations(of: try transaction.replica(), after: 0, limit: 99) },
      { _ = try transaction.operations(on: .highlight(highlight.id)) },
      { _ = try transaction.sources() }, { _ = try transaction.source(of: document.id) },
      { _ = try transaction.worksImported(into: document.id) },
      { _ = try transaction.changeCounter() }, { _ = try transaction.isIndexWhole() },
      { _ = try transaction.catalog() },
      { _ = try transaction.catalog(passing: .substring("quick")) },
      { _ = try transaction.indexKeys(passing: .substring("quick")) },
      { _ = try transaction.newestTexts(of: [document.id]) },
      { _ = try transaction.indexSizes() }, { _ = try transaction.savedQueries() },
      { _ = try transaction.journal(limit: 9) },
      {
        for entry in try transaction.journal(limit: 9) { _ = try transaction.operations(of: entry) }
      },
      { _ = try transaction.nextUndo() }, { _ = try transaction.nextRedo() },
      { _ = try transaction.undoneCreations([.highlight(highlight.id)]) },
      { for entry in Int64(1)...4 { _ = try transaction.fileEdits(of: entry) } },
      { _ = try transaction.pendingSteps() },
      { _ = try transaction.progress() }, { _ = try transaction.noteConflicts() },
      { _ = try transaction.syncStates(withPrefix: "re") },
      { _ = try transaction.currentOperations { _ in } },
      { _ = try transaction.stateLines { _ in } },
    ]
    for read in reads { try attempt(read) }
    let writes: [(WriteTransaction) throws -> Void] = [
      { _ = try $0.setNote("other", of: highlight.id) },
      { _ = try $0.mark(document, "«the»") },
      { _ = try $0.document("c.md") },
      { _ = try $0.indexMissing(after: 0, limit: 9) },
      { _ = try $0.beginStep([]) },
      { transaction in
        _ = try transaction.replaceRevision(
          of: document.id, expecting: digest(2), with: sampleRevision(3), text: "the fox",
          anchors: [highlight.id: highlight.anchor])
      },
      {
        _ = try $0.setAlias(
          document.id, Document.ID(Dot(replica: ReplicaID(rawValue: .max), sequence: 1)), false)
      },
      { _ = try $0.settleNote(of: .highlight(highlight.id), as: "both") },
      { try $0.findConflicts() }, { try $0.bind(document.id, to: DocumentPath("x.md")) },
      { try $0.purge(document.id) },
    ]
    for write in writes {
      try attempt {
        let again = try WriteTransaction(transaction.database, now: Date())
        try write(again)
        try again.finish()
      }
    }
  }

  private static let values = [
    "NULL", "-1", "0", "2", "1 << 31", "1 << 47", "9223372036854775807", "-9223372036854775808",
    "-9.0", "9e999", "-9e999", "1.5", "''", "'x'", "char(0)", "CAST(x'ff41c3' AS TEXT)",
    "printf('%.*c', 2000000, 'x')", "'{\"text\":{\"_0\":\"\\'", "'{\"selector\":{\"_0\":{}}}'",
    "'-1'", "x''", "x'00'", "zeroblob(32)", "zeroblob(2000000)", "randomblob(40)",
  ]

  @Test func `an invalid value in any column never crashes the process`() throws {
    let (store, document, highlights) = try fill()
    let columns = try store.read { transaction in
      try transaction.list(
        """
        SELECT t.name, c.name FROM pragma_table_list t, pragma_table_info(t.name) c
        WHERE t.schema = 'main' AND t.type IN ('table', 'shadow')
          AND t.name NOT LIKE 'sqlite_%'
        """
      ) { (table: try $0.text(0), column: try $0.text(1)) }
    }
    #expect(columns.count > 80)
    struct TakeBack: Error {}
    var stored = 0
    for (table, column) in columns {
      let isFilled =
        try store.read { try $0.first("SELECT 1 FROM \(table)") { _ in true } } ?? false
      #expect(isFilled || table.hasPrefix("text_"), "\(table)")
      for value in Self.values {
        #expect(throws: TakeBack.self, "\(table).\(column) = \(value)") {
          try store.write { transaction in
            do {
              try transaction.execute("UPDATE OR IGNORE \(table) SET \(column) = \(value)")
              stored += transaction.database.changesCount
            } catch is SQLiteError {}
            try readEverything(transaction, document, highlights[0])
            throw TakeBack()
          }
        }
      }
    }
    #expect(stored > 1_000)
    // All changes were rolled back.
    #expect(try store.integrityProblems().isEmpty)
    #expect(try store.read { try $0.highlights(HighlightFilter()).count } == 2)
  }

  @Test func `an invalid row is an error on access, and is skipped in lists`() throws {
    let (store, _, highlights) = try fill()
    try files.sqlite(
      "UPDATE highlight SET start = -1 WHERE sequence = \(highlights[0].id.dot.sequence)")
    let error = StoreError.damaged(
      path: files.path,
      detail: "highlight.start is -1 in the row whose highlight.sequence is "
        + "\(highlights[0].id.dot.sequence)")
    #expect(throws: error) { try store.read { try $0.highlight(highlights[0].id) } }
    for _ in 0..<2 {
      let found = try store.read { try $0.highlights(HighlightFilter()) }
      #expect(found.map(\.id) == [highlights[1].id])
    }
    #expect(store.takeProblems() == [error])
    _ = try store.read { try $0.highlights(HighlightFilter()) }
    #expect(store.takeProblems().isEmpty)
  }

  @Test func `an invalid anchor is listed as orphaned and reported`() throws {
    let (store, _, highlights) = try fill()
    try files.sqlite("UPDATE anchor SET end = start - 1")
    let found = try store.read { try $0.highlights(HighlightFilter()) }
    #expect(found.count == 2 && found.allSatisfy { $0.anchor == .orphan })
    #expect(store.takeProblems().count == 1)
    #expect(throws: StoreError.self) { try store.read { try $0.highlight(highlights[0].id) } }
  }

  private static func samples() -> [Model.Operation.Value] {
    let texts = [
      "", "plain", "\"\\/\u{8}\t\n\u{C}\r\u{1}\u{1F}\u{7F}", "é 北京 👩‍👩‍👧 \u{2028}",
      String(repeating: "words and more words ", count: 100),
    ]
    var values: [Model.Operation.Value] = [
      .none, .flag(false), .flag(true),
      .reference(Dot(replica: ReplicaID(rawValue: 7), sequence: 9)),
      .reference(Dot(replica: ReplicaID(rawValue: .max), sequence: DatabaseRow.countLimit)),
      .reference(Dot(replica: ReplicaID(rawValue: 1 << 63), sequence: 256)),
    ]
    for text in texts {
      values.append(.text(text))
      for digest in [digest(200), nil] {
        for range in [3..<17, 0..<0, 200_000_000..<200_000_129] {
          values.append(
            .selector(
              Selector(
                exact: text, prefix: text + text, suffix: text + "\\",
                position: TextRange(utf16: range), textDigest: digest, renderVersion: 12)))
        }
      }
    }
    return values
  }

  @Test func `the value of an operation is equal after encoding and decoding`() throws {
    let coder = OperationCoder()
    for value in Self.samples() {
      guard let bytes = coder.stored(value) as? [UInt8] else { continue }
      #expect(bytes.withUnsafeBytes(coder.value) == value)
      // Neither a part nor an extended encoding is accepted.
      for count in 0..<bytes.count {
        let part = bytes[..<count].withUnsafeBytes(coder.value)
        guard case .selector = value else { continue }
        #expect(part == nil, "\(count) of \(bytes.count)")
      }
      if case .selector = value { #expect((bytes + [0]).withUnsafeBytes(coder.value) == nil) }
    }
  }

  @Test func `the text of an origin is equal after encoding and takes less than half the bytes`()
    throws
  {
    let coder = OperationCoder()
    var origin = Origin(
      format: "w3c", key: "id:urn:bench:50", marked: .green,
      quoteDigest: "9be75c9feaabd7c1ea0cd20a6a8cb5ca",
      passageDigest: "9be75c9feaabd7c1ea0cd20a6a8cb5ca")
    origin.source = "/data/notes/0500/50000.md"
    origin.title = "/data/notes/0500/50000.md"
    origin.created = Date(timeIntervalSince1970: 1_767_225_600)
    let usual = StoredOrigin(origin).text
    let bytes = try #require(coder.stored(.text(usual), of: .origin) as? [UInt8])
    #expect(bytes.count * 2 < usual.utf8.count)
    // The dictionary is part of the format: later versions must decode these bytes.
    #expect(bytes.withUnsafeBytes(coder.value) == .text(usual))
    for count in 0..<bytes.count {
      let part = bytes[..<count].withUnsafeBytes(coder.value)
      #expect(part == nil, "\(count) of \(bytes.count)")
    }
    for text in ["", "{}", "größe", String(repeating: "a", count: 100_000), usual + "\u{0}"] {
      let stored = coder.stored(.text(text), of: .origin)
      if let bytes = stored as? [UInt8] {
        #expect(bytes.withUnsafeBytes(coder.value) == .text(text))
      } else {
        #expect(stored as? String == text)
      }
    }
  }

  @Test func `random operation bytes never crash the process`() {
    let seed = SeededGenerator.runSeed
    print("seed \(seed)")
    var generator = SeededGenerator(seed: seed)
    let coder = OperationCoder()
    var packed = Self.samples().compactMap { coder.stored($0) as? [UInt8] }
    packed += Self.samples().compactMap { coder.stored($0, of: .origin) as? [UInt8] }
    for _ in 0..<20_000 {
      var bytes = packed.randomElement(using: &generator)!
      for _ in 0...Int.random(in: 0...3, using: &generator) {
        let index = Int.random(in: 0..<min(bytes.count, 60), using: &generator)
        bytes[index] = UInt8.random(in: 0...255, using: &generator)
      }
      _ = bytes.withUnsafeBytes(coder.value)
    }
  }

  @Test func `operation values are decoded from Codable's JSON`() throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    for value in Self.samples() where value != .none {
      // The first versions wrote a flag without its name.
      if case .flag = value { continue }
      let stored = String(decoding: try encoder.encode(value), as: UTF8.self)
      #expect(try Model.Operation.Value(stored: stored) == value)
    }
    #expect(try Model.Operation.Value(stored: "null") == .none)
    #expect(try Model.Operation.Value(stored: "true") == .flag(true))
    for broken in [
      "{", #"{"text":{"_0":"a"}"#, #"{"text":{"_0":"\q"}}"#, #"{"reference":{"_0":"x"}}"#,
    ] {
      #expect(throws: (any Error).self) { try Model.Operation.Value(stored: broken) }
    }
    #expect(try Model.Operation.Value(stored: #"{ "text": {"_0": "\u0041"}}"#) == .text("A"))
  }
}
