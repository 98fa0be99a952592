import Model
import Sync
import TestSupport
import Testing

/// Tests snapshots that are written and read in parts.
@Suite struct SnapshotTests {
  private let vault: SampleVault
  init() throws { vault = try SampleVault() }

  private func open(_ sealed: SealedObject) throws -> SnapshotFile.Opened {
    try SnapshotFile.open(
      sealed.bytes, named: sealed.object, keys: vault.keys, signer: vault.device.publicKeys)
  }

  private func operations(in snapshot: SnapshotFile.Opened) throws -> [Operation] {
    try (0..<snapshot.partCount).flatMap { try snapshot.part($0).operations }
  }

  private func lines(_ operations: [Operation]) -> [String] {
    operations.map { $0.exactly.joined(separator: " ") }.sorted()
  }

  @Test func `a snapshot of many parts contains each operation, those of highlights last`() throws {
    let seed = SeededGenerator.runSeed
    print("seed \(seed)")
    var drawn = RandomOperations(seed: seed)
    let sample = try drawn.snapshot(24_000, keys: vault.keys, device: vault.device)
    let opened = try open(sample.sealed)
    #expect(opened.partCount > 3)
    #expect(opened.vector == sample.vector)
    let read = try operations(in: opened)
    #expect(lines(read) == lines(sample.operations))
    let isOnHighlight = read.map { if case .highlight = $0.record { true } else { false } }
    let first = try #require(isOnHighlight.firstIndex(of: true))
    #expect(isOnHighlight[first...].allSatisfy { $0 })
  }

  @Test func `a resealed snapshot has the same content`() throws {
    let seed = SeededGenerator.runSeed
    print("seed \(seed)")
    var drawn = RandomOperations(seed: seed)
    let sample = try drawn.snapshot(50, keys: vault.keys, device: vault.device)
    let again = try open(sample.sealed).sealed(keys: vault.keys, device: vault.device)
    #expect(again.object.syncFile?.kind == sample.sealed.object.syncFile?.kind)
    #expect(again.bytes != sample.sealed.bytes)
    let opened = try open(again)
    #expect(opened.vector == sample.vector)
    #expect(lines(try operations(in: opened)) == lines(sample.operations))
  }

  @Test func `an empty snapshot has no parts`() throws {
    let sealed = try SnapshotFile.Writer(vector: [:]).sealed(
      replica: SampleVault.replicas[0], keys: vault.keys, device: vault.device)
    let opened = try open(sealed)
    #expect(opened.partCount == 0 && opened.vector.isEmpty)
  }
}
