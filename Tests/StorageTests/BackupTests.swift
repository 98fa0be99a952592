import Foundation
import Glibc
import Model
import TestSupport
import Testing

@testable import Storage

/// Tests that backups are verified when they are written, and restored only if they are valid.
@Suite struct BackupTests {
  let files = TemporaryStore()
  private var backup: String { files.folder + "/copy.zst" }
  private var kept: String { files.folder + "/kept" }

  private func fill() throws -> Store {
    let store = try files.open()
    try store.write { transaction in
      let text = "the quick fox"
      var revision = sampleRevision(1)
      revision.textDigest = RepairTests.digest(of: text)
      let document = try transaction.createDocument(
        path: DocumentPath("a.md"), title: "A", revision: revision,
        text: TextPreparation().prepare(text, positions: []))
      _ = try transaction.mark(document, "the «quick» fox")
    }
    return store
  }

  private func write(replacing: Bool = false) throws -> Int {
    try StoreBackup.write(files.path, to: backup, replacing: replacing, digest: RepairTests.hash)
  }

  private func restore() throws -> Bool {
    unlink(kept)
    return try StoreBackup.restore(
      backup, to: files.path, keeping: kept, digest: RepairTests.hash)
  }

  private func highlights() throws -> [Highlight] {
    try files.open().read { try $0.highlights(HighlightFilter(trash: .included)) }
  }

  @Test func `a backup of an open library can be restored`() throws {
    var store: Store? = try fill()
    let before = try highlights()
    #expect(try write() > 0)
    var status = stat()
    #expect(stat(backup, &status) == 0 && status.st_mode & 0o777 == 0o600)
    #expect(throws: StoreBackup.Failure.exists(backup)) { try write() }
    #expect(try write(replacing: true) == Int(status.st_size))
    _ = try store?.write { try $0.setNote("another", of: before[0].id) }
    store = nil
    #expect(try restore())
    #expect(try highlights() == before)
    #expect(try files.open().integrityProblems(digest: RepairTests.hash) == [])
    // The replaced library was kept unchanged.
    #expect(try Store(at: kept).read { try $0.highlights(HighlightFilter())[0].note } == "another")
    let left = try FileManager.default.contentsOfDirectory(atPath: files.folder)
    #expect(
      left.allSatisfy { $0.hasPrefix("library.sqlite") || $0 == "copy.zst" || $0.hasPrefix("kept") }
    )
    #expect(!left.contains { $0.contains("restore") || $0.contains("copy-") }, "\(left)")
  }

  @Test func `a library that is open is not replaced`() throws {
    let store = try fill()
    _ = try write()
    let before = try highlights()
    #expect(throws: StoreError.busy(path: files.path)) { try restore() }
    #expect(try store.read { try $0.highlights(HighlightFilter()) } == before)
  }

  @Test func `a backup is restored into a folder without a library`() throws {
    _ = try fill()
    let before = try highlights()
    _ = try write()
    for ending in ["", "-wal", "-shm"] { unlink(files.path + ending) }
    // A log of the old library remains. It must not be applied to the restored one.
    try Data("left".utf8).write(to: URL(filePath: files.path + "-wal"))
    #expect(try !restore())
    #expect(try highlights() == before)
  }

  @Test func `an invalid backup is rejected, and the library is unchanged`() throws {
    _ = try fill()
    let before = try highlights()
    _ = try write()
    let whole = try Data(contentsOf: URL(filePath: backup))
    let seed = SeededGenerator.runSeed
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    var contents = [Data(), Data("some text".utf8), whole.dropLast(), whole + [0], whole + whole]
    for _ in 0..<60 {
      var bytes = whole
      bytes[Int.random(in: 0..<bytes.count, using: &random)] ^=
        1 << UInt8.random(in: 0..<8, using: &random)
      contents.append(bytes)
    }
    // Add a compressed database of another program.
    let other = TemporaryStore()
    try other.sqlite("CREATE TABLE t (a)")
    let input = open(other.path, O_RDONLY)
    let output = open(other.folder + "/other.zst", O_RDWR | O_CREAT, 0o600)
    try FrameStream.compress(input, to: output)
    close(input)
    close(output)
    contents.append(try Data(contentsOf: URL(filePath: other.folder + "/other.zst")))
    for content in contents {
      try content.write(to: URL(filePath: backup))
      do {
        _ = try restore()
        // An altered backup may be accepted only if the altered bit has no meaning in the frame.
        #expect(try highlights() == before)
      } catch {
        #expect(error is StoreBackup.Failure, "\(error)")
        #expect(try highlights() == before)
      }
    }
  }

  @Test func `a library with integrity errors is not backed up`() throws {
    _ = try fill()
    try files.sqlite("UPDATE highlight SET note = 'z'")
    #expect(throws: StoreError.self) { try write() }
    #expect(!FileManager.default.fileExists(atPath: backup))
  }

  @Test func `a backup of a library of the previous version is updated`() throws {
    _ = try fill()
    let before = try highlights()
    try files.makeOlder(version: 14)
    let database = try Database(files.path, .readOnly)
    try database.execute("VACUUM INTO ?", [backup])
    unlink(files.path)
    #expect(try !restore())
    #expect(try highlights() == before)
    #expect(try files.sqlite("PRAGMA user_version") == "\(Schema.version)")
  }

  @Test func `the content mark changes with the content, but not with checks of files`() throws {
    let store = try fill()
    let id = try store.read { try $0.documents(includingRemoved: false)[0].id }
    let first = try store.read { try $0.contentMark() }
    try store.write { try $0.setStamp(sampleRevision(9).stamp, of: id) }
    #expect(try store.read { try $0.contentMark() } == first)
    _ = try store.write { try $0.setTitle("other", of: id) }
    #expect(try store.read { try $0.contentMark() } != first)
  }
}
