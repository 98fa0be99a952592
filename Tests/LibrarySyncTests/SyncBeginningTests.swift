import BuiltIn
import Foundation
import LibrarySupport
import Model
import Sync
import SyncHistories
import Synchronization
import SystemSupport
import TestSupport
import Testing

@testable import LibrarySync
@testable import Workspace

/// Tests setting up syncing, also by two devices at the same time.
@Suite struct SyncBeginningTests {
  private let folder: WorkFolder

  init() throws { folder = try WorkFolder() }

  @Test func `an interrupted setup is completed by the same command`() async throws {
    let a = try Machine(folder, "anna")
    _ = try await a.library.beginSync(a.offer, passphrase: "correct horse", cost: .least)
    // Restore the state of a library that could not be written after the vault was created.
    try a.forgetSyncTarget()
    try folder.shell("cd '\(folder.path)/shared'; find . -type f ! -name 'epoch-1.*' -delete")
    let wrong = try await failure {
      _ = try await a.library.beginSync(a.offer, passphrase: "another horse", cost: .least)
    }
    #expect(wrong.code == .conflict)
    _ = try await a.library.beginSync(a.offer, passphrase: "correct horse", cost: .least)
    let b = try Machine(folder, "ben")
    _ = try await b.library.joinSync(b.offer, passphrase: "correct horse")
    try await Machine.expectSame(a, b)
  }

  @Test func `a second device of the same name gets a number`() async throws {
    let (a, b) = (try Machine(folder, "anna"), try Machine(folder, "ben"))
    _ = try await a.library.beginSync(a.offer, passphrase: "correct horse", cost: .least)
    var offer = b.offer
    offer.device = "anna"
    _ = try await b.library.joinSync(offer, passphrase: "correct horse")
    _ = try await a.library.sync()
    #expect(try await a.library.syncDevices().map(\.name) == ["anna", "anna 2"])
    #expect(try await b.library.syncStatus().place.device == "anna 2")
  }

  @Test func `a target within the library itself is rejected`() async throws {
    let a = try Machine(folder, "anna")
    var offer = a.offer
    offer.address = a.notes + "/.diple/shared"
    let refused = try await failure {
      _ = try await a.library.beginSync(offer, passphrase: "correct horse", cost: .least)
    }
    #expect(refused.code == .usage && refused.message.contains("inside the library's own folder"))
  }

  @Test func `a library that moves to another target keeps all changes`() async throws {
    let (a, b) = try await Machine.pair(folder)
    try await a.add("room.md", Machine.text)
    _ = try await a.mark("room.md", "a room of her own")
    _ = try await a.library.sync()
    _ = try await b.library.sync()
    let first = try #require(try await b.all().first)
    _ = try await b.library.annotate(first, "from ben")
    _ = try await b.library.sync()
    _ = try await a.library.sync()
    for machine in [a, b] { try await machine.library.leaveSync() }
    let other = folder.path + "/other"
    try FileManager.default.createDirectory(atPath: other, withIntermediateDirectories: true)
    func offer(_ name: String) -> SyncOffer {
      SyncOffer(transport: "folder", address: other, device: name)
    }
    _ = try await a.library.beginSync(offer("anna"), passphrase: "correct horse", cost: .least)
    _ = try await b.library.joinSync(offer("ben"), passphrase: "correct horse")
    let c = try Machine(folder, "carl")
    _ = try await c.library.joinSync(offer("carl"), passphrase: "correct horse")
    #expect(try await c.all().map(\.note) == ["from ben"])
    _ = try await c.library.paint(first, .blue)
    for machine in [c, a, b] { _ = try await machine.library.sync() }
    #expect(try await b.all().first?.color == .blue)
    try await Machine.expectSame(a, b, c)
  }

  @Test func `keys that other users can read are not used`() async throws {
    let (a, _) = try await Machine.pair(folder)
    try folder.shell("chmod 644 anna/.local/state/diple/sync/*.key")
    let error = try await failure { _ = try await a.library.sync() }
    #expect(error.message.hasPrefix("others can read or change the keys in "))
  }

  @Test func `a library that was copied without its home folder has to join`() async throws {
    let (a, _) = try await Machine.pair(folder)
    let copy = try Machine(folder, "copy", copyOf: a)
    let error = try await failure { _ = try await copy.library.sync() }
    #expect(error.message.contains("not on this device"))
    _ = try await copy.library.joinSync(copy.offer, passphrase: "correct horse")
    _ = try await a.library.sync()
    try await Machine.expectSame(a, copy)
    #expect(try await copy.library.ownReplica() != a.library.ownReplica())
  }

  // MARK: - Two at the same time

  @Test(.timeLimit(.minutes(60)), arguments: 0..<4)
  func `if two devices set up one target at the same time, one is refused`(_: Int)
    async throws
  {
    // Both devices see an empty target when they begin, and the objects of the other device
    // afterwards.
    let (listed, put) = (Meeting(of: 2), Meeting(of: 2))
    let hook: @Sendable (PausedTransport.Call) async -> Void = { call in
      switch call {
      case .put(1): await listed.arrive()
      case .list(2): await put.arrive()
      case .put, .list: break
      }
    }
    let a = try Machine(folder, "anna", over: PausedTransport(hook))
    let b = try Machine(folder, "ben", over: PausedTransport(hook))
    try await expectOneVault(a, b)
  }

  @Test(.timeLimit(.minutes(60)), arguments: 0..<4)
  func `if two devices set up a target before seeing each other, one is refused`(_: Int)
    async throws
  {
    // The first device lists the target again before the second device writes anything. It
    // continues when the second device has finished.
    let (listed, late, done) = (Meeting(of: 2), Meeting(of: 2), Meeting(of: 2))
    let a = try Machine(
      folder, "anna",
      over: PausedTransport { call in
        switch call {
        case .put(1): await listed.arrive()
        case .list(3):
          await late.arrive()
          await done.arrive()
        case .put, .list: break
        }
      })
    let b = try Machine(
      folder, "ben",
      over: PausedTransport { call in
        guard call == .put(1) else { return }
        await listed.arrive()
        await late.arrive()
      })
    try await expectOneVault(a, b) { await done.arrive() }
  }

  @Test(.timeLimit(.minutes(60)))
  func `a device that finds another vault after writing its own is refused`() async throws {
    let (listed, done) = (Meeting(of: 2), Meeting(of: 2))
    let a = try Machine(
      folder, "anna",
      over: PausedTransport { call in if call == .put(1) { await listed.arrive() } })
    let b = try Machine(
      folder, "ben",
      over: PausedTransport { call in
        guard call == .put(1) else { return }
        await listed.arrive()
        await done.arrive()
      })
    async let second = Self.outcome(b)
    #expect(try await Self.outcome(a) == nil)
    await done.arrive()
    #expect(try await second?.message.contains("another device has just set up") == true)
  }

  /// Sets up both machines, each with a highlight, and lets the machine that is refused join the
  /// other machine.
  private func expectOneVault(
    _ a: Machine, _ b: Machine, after: @escaping @Sendable () async -> Void = {}
  ) async throws {
    for (machine, quote) in [(a, "a room of her own"), (b, "One cannot think well")] {
      try await machine.add("room.md", Machine.text)
      _ = try await machine.mark("room.md", quote)
    }
    async let first = Self.outcome(a)
    let second = try await Self.outcome(b)
    await after()
    let problems = [try await first, second]
    #expect(problems.count { $0 == nil } == 1)
    let error = try #require(problems.compactMap(\.self).first)
    #expect(error.code == .conflict)
    #expect(error.message == "another device has just set up \(a.offer.address)")
    #expect(error.hint?.remedy?.request?["transport"] == .text("test"))
    let vaults = try folder.shell("find shared/v1 -type f | cut -d/ -f3 | sort -u")
    #expect(vaults.split(separator: "\n").count == 1)

    let (kept, discarded) = problems[0] == nil ? (a, b) : (b, a)
    #expect(try await discarded.library.syncPlace() == nil)
    #expect(try folder.shell("find \(discarded.offer.device) -name '*.key'").isEmpty)
    #expect(try await discarded.all().count == 1)
    _ = try await discarded.library.joinSync(
      discarded.offer, passphrase: "of \(kept.offer.device)")
    for machine in [kept, discarded] { _ = try await machine.library.sync() }
    #expect(try await kept.all().count == 2)
    try await Machine.expectSame(a, b)
  }

  /// Sets up syncing, and returns the error if it fails.
  private static func outcome(_ machine: Machine) async throws -> UserError? {
    do throws(UserError) {
      _ = try await machine.library.beginSync(
        machine.offer, passphrase: "of \(machine.offer.device)", cost: .least)
      return nil
    } catch { return error }
  }
}

/// A barrier that releases all callers when a number of them has arrived.
private actor Meeting {
  private var missing: Int
  private var waiting: [CheckedContinuation<Void, Never>] = []

  init(of count: Int) { missing = count }

  func arrive() async {
    missing -= 1
    if missing > 0 {
      await withCheckedContinuation { waiting.append($0) }
    } else {
      for one in waiting { one.resume() }
      waiting = []
    }
  }
}

/// A folder transport that runs a closure before each call.
private struct PausedTransport: SyncTransport {
  static let id = "test"
  static let summary = "for a test"
  static let examples: [TransportExample] = []

  /// A call of `list` or `put`, with its number among the calls of the same function, from 1.
  enum Call: Equatable {
    case list(Int)
    case put(Int)
  }

  private final class Count: Sendable {
    let calls = Mutex((lists: 0, puts: 0))
  }

  private let count = Count()
  private let hook: @Sendable (Call) async -> Void

  init(_ hook: @escaping @Sendable (Call) async -> Void) { self.hook = hook }

  func connect(to place: TransportPlace) async throws(TransportError)
    -> any TransportConnection
  {
    let folder: any SyncTransport
    do { folder = try PluginSet.builtIn.transports.strategy("folder") } catch {
      throw TransportError(.usage, "\(error)")
    }
    return Connection(inner: try await folder.connect(to: place), count: count, hook: hook)
  }

  private struct Connection: TransportConnection {
    let inner: any TransportConnection
    let count: Count
    let hook: @Sendable (Call) async -> Void

    func list(since cursor: TransportCursor?) async throws(TransportError) -> TransportListing {
      let number = count.calls.withLock { calls in
        calls.lists += 1
        return calls.lists
      }
      await hook(.list(number))
      return try await inner.list(since: cursor)
    }

    func put(_ objects: [TransportObject]) async throws(TransportError) {
      let number = count.calls.withLock { calls in
        calls.puts += 1
        return calls.puts
      }
      await hook(.put(number))
      try await inner.put(objects)
    }

    func get(_ name: ObjectName, limit: Int) async throws(TransportError) -> [UInt8]? {
      try await inner.get(name, limit: limit)
    }

    func delete(_ names: [ObjectName]) async throws(TransportError) {
      try await inner.delete(names)
    }

    func waitForChange(upTo time: Duration) async throws(TransportError) -> Bool {
      try await inner.waitForChange(upTo: time)
    }

    func close() async { await inner.close() }
  }
}
