package import Model

/// The epochs of a vault from the first to the last, each issued by a device that was a member in the
/// one before.
package struct EpochChain: Hashable, Sendable {
  /// The records, the first epoch's first.
  package private(set) var records: [EpochRecord] = []
  /// Who was revoked in any of them.
  package private(set) var revoked: [ReplicaID: Revocation] = [:]
  /// The keys, with those of all epochs.
  package private(set) var keys: VaultKeys

  /// Follows the epochs down from the last one whose key is known, each by the hash of the one before
  /// it, then checks them upwards.
  ///
  /// - Parameters:
  ///   - found: all records that were found, in any order; those that lead nowhere are left out.
  ///   - known: keys from a passphrase, a box, a grant or before.
  ///   - devices: the public keys of the devices, as their records say. The issuer of the first epoch
  ///     is believed: whoever has the root was let in by somebody who had it.
  /// - Throws: `SegmentProblem` when an epoch of the chain is missing, or was begun by nobody who could.
  package init(
    following found: [EpochRecord], keys known: VaultKeys,
    devices: [ReplicaID: DevicePublicKeys]
  ) throws(SegmentProblem) {
    let records = found.filter { $0.vault == known.vault }
    let byHash = Dictionary(records.map { ($0.hash, $0) }, uniquingKeysWith: { first, _ in first })
    // A record is believed to be of the vault when it means the root that is known. Only members can
    // make another for that root, so there is mostly one.
    let root = try known.root(known.current)
    let commitment = EpochRecord.commitment(root, vault: known.vault, epoch: known.current)
    let tops = records.filter { $0.epoch == known.current && $0.commitment == commitment }
      .sorted { $0.hash.lexicographicallyPrecedes($1.hash) }
    var problem = SegmentProblem.badContent("the record of epoch \(known.current) is missing")
    for top in tops {
      do throws(SegmentProblem) {
        self = try Self(from: top, in: byHash, keys: known, devices: devices)
        return
      } catch { problem = error }
    }
    throw problem
  }

  private init(
    from top: EpochRecord, in byHash: [[UInt8]: EpochRecord], keys known: VaultKeys,
    devices: [ReplicaID: DevicePublicKeys]
  ) throws(SegmentProblem) {
    keys = known
    var chain = [top]
    while let record = chain.last, record.epoch > 1 {
      try record.addPrevious(to: &keys)
      guard let before = byHash[record.previous], before.epoch == record.epoch - 1 else {
        throw .badContent("the record of epoch \(record.epoch - 1) is missing")
      }
      chain.append(before)
    }
    for record in chain.reversed() {
      guard isMember(record, devices) else {
        throw .badContent("epoch \(record.epoch) was not begun by a member of the vault")
      }
      for revocation in try record.revocations(keys) where revoked[revocation.replica] == nil {
        revoked[revocation.replica] = revocation
      }
      records.append(record)
    }
  }

  private func isMember(_ record: EpochRecord, _ devices: [ReplicaID: DevicePublicKeys]) -> Bool {
    if revoked[record.issuer] != nil { return false }
    guard let known = devices[record.issuer] else { return record.epoch == 1 }
    return known == record.issuerKeys
  }

  /// The record that counts of some that begin the same epoch: one whose issuer no other revokes,
  /// then the one with the least hash. Everybody who has the same records comes to the same one.
  ///
  /// - Parameter records: of one epoch, each with whom it revokes.
  package static func preferred(_ records: [(record: EpochRecord, revoked: [Revocation])])
    -> EpochRecord?
  {
    func isRevoked(_ record: EpochRecord) -> Bool {
      records.contains { other in
        other.record.hash != record.hash
          && other.revoked.contains { $0.replica == record.issuer }
      }
    }
    let candidates = records.filter { !isRevoked($0.record) }
    return (candidates.isEmpty ? records : candidates).map(\.record).min {
      $0.hash.lexicographicallyPrecedes($1.hash)
    }
  }
}
