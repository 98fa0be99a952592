import CSodium
import CSys
package import Model
import SystemSupport

extension ContentDigest {
  /// Computes the SHA-256 digest of some bytes. O(bytes).
  package init(sha256 bytes: [UInt8]) {
    self = bytes.withUnsafeBufferPointer(Self.init(sha256:))
  }

  /// Computes the SHA-256 digest of some bytes. O(bytes).
  package init(sha256 bytes: UnsafeBufferPointer<UInt8>) {
    var digest = [UInt8](repeating: 0, count: Int(crypto_hash_sha256_BYTES))
    if csys_sha256(bytes.baseAddress, bytes.count, &digest) == 1 {
      self.init(checked: digest)
    } else {
      self.init(portable: bytes)
    }
  }

  /// Computes the digest with libsodium, which uses no special instructions of the processor.
  init(portable bytes: UnsafeBufferPointer<UInt8>) {
    var digest = [UInt8](repeating: 0, count: Int(crypto_hash_sha256_BYTES))
    // The function cannot fail. Its return value exists for consistency with libsodium's other
    // hashes.
    _ = crypto_hash_sha256(&digest, bytes.baseAddress, UInt64(bytes.count))
    self.init(checked: digest)
  }

  /// Computes the SHA-256 digest of bytes that are produced in pieces. O(bytes).
  ///
  /// - Parameter pieces: calls its argument with each piece. All except the last have a multiple of
  ///   64 bytes.
  package init(sha256Of pieces: ((UnsafeBufferPointer<UInt8>) -> Void) -> Void) {
    var digest = [UInt8](repeating: 0, count: Int(crypto_hash_sha256_BYTES))
    var state = [UInt32](repeating: 0, count: 8)
    if csys_sha256_begin(&state) == 1 {
      var count = 0
      var rest: [UInt8] = []
      pieces { piece in
        precondition(rest.isEmpty, "only the last piece ends within a block")
        count += piece.count
        csys_sha256_add(&state, piece.baseAddress, piece.count / 64)
        rest = Array(piece.suffix(piece.count % 64))
      }
      csys_sha256_end(&state, rest, rest.count, UInt64(count), &digest)
    } else {
      var hash = crypto_hash_sha256_state()
      _ = crypto_hash_sha256_init(&hash)
      pieces { _ = crypto_hash_sha256_update(&hash, $0.baseAddress, UInt64($0.count)) }
      _ = crypto_hash_sha256_final(&hash, &digest)
    }
    self.init(checked: digest)
  }

  private init(checked digest: [UInt8]) {
    guard let value = ContentDigest(bytes: digest) else {
      preconditionFailure("SHA-256 is 32 bytes")
    }
    self = value
  }
}
