package import Model

/// The hash of all operations of a replica up to one of them. Two replicas that have the same hash
/// for the same sequence number have the same operations up to it.
///
/// h(0) = BLAKE2b-256("diple" ‖ vault ‖ replica), h(n) = BLAKE2b-256(h(n-1) ‖ canonical bytes of
/// n). The hash is never stored where devices outside the vault can read it, because a short
/// operation could be guessed from it.
package struct ChainHash: Hashable, Sendable, CustomStringConvertible {
  /// The 32 bytes of h(n).
  package let bytes: [UInt8]

  /// Creates a hash from its bytes; nil unless there are 32.
  package init?(bytes: [UInt8]) {
    guard bytes.count == 32 else { return nil }
    self.bytes = bytes
  }

  private init(hashing input: [UInt8]) { bytes = Sodium.hash(input) }

  /// Returns the hash before a replica's first operation.
  package static func start(vault: VaultID, replica: ReplicaID) -> ChainHash {
    var writer = ByteWriter()
    writer.raw("diple".utf8)
    writer.raw(vault.bytes)
    writer.fixed(replica.rawValue)
    return ChainHash(hashing: writer.bytes)
  }

  /// Returns the hash after one more operation. O(size of the operation).
  package func adding(_ operation: Operation) -> ChainHash {
    var writer = ByteWriter()
    writer.raw(bytes)
    writer.canonical(operation)
    return ChainHash(hashing: writer.bytes)
  }

  /// Returns the hash after more operations, in the order of the sequence.
  package func adding(_ operations: some Sequence<Operation>) -> ChainHash {
    var writer = ByteWriter()
    var hash = self
    for operation in operations {
      writer.removeAll()
      writer.raw(hash.bytes)
      writer.canonical(operation)
      hash = ChainHash(hashing: writer.bytes)
    }
    return hash
  }

  /// The hash as 64 lower-case hexadecimal digits.
  package var description: String { hexadecimal(bytes) }
}
