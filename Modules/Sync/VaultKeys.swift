import Model

/// The secrets of a vault: one random root for each epoch. The keys for all purposes are derived
/// from the roots.
package struct VaultKeys: Hashable, Sendable {
  package let vault: VaultID
  private(set) var roots: [Int: Secret]
  /// The roots of epochs that other devices began on other branches. Objects that were encrypted
  /// with them remain readable.
  private(set) var others: [Int: [Secret]] = [:]

  /// The epoch in which this replica writes; 0 before the first.
  package var current: Int { roots.keys.max() ?? 0 }

  /// The epochs of the main branch whose roots are known.
  package var epochs: Set<Int> { Set(roots.keys) }

  /// Creates keys without any root.
  package init(vault: VaultID) {
    self.vault = vault
    roots = [:]
  }

  /// Restores keys from the bytes of `stored`; nil if they are invalid.
  package init?(stored bytes: [UInt8]) {
    var reader = ByteReader(bytes)
    do throws(SegmentError) {
      let version = try reader.byte()
      guard (1...2).contains(version), let vault = VaultID(bytes: Array(try reader.raw(16))) else {
        return nil
      }
      self.init(vault: vault)
      for (epoch, root) in try Self.list(&reader) {
        guard roots[epoch] == nil else { return nil }
        roots[epoch] = root
      }
      if version == 2 {
        for (epoch, root) in try Self.list(&reader) { add(beside: root, epoch: epoch) }
      }
      try reader.finish()
    } catch { return nil }
  }

  /// The keys in unencrypted form. Store them only in a file that other users can't read.
  package var stored: [UInt8] {
    var writer = ByteWriter()
    writer.byte(others.isEmpty ? 1 : 2)
    writer.raw(vault.bytes)
    func write(_ list: [(epoch: Int, root: Secret)]) {
      writer.count(list.count)
      for (epoch, root) in list.sorted(by: { $0.epoch < $1.epoch }) {
        writer.count(epoch)
        writer.raw(root.copy())
      }
    }
    write(roots.map { ($0.key, $0.value) })
    if !others.isEmpty {
      write(others.flatMap { epoch, roots in roots.map { (epoch, $0) } })
    }
    return writer.bytes
  }

  private static func list(_ reader: inout ByteReader) throws(SegmentError) -> [(
    epoch: Int, root: Secret
  )] {
    var list: [(epoch: Int, root: Secret)] = []
    for _ in 0..<(try reader.count(upTo: reader.left / 33, "the count of roots")) {
      let epoch = try reader.count(upTo: EpochRecord.limit, "an epoch")
      guard epoch > 0 else { throw .badContent("the number of an epoch is 0") }
      list.append((epoch, Secret(try reader.raw(32))))
    }
    return list
  }

  mutating func add(_ root: Secret, epoch: Int) { if roots[epoch] == nil { roots[epoch] = root } }

  /// Makes another branch the main branch. All known roots outside it are kept in `others`.
  ///
  /// - Parameter branch: The root of each epoch of the branch.
  mutating func follow(_ branch: [Int: Secret]) {
    let known = self
    (roots, others) = (branch, [:])
    for epoch in known.epochs.union(known.others.keys) {
      for root in known.candidates(epoch) { add(beside: root, epoch: epoch) }
    }
  }

  /// Adds a root of an epoch outside the main branch, unless it is known already.
  mutating func add(beside root: Secret, epoch: Int) {
    if !candidates(epoch).contains(root) { others[epoch, default: []].append(root) }
  }

  /// An identifier of these keys, which changes whenever a key is added. It doesn't reveal the
  /// keys.
  package var fingerprint: String {
    hexadecimal(Sodium.hash(Sodium.hash(stored) + Array("diple keys".utf8)).prefix(8))
  }

  /// Returns whether the main branch of these keys begins with the main branch of `other`.
  package func continues(_ other: VaultKeys) -> Bool {
    other.roots.allSatisfy { roots[$0.key] == $0.value }
  }

  /// The same keys without the roots outside the main branch.
  package var branch: VaultKeys {
    var keys = self
    keys.others = [:]
    return keys
  }

  func root(_ epoch: Int) throws(SegmentError) -> Secret {
    guard let root = roots[epoch] else { throw .unknownEpoch(epoch) }
    return root
  }

  /// Returns all known roots of an epoch, the main branch's first.
  func candidates(_ epoch: Int) -> [Secret] {
    (roots[epoch].map { [$0] } ?? []) + (others[epoch] ?? [])
  }

  /// Calls `body` with an epoch's keys for a purpose, until one of them decrypts the object. The
  /// main branch's key is tried first.
  ///
  /// - Throws: The error that `body` throws for the last key tried, or
  ///   `SegmentError.unknownEpoch` if no key is known. Errors other than `.badSeal` end the
  ///   search.
  func opening<T>(
    _ epoch: Int, for purpose: KeyPurpose, _ body: (Secret) throws(SegmentError) -> T
  ) throws(SegmentError) -> T {
    try openingWithRoot(epoch) { root throws(SegmentError) in try body(root.key(for: purpose)) }
      .result
  }

  /// Like `opening`, but calls `body` with roots and also returns the root that succeeded.
  ///
  /// - Throws: The errors of `opening`.
  func openingWithRoot<T>(
    _ epoch: Int, _ body: (Secret) throws(SegmentError) -> T
  ) throws(SegmentError) -> (result: T, root: Secret) {
    var problem = SegmentError.unknownEpoch(epoch)
    for root in candidates(epoch) {
      do throws(SegmentError) { return (try body(root), root) } catch {
        problem = error
        guard case .badSeal = error else { break }
      }
    }
    throw problem
  }
}

extension VaultID {
  /// Generates a new identity from the system's random source.
  package static func random() -> VaultID {
    guard let vault = VaultID(bytes: Sodium.random(16)) else {
      preconditionFailure("a vault's identity must have 16 bytes")
    }
    return vault
  }
}
