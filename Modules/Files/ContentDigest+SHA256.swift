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

  private init(checked digest: [UInt8]) {
    guard let value = ContentDigest(bytes: digest) else {
      preconditionFailure("SHA-256 is 32 bytes")
    }
    self = value
  }
}
