import Foundation
import Glibc
import Model
import Testing

@testable import Storage

/// Tests libraries that cannot be written, and files that are not libraries.
@Suite struct ReadOnlyTests {
  let files = TemporaryStore()

  private func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: files.folder).sorted()
  }

  private func bytes() throws -> Data { try Data(contentsOf: URL(fileURLWithPath: files.path)) }

  /// Creates a library whose last document is only in the log.
  ///
  /// - Parameter kept: The suffixes of the files that remain beside the library.
  private func leave(_ kept: [String]) throws {
    let store = try files.open()
    _ = try store.write { try $0.document("a.md") }
    try files.sqlite("PRAGMA wal_checkpoint(TRUNCATE)")
    _ = try store.write { try $0.document("b.md") }
    let copy = files.folder + "/copy"
    try FileManager.default.createDirectory(atPath: copy, withIntermediateDirectories: true)
    for ending in [""] + kept {
      try FileManager.default.copyItem(
        atPath: files.path + ending, toPath: copy + "/library.sqlite" + ending)
    }
  }

  /// Runs a closure while the folder of the copy cannot be written, with the rights of another
  /// user, because the superuser can write everywhere. The rights apply only to the thread.
  private func withoutRights<T>(_ body: (String) throws -> T) throws -> T {
    let copy = files.folder + "/copy"
    for name in try FileManager.default.contentsOfDirectory(atPath: copy) {
      chmod(copy + "/" + name, 0o444)
    }
    chmod(copy, 0o555)
    defer { chmod(copy, 0o755) }
    let isRoot = geteuid() == 0
    // The module of the C library doesn't contain this function.
    typealias SetUser = @convention(c) (uid_t) -> Int32
    let setUser = unsafeBitCast(try #require(dlsym(nil, "setfsuid")), to: SetUser.self)
    if isRoot { _ = setUser(65_534) }
    defer { if isRoot { _ = setUser(0) } }
    return try body(copy + "/library.sqlite")
  }

  @Test(arguments: [[], ["-wal"], ["-wal", "-shm"]])
  func `a library on a read-only disk is read completely`(_ kept: [String]) throws {
    try leave(kept)
    let expected = kept.isEmpty ? ["a.md"] : ["a.md", "b.md"]
    try withoutRights { path in
      #expect(throws: StoreError.readOnly(path: path)) { try Store(at: path) }
      let store = try Store(at: path, access: .readOnly)
      let found = try store.read { try $0.documents(includingRemoved: false).map(\.path.string) }
      #expect(found == expected)
    }
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: files.folder + "/copy").sorted()
        == ["library.sqlite"] + kept.map { "library.sqlite" + $0 }.sorted())
  }

  @Test func `incomplete log files after a full disk do not prevent reading`() throws {
    try leave([])
    for (ending, size) in [("-shm", 3), ("-wal", 0)] {
      try Data(count: size).write(
        to: URL(fileURLWithPath: files.folder + "/copy/library.sqlite" + ending))
    }
    try withoutRights { path in
      #expect(throws: StoreError.readOnly(path: path)) { try Store(at: path) }
      let store = try Store(at: path, access: .readOnly)
      #expect(try store.read { try $0.documents(includingRemoved: false).count } == 1)
    }
  }

  @Test func `an empty file is damaged and not changed`() throws {
    try Data().write(to: URL(fileURLWithPath: files.path))
    let error = StoreError.damaged(path: files.path, detail: "it is empty, 0 bytes")
    #expect(throws: error) { try files.open() }
    #expect(throws: error) { try Store(at: files.path, access: .readOnly) }
    #expect(try bytes().isEmpty)
    #expect(try names() == ["library.sqlite"])
  }

  @Test(arguments: ["DELETE", "WAL"])
  func `another program's database is not changed`(_ mode: String) throws {
    try files.sqlite("PRAGMA journal_mode = \(mode); CREATE TABLE t (a); INSERT INTO t VALUES (1)")
    let before = (try bytes(), try names())
    #expect(throws: StoreError.foreign(path: files.path)) { try files.open() }
    #expect(try bytes() == before.0)
    #expect(try names() == before.1)
    #expect(throws: StoreError.foreign(path: files.path)) {
      try Store(at: files.path, access: .readOnly)
    }
    #expect(try bytes() == before.0)
  }

  @Test func `the remains of an interrupted creation do not prevent a new library`() throws {
    // A new library has a temporary name until it is complete.
    try Data().write(to: URL(fileURLWithPath: files.path + ".new-1-1"))
    let store = try files.open()
    #expect(try store.integrityProblems().isEmpty)
    #expect(try names().filter { $0.contains(".new-") } == ["library.sqlite.new-1-1"])
  }

  @Test func `concurrent creations yield one library`() async throws {
    let path = files.path
    try await withThrowingTaskGroup(of: ReplicaID.self) { group in
      for number in 0..<8 {
        group.addTask {
          let store = try Store(at: path)
          _ = try store.write { try $0.document("\(number).md") }
          return try store.read { try $0.replica() }
        }
      }
      var replicas: Set<ReplicaID> = []
      for try await replica in group { replicas.insert(replica) }
      #expect(replicas.count == 1)
    }
    #expect(try files.open().read { try $0.documents(includingRemoved: false).count } == 8)
  }

  @Test func `a trigger in a library does not run`() throws {
    _ = try files.open().write { try $0.document("a.md") }
    try files.sqlite(
      "CREATE TRIGGER t AFTER INSERT ON document BEGIN DELETE FROM document WHERE path = 'a.md'; END"
    )
    _ = try files.open().write { try $0.document("b.md") }
    #expect(try files.open().read { try $0.documents(includingRemoved: false).count } == 2)
  }

  @Test func `system errors are mapped to store errors`() {
    func meaning(_ code: Int32, _ system: Int32) -> StoreError {
      StoreError(SQLiteError(code, system: system, "disk I/O error"), path: "/x/y")
    }
    let write = Int32(10 | 3 << 8)
    #expect(meaning(write, ENOSPC) == .full(path: "/x/y"))
    #expect(meaning(write, EDQUOT) == .full(path: "/x/y"))
    #expect(meaning(write, EFBIG) == .full(path: "/x/y"))
    #expect(meaning(write, EROFS) == .readOnly(path: "/x/y"))
    let grow = Int32(10 | 19 << 8)
    for code in [write, grow] {
      #expect(meaning(code, EIO) == .inputOutput(path: "/x/y", detail: "disk I/O error"))
      #expect(
        meaning(code, EIO).description
          == "the library /x/y could not be read or written: input/output error (disk I/O error)")
    }
    #expect(meaning(grow, ENOSPC) == .full(path: "/x/y"))
    #expect(SystemErrors.number(in: "os_unix.c:39255: (5) write(/a-shm) - Input/output error") == 5)
    #expect(SystemErrors.number(in: "recovered 3 frames from WAL file") == nil)
    #expect(meaning(13, 0) == .full(path: "/x/y"))
    #expect(meaning(5 | 2 << 8, 0) == .busy(path: "/x/y"))
  }
}
