import BuiltIn
import Foundation
import LibrarySupport
import Model
import Storage
import Sync
import SyncHistories
import SystemSupport
import TestSupport
import Testing

@testable import LibrarySync
@testable import Workspace

/// Tests two syncs of one library, or a sync and a change of its setup, at the same time.
@Suite(.timeLimit(.minutes(60))) struct SyncLockTests {
  private let folder: WorkFolder

  init() throws { folder = try WorkFolder() }

  private static let atOnce: SyncOptions = {
    var options = SyncOptions()
    options.lockTimeout = .zero
    return options
  }()

  /// Returns a machine with unsent changes, and its library as opened by another process, whose
  /// sending is delayed.
  private func prepare() async throws -> (Machine, b: Machine, other: Library, Gate) {
    let (a, b) = try await Machine.pair(folder)
    try await a.add("room.md", Machine.text)
    _ = try await a.library.sync()
    _ = try await a.mark("room.md", "a room of her own")
    let gate = Gate()
    var plugins = PluginSet.builtIn
    let transport = try plugins.transports.strategy("folder")
    plugins.transports = Registry(kind: "transport")
    plugins.transports.register(GatedFolder(folder: transport, gate: gate))
    return (a, b, try Library(at: a.library.location, plugins: plugins), gate)
  }

  @Test func `a second sync and leaving wait for the first sync, or report that it is running`()
    async throws
  {
    let (a, b, other, gate) = try await prepare()
    let running = Task { try await other.sync() }
    await gate.arrival()
    for work: @Sendable () async throws -> Void in [
      { _ = try await a.library.sync(Self.atOnce) },
      { _ = try await a.library.leaveSync(within: .zero) },
    ] {
      let error = try await failure { try await work() }
      #expect(error == .syncIsRunning && error.code == .conflict)
    }
    // The error is not stored as a problem of syncing.
    #expect(try await a.library.syncStatus().problem == nil)
    let waiting = Task { try await a.library.sync() }
    await gate.open()
    #expect(try await running.value.sent > 0)
    #expect(try await waiting.value.sent == 0)
    #expect(try await a.library.leaveSync(within: .zero).unsent == 0)
    _ = try await a.library.joinSync(a.offer, passphrase: "correct horse")
    for machine in [b, a, b] { _ = try await machine.library.sync() }
    #expect(try await b.all().count == 1)
    try await Machine.expectSame(a, b)
  }

  /// Whether the library has a new identity, as after leaving, or only more progress.
  @Test(arguments: [true, false])
  func `a change by a program that ignores the lock is detected`(_ isRenamed: Bool)
    async throws
  {
    let (a, _, other, gate) = try await prepare()
    let running = Task { try await other.sync() }
    await gate.arrival()
    let replica = try await a.library.ownReplica()
    let changed = ReplicaProgress(sequence: 1, chain: [1])
    _ = try await a.library.store.write { transaction in
      if isRenamed {
        try transaction.renewIdentity(as: .random(), after: transaction.progress()[replica])
        try transaction.forgetSync()
      } else {
        try transaction.setProgress(changed, of: replica)
      }
    }
    await gate.open()
    let error = try await failure { _ = try await running.value }
    #expect(error.message.contains("another command changed how this library is synced"))
    let progress = try await a.library.store.read { try $0.progress()[replica] }
    #expect(isRenamed || progress == changed)
  }
}

/// Delays its callers until it is opened.
private actor Gate {
  private var isOpen = false
  private var hasArrived = false
  private var held: [CheckedContinuation<Void, Never>] = []
  private var waiting: [CheckedContinuation<Void, Never>] = []

  func pass() async {
    hasArrived = true
    for waiter in waiting { waiter.resume() }
    waiting = []
    if !isOpen { await withCheckedContinuation { held.append($0) } }
  }

  func arrival() async {
    if !hasArrived { await withCheckedContinuation { waiting.append($0) } }
  }

  func open() {
    isOpen = true
    for holder in held { holder.resume() }
    held = []
  }
}

/// A folder transport that writes nothing before a gate is open.
private struct GatedFolder: SyncTransport {
  static let id = "folder"
  static let summary = "a folder behind a gate"
  static let examples: [TransportExample] = []

  let folder: any SyncTransport
  let gate: Gate

  func connect(to place: TransportPlace) async throws(TransportError)
    -> any TransportConnection
  {
    Connection(inner: try await folder.connect(to: place), gate: gate)
  }

  private struct Connection: TransportConnection {
    let inner: any TransportConnection
    let gate: Gate

    func list(since cursor: TransportCursor?) async throws(TransportError) -> TransportListing {
      try await inner.list(since: cursor)
    }

    func get(_ name: ObjectName, limit: Int) async throws(TransportError) -> [UInt8]? {
      try await inner.get(name, limit: limit)
    }

    func put(_ objects: [TransportObject]) async throws(TransportError) {
      await gate.pass()
      try await inner.put(objects)
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
