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

/// Tests snapshots of a member that are validly signed and contradict the changes of other members.
@Suite struct SyncLyingSnapshotTests {
  private let folder: WorkFolder
  /// A reach that no device attains.
  private static let far: Int64 = 1 << 40

  init() throws { folder = try WorkFolder() }

  /// Publishes a snapshot of a machine.
  ///
  /// - Parameters:
  ///   - reaches: Changes the last included operation of each replica.
  ///   - operations: Changes the operations.
  private func publish(
    _ liar: Machine, _ reaches: (inout [ReplicaID: Int64]) -> Void = { _ in },
    _ operations: (inout [Model.Operation]) -> Void = { _ in }
  ) async throws {
    let own = try await liar.library.ownReplica()
    let secrets = try #require(try SyncSecrets.read(own, at: liar.library.location))
    let keys = try #require(secrets.vault)
    var (last, standing) = try await liar.library.content()
    reaches(&last)
    operations(&standing)
    var vector: [ReplicaID: SnapshotFile.Reach] = [:]
    for (replica, sequence) in last {
      vector[replica] = SnapshotFile.Reach(
        sequence: sequence, chain: .start(vault: keys.vault, replica: replica))
    }
    var writer = SnapshotFile.Writer(vector: vector)
    for operation in standing where operation.dot.sequence <= last[operation.dot.replica] ?? 0 {
      try writer.add(operation)
    }
    let sealed = try writer.sealed(replica: own, keys: keys, device: secrets.device)
    try Data(sealed.bytes).write(
      to: URL(fileURLWithPath: "\(liar.offer.address)/\(sealed.object.description)"))
  }

  /// Whether a sync told the user that libraries differ, or held changes.
  private func isReported(_ report: SyncReport) -> Bool {
    !report.held.isEmpty || report.notices.contains { $0.contains("differs") }
  }

  @Test(arguments: [1, 3, Self.far])
  func `a snapshot that claims later changes of a member hides none of them`(_ claimed: Int64)
    async throws
  {
    let all = try await Machine.vault(folder, "anna", "ben", "carl")
    let (a, b, c) = (all[0], all[1], all[2])
    let carl = try await c.library.ownReplica()
    try c.write("room.md", Machine.text)
    _ = try await c.library.sync()
    _ = try await c.mark("room.md", "a room of her own")
    for machine in all + all { _ = try await machine.library.sync() }
    try await publish(a) { $0[carl, default: 0] += claimed }
    _ = try await b.library.sync()
    for (number, quote) in ["the great problem", "the true nature", "love well"].enumerated() {
      _ = try await c.mark("room.md", quote)
      for machine in [c, b] { _ = try await machine.library.sync() }
      #expect(try await b.all().count == number + 2)
    }
    for machine in all + all { _ = try await machine.library.sync() }
    try await Machine.expectSame(b, c)
  }

  @Test func `an invented later change of a member holds the real one`() async throws {
    let all = try await Machine.vault(folder, "anna", "ben", "carl")
    let (a, b, c) = (all[0], all[1], all[2])
    let carl = try await c.library.ownReplica()
    try c.write("room.md", Machine.text)
    _ = try await c.library.sync()
    let mark = try await c.mark("room.md", "a room of her own", note: "mine")
    for machine in all + all { _ = try await machine.library.sync() }
    let next = (try await c.library.content().0[carl] ?? 0) + 1
    try await publish(a) {
      $0[carl] = next
    } _: { operations in
      var note = operations.first { $0.record == .highlight(mark.id) && $0.field == .note }!
      (note.dot.sequence, note.group, note.value) = (next, next, .text("invented"))
      note.time = Timestamp(packed: note.time.packed + 1)
      operations.append(note)
    }
    _ = try await b.library.sync()
    _ = try await c.library.annotate(mark, "later")
    var reports: [SyncReport] = []
    for _ in 0..<3 {
      for machine in [c, b] { reports.append(try await machine.library.sync()) }
    }
    #expect(
      reports.contains { $0.held.contains { $0.device == "carl" && $0.reason.kind == .fork } })
    #expect(try await c.all().map(\.note) == ["later"])
  }

  @Test(arguments: ["omitted", "altered", "foreign"])
  func `a new device reports what a snapshot conceals`(_ kind: String) async throws {
    let all = try await Machine.vault(folder, "anna", "ben", "carl")
    let (a, c) = (all[0], all[2])
    try c.write("room.md", Machine.text)
    _ = try await c.library.sync()
    let mark = try await c.mark("room.md", "a room of her own", note: "mine")
    for machine in all + all { _ = try await machine.library.sync() }
    try await publish(a) { _ in
    } _: { operations in
      let place = operations.firstIndex { $0.record == .highlight(mark.id) && $0.field == .note }!
      switch kind {
      case "omitted": operations.remove(at: place)
      case "altered": operations[place].value = .text("altered")
      default: operations.removeAll { $0.record == .highlight(mark.id) }
      }
    }
    let d = try Machine(folder, "dora")
    _ = try await d.library.joinSync(d.offer, passphrase: "correct horse")
    var reports: [SyncReport] = []
    for _ in 0..<3 {
      for machine in all + [d] { reports.append(try await machine.library.sync()) }
    }
    #expect(reports.contains(where: isReported))
    let problems = try await d.library.verifySync().problems
    #expect(problems.contains { $0.contains("the library of carl is different") })
    // The members that knew the changes keep them.
    for machine in all { #expect(try await machine.all().map(\.note) == ["mine"]) }
  }

  @Test func `changes of this device are not removed by a snapshot that cannot contain them`()
    async throws
  {
    let all = try await Machine.vault(folder, "anna", "ben")
    let (a, b) = (all[0], all[1])
    let ben = try await b.library.ownReplica()
    try b.write("room.md", Machine.text)
    _ = try await b.library.sync()
    _ = try await b.mark("room.md", "a room of her own")
    for machine in all + all { _ = try await machine.library.sync() }
    _ = try await b.mark("room.md", "the great problem")
    try await publish(a) { ($0[ben], $0[.random()]) = (Self.far, 5) }
    let name = try await b.library.ownReplica()
    for _ in 0..<3 { #expect(try await b.library.sync().held.isEmpty) }
    #expect(try await b.all().count == 2)
    #expect(try await b.library.ownReplica() == name)
    _ = try await a.library.sync()
    try await Machine.expectSame(a, b)
  }

  /// A member may remove records. Others read who removed how many.
  @Test func `removals by a snapshot are reported`() async throws {
    let all = try await Machine.vault(folder, "anna", "ben", "carl")
    let (a, b, c) = (all[0], all[1], all[2])
    try c.write("room.md", Machine.text)
    _ = try await c.library.sync()
    _ = try await c.mark("room.md", "a room of her own")
    for machine in all + all { _ = try await machine.library.sync() }
    try await publish(a) {
      $0[.random()] = 5
    } _: {
      $0 = []
    }
    #expect(
      try await b.library.sync().notices == ["a snapshot of anna permanently removed 2 records"])
    #expect(try await b.all().isEmpty)
  }

  @Test func `snapshots with impossible claims neither loop nor grow`() async throws {
    let all = try await Machine.vault(folder, "anna", "ben", "carl")
    var replicas: [ReplicaID] = []
    for machine in all { replicas.append(try await machine.library.ownReplica()) }
    for machine in all {
      try await publish(machine) { for replica in replicas { $0[replica] = Self.far } }
    }
    for machine in all + all { _ = try await machine.library.sync() }
    let files = try folder.shell("find shared -type f | sort")
    for machine in all + all { _ = try await machine.library.sync() }
    #expect(try folder.shell("find shared -type f | sort") == files)
    #expect(try await all[2].library.ownReplica() == replicas[2])
  }
}

extension Library {
  /// Returns the last operation of each replica, and the current operations.
  fileprivate func content() throws -> ([ReplicaID: Int64], [Model.Operation]) {
    try storage {
      try store.read { transaction in
        var operations: [Model.Operation] = []
        try transaction.currentOperations { operations.append($0) }
        return (try transaction.progress().mapValues(\.sequence), operations)
      }
    }
  }
}
