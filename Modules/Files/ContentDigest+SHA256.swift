import CSodium
package import Model
import SystemSupport

extension ContentDigest {
  /// Computes the SHA-256 digest of some bytes with libsodium. O(bytes).
  package init(sha256 bytes: [UInt8]) {
    var digest = [UInt8](repeating: 0, count: Int(crypto_hash_sha256_BYTES))
    // The function cannot fail. Its return value exists for consistency with libsodium's other
    // hashes.
    _ = crypto_hash_sha256(&digest, bytes, UInt64(bytes.count))
    guard let value = ContentDigest(bytes: digest) else {
      preconditionFailure("SHA-256 is 32 bytes")
    }
    self = value
  }
}
