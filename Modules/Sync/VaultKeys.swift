/// The secrets of a vault: one random root for each epoch, of which the keys for each purpose come.
package struct VaultKeys: Hashable, Sendable {
  /// The vault.
  package let vault: VaultID
  private(set) var roots: [Int: Secret]

  /// The epoch in which this replica writes; 0 before there is one.
  package var current: Int { roots.keys.max() ?? 0 }

  /// The epochs whose roots are known.
  package var epochs: Set<Int> { Set(roots.keys) }

  /// Knows no root yet.
  package init(vault: VaultID) {
    self.vault = vault
    roots = [:]
  }

  /// Takes what `stored` gave; nil for anything else.
  package init?(stored bytes: [UInt8]) {
    var reader = ByteReader(bytes)
    do throws(SegmentProblem) {
      guard try reader.byte() == 1, let vault = VaultID(bytes: Array(try reader.raw(16))) else {
        return nil
      }
      self.init(vault: vault)
      for _ in 0..<(try reader.count(upTo: reader.left / 33, "the count of roots")) {
        let epoch = try reader.count(upTo: EpochRecord.limit, "an epoch")
        guard epoch > 0, roots[epoch] == nil else { return nil }
        roots[epoch] = Secret(try reader.raw(32))
      }
      try reader.finish()
    } catch { return nil }
  }

  /// The form in which they are kept in a file that nobody else may read.
  package var stored: [UInt8] {
    var writer = ByteWriter()
    writer.byte(1)
    writer.raw(vault.bytes)
    writer.count(roots.count)
    for (epoch, root) in roots.sorted(by: { $0.key < $1.key }) {
      writer.count(epoch)
      writer.raw(root.copy())
    }
    return writer.bytes
  }

  /// Adds the roots that somebody else knows; those that are known stay.
  package mutating func add(_ other: VaultKeys) {
    precondition(other.vault == vault, "the keys are of another vault")
    roots.merge(other.roots) { own, _ in own }
  }

  mutating func add(_ root: Secret, epoch: Int) { if roots[epoch] == nil { roots[epoch] = root } }

  func root(_ epoch: Int) throws(SegmentProblem) -> Secret {
    guard let root = roots[epoch] else { throw .unknownEpoch(epoch) }
    return root
  }
}

extension VaultID {
  /// A new one, from the system's random source.
  package static func random() -> VaultID {
    guard let vault = VaultID(bytes: Sodium.random(16)) else {
      preconditionFailure("a vault's name is 16 bytes")
    }
    return vault
  }
}
