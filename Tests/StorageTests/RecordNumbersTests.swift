import Foundation
import Glibc
import Model
import TestSupport
import Testing

@testable import Storage

/// Tests the numbers by which people name documents and highlights.
@Suite struct RecordNumbersTests {
  private let files = TemporaryStore()
  private var backup: String { files.folder + "/copy.zst" }
  private var kept: String { files.folder + "/kept" }

  /// Adds a document whose text has a valid digest, with `count` highlights.
  private func fill(_ store: Store, _ path: String = "a.md", count: Int) throws -> [Highlight] {
    try store.write { transaction in
      let document = try document(path, transaction)
      return try (0..<count).map { _ in try transaction.mark(document, "the «quick» fox") }
    }
  }

  private func document(_ path: String, _ transaction: WriteTransaction) throws -> Document {
    let text = "the quick fox"
    var revision = sampleRevision(1)
    revision.textDigest = RepairTests.digest(of: text)
    return try transaction.createDocument(
      path: DocumentPath(path), title: path, revision: revision,
      text: TextPreparation().prepare(text, positions: []))
  }

  /// The numbers of the highlights, by id.
  private func numbers() throws -> [Highlight.ID: Int] {
    let all = try files.open().read { try $0.highlights(HighlightFilter(trash: .included)) }
    return Dictionary(uniqueKeysWithValues: all.map { ($0.id, $0.number ?? 0) })
  }

  @Test func `documents and highlights are numbered from 1, formatted passages are not`() throws {
    let store = try files.open()
    let first = try fill(store, count: 2)
    let second = try fill(store, "b.md", count: 1)
    try store.write { transaction in
      _ = try transaction.createFormat(
        "{}", in: second[0].document, selector: selector("«the» quick"), anchor: .orphan)
    }
    let third = try fill(store, "c.md", count: 1)
    #expect((first + second + third).map(\.shortID) == ["1", "2", "3", "4"])
    let documents = try store.read { try $0.documents(includingRemoved: true) }
    #expect(documents.map(\.shortID) == ["1", "2", "3"])
    #expect(try store.read { try $0.catalog().map(\.document.number) } == [1, 2, 3])
    #expect(try store.integrityProblems().isEmpty)
  }

  @Test func `a number is kept in the trash, and not given again after its highlight is purged`()
    throws
  {
    let store = try files.open()
    let marks = try fill(store, count: 3)
    for isTrashed in [true, false, true] {
      _ = try store.write { try $0.setTrashed(isTrashed, of: marks[2].id) }
      #expect(try store.read { try $0.highlight(marks[2].id)?.number } == 3)
    }
    try store.write { try $0.purge(marks[2].id) }
    #expect(try store.read { try $0.highlightIDs(named: "3") } == [])
    // A new connection reads the greatest number from the library.
    let again = try files.open()
    #expect(try fill(again, "b.md", count: 1)[0].number == 4)
    try again.write { try $0.purge(marks[0].document) }
    #expect(try fill(again, "c.md", count: 1)[0].number == 5)
    #expect(
      try again.read { try $0.documents(includingRemoved: true).map(\.number) } == [2, 3])
  }

  @Test func `a write that is undone at its end gives no number`() throws {
    let store = try files.open()
    let marks = try fill(store, count: 1)
    let document = try #require(try store.read { try $0.document(marks[0].document) })
    let dry = try store.write(dryRun: true) { try $0.mark(document, "the «quick» fox") }
    #expect(dry.number == 2)
    #expect(try store.write { try $0.mark(document, "the «quick» fox").number } == 2)
  }

  @Test func `a library of version 15 gets numbers in the order of creation`() throws {
    let times = [300.0, 100, 200]
    var ids: [Highlight.ID] = []
    for (index, time) in times.enumerated() {
      let store = try files.open { Date(timeIntervalSince1970: time) }
      ids.append(try fill(store, "\(index).md", count: 1)[0].id)
      if index == 0 {
        // Another copy made the other records, so its clock may be behind.
        try files.sqlite("UPDATE library SET clock = 0")
      } else {
        try files.sqlite(
          "UPDATE library SET clock = 0; UPDATE highlight SET created = \(Int(time)) WHERE key = \(index + 1)"
        )
      }
    }
    try files.makeOlder(version: 15)
    let store = try files.open()
    let found = try store.read { transaction in
      try ids.map { try transaction.highlight($0)?.number }
    }
    let created = try store.read { transaction in
      try ids.map { try #require(try transaction.highlight($0)?.created) }
    }
    let order = created.sorted().map { date in created.firstIndex(of: date)! }
    #expect(order != [0, 1, 2])
    #expect(order.map { found[$0] } == [1, 2, 3])
    let next = try store.write { transaction in
      try transaction.mark(
        try #require(try transaction.documents(includingRemoved: false).first), "the «quick» fox")
    }
    #expect(next.number == 4)
    #expect(
      Set(try store.read { try $0.documents(includingRemoved: true).map(\.number) }) == [1, 2, 3])
  }

  @Test func `after a backup is restored, no number names another highlight`() throws {
    var store: Store? = try files.open()
    let marks = try fill(store!, count: 2)
    _ = try StoreBackup.write(
      files.path, to: backup, replacing: false, digest: RepairTests.hash)
    let later = try fill(store!, "b.md", count: 2)
    #expect(later.map(\.number) == [3, 4])
    try store!.write { try $0.purge(later[1].id) }
    store = nil
    #expect(
      try StoreBackup.restore(backup, to: files.path, keeping: kept, digest: RepairTests.hash))
    #expect(try numbers() == [marks[0].id: 1, marks[1].id: 2])
    // The next highlight, made here or received again.
    store = try files.open()
    #expect(try fill(store!, "c.md", count: 1)[0].number == 5)
    #expect(try store!.integrityProblems(digest: RepairTests.hash).isEmpty)
  }

  @Test func `a backup of version 15 gets the numbers that the library gave its highlights`() throws
  {
    var store: Store? = try files.open()
    var marks = try fill(store!, count: 3)
    try store!.write { try $0.purge(marks[0].id) }
    marks += try fill(store!, "b.md", count: 1)
    store = nil
    // The backup lacks the last document. Numbered alone, its highlights would be 1 and 2.
    let saved = try Data(contentsOf: URL(fileURLWithPath: files.path))
    store = try files.open()
    marks += try fill(store!, "c.md", count: 1)
    store = nil
    let now = try numbers()
    #expect(now.values.sorted() == [2, 3, 4, 5])
    let old = TemporaryStore()
    try saved.write(to: URL(fileURLWithPath: old.path))
    try old.makeOlder(version: 15)
    #expect(
      try StoreBackup.restore(old.path, to: files.path, keeping: kept, digest: RepairTests.hash))
    #expect(try numbers() == now.filter { $0.key != marks[4].id })
    #expect(try fill(files.open(), "d.md", count: 1)[0].number == 6)
  }

  @Test func `a damaged counter loses no highlight`() throws {
    var store: Store? = try files.open()
    _ = try fill(store!, count: 3)
    store = nil
    try files.sqlite("UPDATE library SET documents = 0, highlights = 0")
    store = try files.open()
    #expect(try fill(store!, "b.md", count: 2).map(\.number) == [4, 5])
    #expect(try store!.read { try $0.documents(includingRemoved: false).count } == 2)
  }

  @Test func `a repair keeps all numbers, and gives new ones to records without a number`() throws {
    var store: Store? = try files.open()
    let marks = try fill(store!, count: 4)
    try store!.write { try $0.purge(marks[1].id) }
    store = nil
    try files.sqlite("UPDATE highlight SET number = NULL WHERE number = 3")
    _ = try StoreRepair.repair(files.path, keeping: kept, now: Date(), digest: RepairTests.hash)
    #expect(try numbers() == [marks[0].id: 1, marks[2].id: 5, marks[3].id: 4])
    #expect(try fill(files.open(), "b.md", count: 1)[0].number == 6)
  }
}

extension TemporaryStore {
  /// Turns the library into that of an older version, which had no numbers.
  func makeOlder(version: Int) throws {
    try sqlite(
      """
      DROP INDEX document_number; DROP INDEX highlight_number;
      ALTER TABLE document DROP COLUMN number; ALTER TABLE highlight DROP COLUMN number;
      ALTER TABLE library DROP COLUMN documents; ALTER TABLE library DROP COLUMN highlights;
      PRAGMA user_version = \(version); PRAGMA wal_checkpoint(TRUNCATE);
      """)
  }
}
