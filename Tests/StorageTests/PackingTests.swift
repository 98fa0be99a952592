import Foundation
import Model
import Testing

@testable import Storage

/// A library as version 6 stored it: two documents, a text that has changed, notes, tags and three
/// highlights, one of which was reattached twice and then removed.
private let sixth = #"""
  UPDATE library SET replica = -806672425864262795, sequence = 23, clock = 117657571954196480;
  INSERT INTO document VALUES(1,-806672425864262795,1,'/notes/a.md','Title',0,1,1795312008086,1795312008086,X'f89bbd820874835cc5039ee6a31a064d8b3153be17b0442696082ca2157e3986',X'aa4ec876d27e17e40bfe2dd01ecd233188567c524d12cf03eb4d764e41e74be4',1,133,1795312072078391708,1795312072078391708,16556220,65024,1795312074298836391,1795312074307);
  INSERT INTO document VALUES(2,-806672425864262795,4,'/notes/b.md','Other',0,1,1795312008086,1795312008086,X'f05f7f2c5103512436a3469bbaddf8b48e5addfd1776d727878a61521d949402',X'83f6c254f04b3749c2b008d36039b00b44cc4d22401d9adfe031830c307c6d4d',1,42,1795312008003999039,1795312008003999039,16556444,65024,1795312071879713085,1795312008081);
  INSERT INTO snapshot VALUES(1,X'1ff2b4cf8bdacc9d15b3a786d64fd3007221e3c0fd18ce98cb3817325c1f31b2',1,1795312008081,123,X'28b52ffd247bb5030012471b25a0291d9ffb83eab58991f67d621fb7cd8d886c44b63fef4d885ce2bcf5ac862808aac680014b2fde77e5359c45ed1dd08bf7ddd93328f9494ee8cb6da3fd805a945685609df2d5b20f59c0186148933f605469924cfc38607c03c627d6b97bcb83139a86385c19a3b41035260100a3ad40011d48bea6',X'00000216040201d601040201');
  INSERT INTO snapshot VALUES(2,X'83f6c254f04b3749c2b008d36039b00b44cc4d22401d9adfe031830c307c6d4d',2,1795312008081,38,X'28b52ffd24263101004f746865720a536f6d652074657874206865726520746f206d61726b20616e64206d6f76652e7af146e0',NULL);
  INSERT INTO snapshot VALUES(1,X'aa4ec876d27e17e40bfe2dd01ecd233188567c524d12cf03eb4d764e41e74be4',2,1795312074307,128,X'28b52ffd2480cd030062071c2590391d0fde7d992bd89d2147f5d19d668b8888a0268b5f775b936d8a8e999536a3195b15254c2fde77e5359c49ed1dd08bf7fdd9b328194acee8cbada3fd80c22cad9360ddf2d5b20f59c0186150933f6054aa92540c39607c03c62bf6b97bcb83139c86387c624d5c59a368416a4d0100a8ad40012d500a60',X'00000216040201ea01040201');
  INSERT INTO highlight VALUES(1,-806672425864262795,7,1,'yellow','why "so"?',0,1795312008101,1795312008101,'quick brown',replace('Title\nThe ','\n',char(10)),replace(' fox — “größe” 👩‍👩‍👧 said "no\yes".\nA second paragraph of words, with more words.','\n',char(10)),10,21,X'1ff2b4cf8bdacc9d15b3a786d64fd3007221e3c0fd18ce98cb3817325c1f31b2',1,0,-7278707257476691948);
  INSERT INTO highlight VALUES(2,-806672425864262795,13,1,'green','changed',0,1795312008117,1795312071981,'größe',replace('Title\nThe quick brown fox — “','\n',char(10)),replace('” 👩‍👩‍👧 said "no\yes".\nA second paragraph of words, with more words.','\n',char(10)),29,34,X'1ff2b4cf8bdacc9d15b3a786d64fd3007221e3c0fd18ce98cb3817325c1f31b2',1,0,-8987001436398331970);
  INSERT INTO highlight VALUES(3,-806672425864262795,16,2,'yellow','',1,1795312008131,1795312072055,'text here',replace('Other\nSome ','\n',char(10)),' to mark and move.',11,20,X'83f6c254f04b3749c2b008d36039b00b44cc4d22401d9adfe031830c307c6d4d',1,0,-5160479639831876483);
  INSERT INTO tag VALUES(1,'one');
  INSERT INTO tag VALUES(1,'two');
  INSERT INTO color_label VALUES('green','question');
  INSERT INTO journal VALUES(1,1795312008086,'act',NULL,0,1,6,'',NULL);
  INSERT INTO journal VALUES(2,1795312008101,'act',NULL,0,7,12,'',NULL);
  INSERT INTO journal VALUES(3,1795312008117,'act',NULL,0,13,15,'',NULL);
  INSERT INTO journal VALUES(4,1795312008131,'act',NULL,0,16,18,'',NULL);
  INSERT INTO journal VALUES(5,1795312071891,'act',NULL,1,19,19,'',NULL);
  INSERT INTO journal VALUES(6,1795312071931,'undo',5,0,20,20,'',NULL);
  INSERT INTO journal VALUES(7,1795312071981,'act',NULL,0,21,21,'',NULL);
  INSERT INTO journal VALUES(8,1795312072032,'act',NULL,0,22,22,'',NULL);
  INSERT INTO journal VALUES(9,1795312072055,'act',NULL,0,23,23,'',NULL);
  INSERT INTO anchor VALUES(1,-7278707257476691948,X'1ff2b4cf8bdacc9d15b3a786d64fd3007221e3c0fd18ce98cb3817325c1f31b2',1,1,10,21,'exact',1.0,0.0,'marked',3,5);
  INSERT INTO anchor VALUES(1,-7278707257476691948,X'aa4ec876d27e17e40bfe2dd01ecd233188567c524d12cf03eb4d764e41e74be4',1,2,15,26,'exact',0.97974288041609947086,0.0,'snapshot-diff',3,10);
  INSERT INTO anchor VALUES(2,-8987001436398331970,X'1ff2b4cf8bdacc9d15b3a786d64fd3007221e3c0fd18ce98cb3817325c1f31b2',1,1,29,34,'exact',1.0,0.0,'marked',3,24);
  INSERT INTO anchor VALUES(2,-8987001436398331970,X'aa4ec876d27e17e40bfe2dd01ecd233188567c524d12cf03eb4d764e41e74be4',1,2,34,39,'exact',0.98254402525144457491,0.0,'snapshot-diff',3,29);
  INSERT INTO anchor VALUES(3,-5160479639831876483,X'83f6c254f04b3749c2b008d36039b00b44cc4d22401d9adfe031830c307c6d4d',1,2,11,20,'exact',1.0,0.0,'marked',3,6);
  INSERT INTO anchor VALUES(3,6289591619282052417,X'83f6c254f04b3749c2b008d36039b00b44cc4d22401d9adfe031830c307c6d4d',1,1,24,37,'exact',1.0,0.0,'reattached',3,19);
  INSERT INTO operation VALUES(-806672425864262795,1,117657567761924096,1,1,-806672425864262795,1,'created','null','null');
  INSERT INTO operation VALUES(-806672425864262795,2,117657567761924097,1,1,-806672425864262795,1,'path','{"text":{"_0":"/notes/a.md"}}','null');
  INSERT INTO operation VALUES(-806672425864262795,3,117657567761924098,1,1,-806672425864262795,1,'title','{"text":{"_0":"Title"}}','null');
  INSERT INTO operation VALUES(-806672425864262795,4,117657567761924099,1,1,-806672425864262795,4,'created','null','null');
  INSERT INTO operation VALUES(-806672425864262795,5,117657567761924100,1,1,-806672425864262795,4,'path','{"text":{"_0":"/notes/b.md"}}','null');
  INSERT INTO operation VALUES(-806672425864262795,6,117657567761924101,1,1,-806672425864262795,4,'title','{"text":{"_0":"Other"}}','null');
  INSERT INTO operation VALUES(-806672425864262795,7,117657567762907136,7,2,-806672425864262795,7,'created','{"reference":{"_0":"1-f4ce1fb3de420b75"}}','null');
  INSERT INTO operation VALUES(-806672425864262795,8,117657567762907137,7,2,-806672425864262795,7,'selector','{"selector":{"_0":{"exact":"quick brown","position":{"end":21,"start":10},"prefix":"Title\nThe ","renderVersion":1,"suffix":" fox — “größe” 👩‍👩‍👧 said \"no\\yes\".\nA second paragraph of words, with more words.","textDigest":"1ff2b4cf8bdacc9d15b3a786d64fd3007221e3c0fd18ce98cb3817325c1f31b2"}}}','null');
  INSERT INTO operation VALUES(-806672425864262795,9,117657567762907138,7,2,-806672425864262795,7,'color','{"text":{"_0":"yellow"}}','null');
  INSERT INTO operation VALUES(-806672425864262795,10,117657567762907139,7,2,-806672425864262795,7,'note','{"text":{"_0":"why \"so\"?"}}','null');
  INSERT INTO operation VALUES(-806672425864262795,11,117657567762907140,7,2,-806672425864262795,7,'tag/one','true','null');
  INSERT INTO operation VALUES(-806672425864262795,12,117657567762907141,7,2,-806672425864262795,7,'tag/two','true','null');
  INSERT INTO operation VALUES(-806672425864262795,13,117657567763955712,13,2,-806672425864262795,13,'created','{"reference":{"_0":"1-f4ce1fb3de420b75"}}','null');
  INSERT INTO operation VALUES(-806672425864262795,14,117657567763955713,13,2,-806672425864262795,13,'selector','{"selector":{"_0":{"exact":"größe","position":{"end":34,"start":29},"prefix":"Title\nThe quick brown fox — “","renderVersion":1,"suffix":"” 👩‍👩‍👧 said \"no\\yes\".\nA second paragraph of words, with more words.","textDigest":"1ff2b4cf8bdacc9d15b3a786d64fd3007221e3c0fd18ce98cb3817325c1f31b2"}}}','null');
  INSERT INTO operation VALUES(-806672425864262795,15,117657567763955714,13,2,-806672425864262795,13,'color','{"text":{"_0":"green"}}','null');
  INSERT INTO operation VALUES(-806672425864262795,16,117657567764873216,16,2,-806672425864262795,16,'created','{"reference":{"_0":"4-f4ce1fb3de420b75"}}','null');
  INSERT INTO operation VALUES(-806672425864262795,17,117657567764873217,16,2,-806672425864262795,16,'selector','{"selector":{"_0":{"exact":"text here","position":{"end":20,"start":11},"prefix":"Other\nSome ","renderVersion":1,"suffix":" to mark and move.","textDigest":"83f6c254f04b3749c2b008d36039b00b44cc4d22401d9adfe031830c307c6d4d"}}}','null');
  INSERT INTO operation VALUES(-806672425864262795,18,117657567764873218,16,2,-806672425864262795,16,'color','{"text":{"_0":"yellow"}}','null');
  INSERT INTO operation VALUES(-806672425864262795,19,117657571943448576,19,2,-806672425864262795,16,'selector','{"selector":{"_0":{"exact":"mark and move","position":{"end":37,"start":24},"prefix":"Other\nSome text here to ","renderVersion":1,"suffix":".","textDigest":"83f6c254f04b3749c2b008d36039b00b44cc4d22401d9adfe031830c307c6d4d"}}}','{"selector":{"_0":{"exact":"text here","position":{"end":20,"start":11},"prefix":"Other\nSome ","renderVersion":1,"suffix":" to mark and move.","textDigest":"83f6c254f04b3749c2b008d36039b00b44cc4d22401d9adfe031830c307c6d4d"}}}');
  INSERT INTO operation VALUES(-806672425864262795,20,117657571946070016,20,2,-806672425864262795,16,'selector','{"selector":{"_0":{"exact":"text here","position":{"end":20,"start":11},"prefix":"Other\nSome ","renderVersion":1,"suffix":" to mark and move.","textDigest":"83f6c254f04b3749c2b008d36039b00b44cc4d22401d9adfe031830c307c6d4d"}}}','{"selector":{"_0":{"exact":"mark and move","position":{"end":37,"start":24},"prefix":"Other\nSome text here to ","renderVersion":1,"suffix":".","textDigest":"83f6c254f04b3749c2b008d36039b00b44cc4d22401d9adfe031830c307c6d4d"}}}');
  INSERT INTO operation VALUES(-806672425864262795,21,117657571949346816,21,2,-806672425864262795,13,'note','{"text":{"_0":"changed"}}','{"text":{"_0":""}}');
  INSERT INTO operation VALUES(-806672425864262795,22,117657571952689152,22,3,0,1,'label/green','{"text":{"_0":"question"}}','{"text":{"_0":""}}');
  INSERT INTO operation VALUES(-806672425864262795,23,117657571954196480,23,2,-806672425864262795,16,'trashed','true','false');
  """#

@Suite struct PackingTests {
  let files = TemporaryStore()

  private func fill() throws {
    try files.create(version: 6)
    try files.sqlite(sixth)
  }

  @Test func `migrating a library of version 6 keeps everything in fewer bytes`() throws {
    try fill()
    let before = try files.sqlite(
      "SELECT sequence, exact, prefix, suffix, start, end FROM highlight ORDER BY sequence")
    #expect(before.contains("The |"))
    let store = try files.open()
    #expect(try store.integrityProblems().isEmpty)
    try store.read { transaction in
      let found = try transaction.highlights(HighlightFilter(trash: .included))
        .sorted { $0.id < $1.id }
      let after = found.map { highlight in
        let selector = highlight.selector
        let range = selector.position.utf16
        return [
          "\(highlight.id.dot.sequence)", selector.exact, selector.prefix, selector.suffix,
          "\(range.lowerBound)", "\(range.upperBound)",
        ].joined(separator: "|")
      }
      #expect(after.joined(separator: "\n") == before)
      #expect(found.map(\.note) == ["why \"so\"?", "changed", ""])
      #expect(found.map(\.tags) == [["one", "two"], [], []])
      #expect(found.map(\.isTrashed) == [false, false, true])
      #expect(found.map(\.anchor.range?.utf16) == [15..<26, 34..<39, 11..<20])

      let third = found[2]
      let operations = try transaction.operations(on: .highlight(third.id))
      #expect(
        operations.map(\.field)
          == [.created, .selector, .color, .selector, .selector, .trashed])
      #expect(operations[0].value == .reference(third.document.dot))
      #expect(operations[4].value == .selector(third.selector))
      #expect(operations[3].previous == operations[4].value)
      #expect(operations[3].value == operations[4].previous)
      guard case .selector(let elsewhere) = operations[3].value else {
        Issue.record("no passage: \(operations[3])")
        return
      }
      #expect(elsewhere.exact == "mark and move" && elsewhere.prefix == "Other\nSome text here to ")
      #expect((operations[5].value, operations[5].previous) == (.flag(true), .flag(false)))
      #expect(try transaction.operations(on: .library).map(\.value) == [.text("question")])
    }
    // Earlier steps can still be undone.
    try store.write { transaction in
      let entry = try #require(try transaction.nextUndo())
      transaction.journal(JournalStep(.undo, of: entry.id))
      #expect(try transaction.reverse(transaction.operations(of: entry)) == (1, 0))
    }
    #expect(try store.read { try $0.highlights(HighlightFilter()).count } == 3)
    #expect(try store.integrityProblems().isEmpty)
    #expect(try files.sqlite("SELECT count(*) FROM operation WHERE value LIKE '{%'") == "0")
  }

  @Test func `a library whose migration fails is unchanged`() throws {
    try fill()
    try files.sqlite("INSERT INTO tag VALUES (99, 'of nothing')")
    let before = try files.sqlite("SELECT * FROM operation; SELECT * FROM highlight")
    #expect(throws: StoreError.self) { try files.open() }
    #expect(try files.sqlite("SELECT * FROM operation; SELECT * FROM highlight") == before)
    #expect(try files.sqlite("PRAGMA user_version") == "6")
    try files.sqlite("DELETE FROM tag WHERE highlight = 99")
    #expect(try files.open().integrityProblems().isEmpty)
  }

  @Test func `the context of a highlight is stored once, and deleted when it is purged`() throws {
    let store = try files.open()
    let words = (0..<64).map { "seldom\($0)" }.joined(separator: " ")
    let id = try store.write { transaction in
      let document = try transaction.document("a.md", "the quick fox \(words)")
      return try transaction.mark(document, "the «quick» fox \(words)").id
    }
    #expect(try store.read { try $0.highlight(id)?.selector.suffix } == " fox \(words)")
    let operations = "SELECT sum(length(value)) FROM operation"
    #expect(try #require(Int(try files.sqlite(operations))) < words.count)
    try store.write { try $0.purge(id) }
    #expect(
      try files.sqlite(
        "SELECT count(*) FROM operation WHERE field = 'selector' AND value IS NOT NULL") == "0")
  }

  @Test func `migrating a library of version 13 rebuilds the index of later changes`() throws {
    let id = try files.open().write { transaction in
      let document = try transaction.document("a.md", "the quick fox")
      return try transaction.mark(document, "the «quick» fox").id
    }
    for index in 0..<10 { _ = try files.open().write { try $0.setNote("note \(index)", of: id) } }
    let operations = try files.open().read { try $0.operations(on: .highlight(id)) }
    #expect(operations.count > 10)
    // Restore the schema of version 13.
    try files.sqlite(
      """
      DROP INDEX operation_record;
      CREATE INDEX operation_record
        ON operation (record_sequence, record_replica, field, time) WHERE field <> 'created';
      PRAGMA user_version = 13;
      """)
    let now = try files.open()
    #expect(try files.sqlite("PRAGMA user_version") == "\(Schema.version)")
    #expect(try now.read { try $0.operations(on: .highlight(id)) } == operations)
    #expect(try now.integrityProblems().isEmpty)
    #expect(try files.sqlite("PRAGMA integrity_check") == "ok")
  }

  @Test func `changes of a record are found without scanning all operations`() throws {
    let changes = Operation.changes(of: "?1", "?2")
    let sql = "EXPLAIN QUERY PLAN SELECT time FROM \(changes) WHERE field = ?3"
    try files.open().read { transaction in
      let steps = try transaction.list(sql, [1, 2, "note"]) { try $0.text(3) }
      #expect(steps.contains { $0.contains("USING PRIMARY KEY (sequence>?") }, "\(steps)")
      #expect(
        steps.contains { $0.contains("INDEX operation_record (record_sequence=?") }, "\(steps)")
      #expect(!steps.contains { $0.hasPrefix("SCAN operation") }, "\(steps)")
    }
  }

  @Test func `migrating a library of version 12 keeps each origin once`() throws {
    let origin = StoredOrigin(
      Origin(
        format: "w3c", key: "id:urn:a", marked: .green,
        quoteDigest: "9be75c9feaabd7c1ea0cd20a6a8cb5ca",
        passageDigest: "9be75c9feaabd7c1ea0cd20a6a8cb5ca"))
    let newer = #"{"format":"w3c","from":"a newer Diple"}"#
    let selector = Selector(
      exact: "quick", prefix: "", suffix: "", position: TextRange(utf16: 10..<15),
      textDigest: nil, renderVersion: 2)
    try files.create(version: 12)
    try files.sqlite(
      """
      UPDATE library SET replica = 7, sequence = 9, clock = 117657571954196480;
      INSERT INTO document (key, replica, sequence, path, present, created, updated)
        VALUES (1, 7, 1, '/notes/a.md', 1, 1795312008086, 1795312008086);
      INSERT INTO highlight (key, replica, sequence, document, color, created, updated, exact, start,
        end, render_version, selector, origin, origin_key)
        VALUES (1, 7, 3, 1, 'green', 1795312008086, 1795312008086, 'quick', 10, 15, 2,
          \(selector.storedHash), '\(origin.text)', 'w3c:id:urn:a');
      INSERT INTO operation VALUES (7, 1, 117657567761924096, 1, 1, 7, 1, 'created', NULL, NULL, NULL);
      INSERT INTO operation
        VALUES (7, 2, 117657567761924097, 1, 1, 7, 1, 'path', '/notes/a.md', NULL, NULL);
      INSERT INTO operation VALUES (7, 3, 117657567761924098, 3, 2, 7, 3, 'created',
        x'01000000000000000701', NULL, NULL);
      INSERT INTO operation VALUES (7, 4, 117657567761924099, 3, 2, 7, 3, 'selector',
        CAST(x'02000A0502000500' || 'quick' AS BLOB), NULL, NULL);
      INSERT INTO operation VALUES (7, 5, 117657567761924100, 3, 2, 7, 3, 'color', 'green', NULL, NULL);
      INSERT INTO operation
        VALUES (7, 6, 117657567761924101, 3, 2, 7, 3, 'origin', '\(newer)', NULL, NULL);
      INSERT INTO operation VALUES (7, 7, 117657567761924102, 3, 2, 7, 3, 'origin', '\(origin.text)',
        '\(newer)', NULL);
      """)
    let store = try files.open()
    #expect(try store.integrityProblems().isEmpty)
    try store.read { transaction in
      let found = try transaction.highlights(HighlightFilter())
      #expect(found.map(\.origin) == [origin])
      #expect(try transaction.imported(under: ["w3c:id:urn:a"]).count == 1)
      #expect(try transaction.firstOrigin(of: found[0].document) == origin)
      let operations = try transaction.operations(on: .highlight(found[0].id))
        .filter { $0.field == .origin }
      #expect(operations.map(\.value) == [.text(newer), .text(origin.text)])
      #expect(operations.map(\.previous) == [.none, .text(newer)])
    }
    #expect(
      try files.sqlite(
        "SELECT typeof(value) FROM operation WHERE field = 'origin' ORDER BY sequence"
      )
      .hasSuffix("blob"))
  }
}
