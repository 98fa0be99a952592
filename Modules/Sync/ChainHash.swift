package import Model

/// The hash of all operations of a replica up to one of them. Two replicas that have the same hash
/// for the same sequence number have the same operations up to it.
///
/// h(0) = BLAKE2b-256("diple" ‖ vault ‖ replica), h(n) = BLAKE2b-256(h(n-1) ‖ canonical bytes of
/// n). The hash is never stored where devices outside the vault can read it, because a short
/// operation could be guessed from it.
package struct ChainHash: Hashable, Sendable, CustomStringConvertible {
  /// The hash, 32 bytes.
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

/// Returns two lower-case hexadecimal digits for each byte.
func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
  let digits = Array("0123456789abcdef".utf8)
  return String(
    decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
}

/// Parses pairs of lower-case hexadecimal digits; nil if there is any other character or the number
/// of digits is odd.
func fromHexadecimal(_ text: String) -> [UInt8]? {
  let digits = text.utf8.map { digit -> UInt8? in
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    default: nil
    }
  }
  guard digits.count.isMultiple(of: 2) else { return nil }
  var bytes: [UInt8] = []
  for index in stride(from: 0, to: digits.count, by: 2) {
    guard let high = digits[index], let low = digits[index + 1] else { return nil }
    bytes.append(high << 4 | low)
  }
  return bytes
}
