import BuiltIn
import Foundation
import Model
import Sync
import SyncHistories
import Synchronization
import TestSupport
import Testing

@testable import LibrarySync
@testable import Workspace

/// Tests that objects of an intruder who can only write to the target cost little.
@Suite struct SyncStrangerTests {
  private let folder: WorkFolder

  init() throws { folder = try WorkFolder() }

  /// The folder transport, which counts the bytes that are read.
  private final class Counting: SyncTransport {
    static let id = "test"
    static let summary = "for a test"
    static let examples: [TransportExample] = []

    let read = Mutex(0)
    let folder: any SyncTransport

    init() throws { folder = try PluginSet.builtIn.transports.strategy("folder") }

    func connect(to place: TransportPlace) async throws(TransportError)
      -> any TransportConnection
    {
      Connection(owner: self, inner: try await folder.connect(to: place))
    }

    /// Returns the bytes that were read since the last call.
    func take() -> Int {
      read.withLock { count in
        defer { count = 0 }
        return count
      }
    }
  }

  private struct Connection: TransportConnection {
    let owner: Counting
    let inner: any TransportConnection

    func list(since cursor: TransportCursor?) async throws(TransportError) -> TransportListing {
      try await inner.list(since: cursor)
    }
    func get(_ name: ObjectName, limit: Int) async throws(TransportError) -> [UInt8]? {
      let bytes = try await inner.get(name, limit: limit)
      owner.read.withLock { $0 += bytes?.count ?? 0 }
      return bytes
    }
    func ends(of name: ObjectName, count: Int) async throws(TransportError) -> ObjectEnds? {
      try await inner.ends(of: name, count: count)
    }
    func put(_ objects: [TransportObject]) async throws(TransportError) {
      try await inner.put(objects)
    }
    func delete(_ names: [ObjectName]) async throws(TransportError) {
      try await inner.delete(names)
    }
    func waitForChange(upTo time: Duration) async throws(TransportError) -> Bool { false }
    func close() async { await inner.close() }
  }

  private func pair() async throws -> (a: Machine, b: Machine, counting: Counting) {
    let counting = try Counting()
    let a = try Machine(folder, "anna", over: counting)
    let b = try Machine(folder, "ben", over: counting)
    _ = try await a.library.beginSync(a.offer, passphrase: "correct horse", cost: .least)
    _ = try await b.library.joinSync(b.offer, passphrase: "correct horse")
    try await a.add("room.md", Machine.text)
    _ = try await a.mark("room.md", "a room of her own")
    for _ in 0..<2 { for machine in [a, b] { _ = try await machine.library.sync() } }
    _ = counting.take()
    return (a, b, counting)
  }

  private func vault() throws -> String {
    try folder.shell("ls shared/v1").trimmingCharacters(in: .whitespacesAndNewlines)
  }

  @Test func `only the two ends of a large invalid file are read`() async throws {
    let (a, b, counting) = try await pair()
    let vault = try vault()
    let member = try await a.library.ownReplica()
    for place in ["\(member)", "00000000000000aa"] {
      try folder.shell(
        """
        mkdir -p shared/v1/\(vault)/\(place)
        truncate -s 1G shared/v1/\(vault)/\(place)/900.0123456789abcdef.snap
        truncate -s 16M shared/v1/\(vault)/\(place)/4-900.0123456789abcdef.seg
        """)
    }
    for _ in 0..<2 {
      let report = try await b.library.sync()
      #expect(report.held.contains { $0.device == "anna" })
      #expect(counting.take() < 100_000)
    }
    // Changes of a member are received nevertheless.
    _ = try await a.mark("room.md", "the great problem")
    _ = try await a.library.sync()
    _ = try await b.library.sync()
    #expect(try await b.all().count == 2)
  }

  @Test func `invalid device records are limited in size and number, and read once`()
    async throws
  {
    let (_, b, counting) = try await pair()
    let vault = try vault()
    try folder.shell(
      """
      for number in $(seq 100 150); do
        mkdir -p shared/v1/\(vault)/0000000000000$number
        truncate -s 4M shared/v1/\(vault)/0000000000000$number/device.0123456789abcdef
        head -c 60000 /dev/urandom > shared/v1/\(vault)/0000000000000$number/device.0123456789abcde0
      done
      """)
    let first = try await b.library.sync()
    #expect(counting.take() < 51 * 61_000)
    #expect(first.held.count <= 21)
    _ = try await b.library.sync()
    #expect(counting.take() < 10_000)
    // A valid record that arrives later is read.
    let c = try Machine(folder, "carl", over: counting)
    _ = try await c.library.joinSync(c.offer, passphrase: "correct horse")
    _ = try await b.library.sync()
    #expect(try await b.library.syncDevices().contains { $0.name == "carl" })
  }

  @Test func `segments that do not fit into one are not compacted`() {
    let vault = VaultID.random()
    let replica = ReplicaID(rawValue: 7)
    func segments(_ count: Int, of size: Int64) -> [(name: ObjectName, range: ClosedRange<Int64>)] {
      (0..<Int64(count)).map { number in
        let range = number * size + 1...(number + 1) * size
        let file = "\(range.lowerBound)-\(range.upperBound).0123456789abcdef.seg"
        return (ObjectName(vault: vault, replica: replica, file: file)!, range)
      }
    }
    #expect(Library.compactable(segments(16, of: 6_250), sizes: [:], besides: [])?.count == 16)
    #expect(Library.compactable(segments(40, of: 6_251), sizes: [:], besides: []) == nil)
    #expect(Library.compactable(segments(40, of: 17_000), sizes: [:], besides: []) == nil)
  }
}
