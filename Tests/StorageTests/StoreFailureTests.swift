import Foundation
import Model
import TestSupport
import Testing

@testable import Storage

@Suite struct StoreFailureTests {
  let files = TemporaryStore()

  private func fill() throws {
    let store = try files.open()
    try store.write { transaction in
      for number in 0..<200 {
        let document = try transaction.document(
          "\(number).md", String(repeating: "word ", count: 99))
        _ = try transaction.mark(document, "«word» word")
      }
    }
  }

  private func bytes() throws -> Data { try Data(contentsOf: URL(fileURLWithPath: files.path)) }

  @Test func `a text file is not a library and stays unchanged`() throws {
    let text = Data(String(repeating: "no database\n", count: 500).utf8)
    try text.write(to: URL(fileURLWithPath: files.path))
    #expect(throws: StoreError.foreign(path: files.path)) { try files.open() }
    #expect(try bytes() == text)
  }

  @Test func `another program's database is rejected`() throws {
    try run(
      "/usr/bin/env", "python3", "-c",
      "import sqlite3,sys; c=sqlite3.connect(sys.argv[1]); c.execute('create table t(a)'); c.commit()",
      files.path)
    #expect(throws: StoreError.foreign(path: files.path)) { try files.open() }
  }

  @Test func `a newer version is rejected with its number`() throws {
    try fill()
    try run(
      "/usr/bin/env", "python3", "-c",
      "import sqlite3,sys; c=sqlite3.connect(sys.argv[1]); c.execute('pragma user_version=99'); c.commit()",
      files.path)
    #expect(throws: StoreError.newer(path: files.path, version: 99)) { try files.open() }
  }

  @Test(arguments: [100, 5_000, 20_000])
  func `a damaged file is reported and never crashes`(offset: Int) throws {
    try fill()
    var content = try bytes()
    content.replaceSubrange(offset..<offset + 8_192, with: Data(repeating: 0xA5, count: 8_192))
    try content.write(to: URL(fileURLWithPath: files.path))
    do {
      let store = try files.open()
      let problems = try store.integrityProblems()
      #expect(!problems.isEmpty)
    } catch let error as StoreError {
      switch error {
      case .damaged, .foreign: break
      default: Issue.record("unexpected \(error)")
      }
    }
  }

  @Test func `a truncated file is reported as damaged`() throws {
    try fill()
    let content = try bytes()
    try content.prefix(content.count / 2).write(to: URL(fileURLWithPath: files.path))
    var failed = false
    do { failed = try !files.open().integrityProblems().isEmpty } catch is StoreError {
      failed = true
    }
    #expect(failed)
  }

  @Test func `a folder at the path cannot be opened`() throws {
    try FileManager.default.createDirectory(atPath: files.path, withIntermediateDirectories: true)
    #expect(throws: StoreError.self) { try files.open() }
  }

  @Test func `concurrent writes by two stores lose nothing`() async throws {
    let first = try files.open()
    let second = try files.open()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (name, store) in [("a", first), ("b", second)] {
        group.addTask {
          for number in 0..<50 { _ = try store.write { try $0.document("\(name)\(number).md") } }
        }
      }
      try await group.waitForAll()
    }
    #expect(try first.read { try $0.documents(includingRemoved: false).count } == 100)
    #expect(try first.integrityProblems().isEmpty)
    let sequences = try first.read {
      try $0.operations(of: try $0.replica(), after: 0, limit: 1_000).map(\.dot.sequence)
    }
    #expect(sequences == Array(1...300))
  }

  @Test func `a writer does not block readers`() throws {
    let writer = try files.open()
    _ = try writer.write { try $0.document("a.md") }
    let reader = try files.open()
    try writer.write { transaction in
      _ = try transaction.document("b.md")
      #expect(try reader.read { try $0.documents(includingRemoved: false).count } == 1)
    }
    #expect(try reader.read { try $0.documents(includingRemoved: false).count } == 2)
  }

  @Test func `a read-only store reads and does not write`() throws {
    try fill()
    let store = try Store(at: files.path, access: .readOnly)
    #expect(try store.read { try $0.documents(includingRemoved: false).count } == 200)
    #expect(throws: StoreError.readOnly(path: files.path)) {
      try store.write { try $0.document("x.md") }
    }
  }

  private func run(_ program: String, _ arguments: String...) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    try process.run()
    #expect(try process.end() == 0)
  }
}

@Suite struct CachedAnchorsTests {
  let files = TemporaryStore()

  @Test func `if there are too many anchors, those in the least recent texts are deleted`() throws {
    let store = try files.open()
    let highlight = try store.write {
      try $0.mark(try $0.document("a.md"), "the «quick» fox")
    }
    try store.write { transaction in
      for number in UInt8(2)...40 {
        _ = try transaction.replaceRevision(
          of: highlight.document, expecting: digest(number - 1), with: sampleRevision(number),
          text: "text \(number)", anchors: [highlight.id: highlight.anchor])
      }
    }
    func known() throws -> [UInt8] {
      try store.read { transaction in
        try (UInt8(1)...40).filter {
          try !transaction.anchors(of: highlight.document, in: digest($0), renderVersion: 1).isEmpty
        }
      }
    }
    #expect(try known() == Array(1...40))
    try store.write { transaction in
      let key = try #require(try transaction.documentKey(highlight.document))
      try transaction.prunePlaces(of: key, to: 20)
    }
    // The text in which the highlight was created is kept, with its anchor.
    #expect(try known() == [1] + Array(21...40))
  }
}
