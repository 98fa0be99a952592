import CSodium
import Model

/// The secret keys of a device: Ed25519 for signing, X25519 for receiving sealed secrets.
package struct DeviceKeys: Hashable, Sendable {
  private let signSeed: Secret
  private let boxSecret: Secret
  private let signSecret: Secret
  /// The matching public keys.
  package let publicKeys: DevicePublicKeys

  private init(signSeed: Secret, boxSecret: Secret) {
    self.signSeed = signSeed
    self.boxSecret = boxSecret
    var sign = [UInt8](repeating: 0, count: 32)
    var box = [UInt8](repeating: 0, count: 32)
    signSecret = Secret(count: 64) { secret in
      guard let secret = secret.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
      let status = signSeed.withBytes { crypto_sign_seed_keypair(&sign, secret, $0) }
      precondition(status == 0)
    }
    let status = boxSecret.withBytes { crypto_scalarmult_base(&box, $0) }
    precondition(status == 0)
    publicKeys = DevicePublicKeys(sign: sign, box: box)
  }

  /// Generates new keys from the system's random source.
  package static func random() -> DeviceKeys {
    DeviceKeys(signSeed: .random(), boxSecret: .random())
  }

  /// Restores keys from the bytes of `stored`; nil if they have another version or length.
  package init?(stored bytes: [UInt8]) {
    guard bytes.count == 65, bytes[0] == 1 else { return nil }
    self.init(signSeed: Secret(bytes[1..<33]), boxSecret: Secret(bytes[33...]))
  }

  /// The keys as 65 bytes: the version 1 and the two secrets, unencrypted. Store them only in a
  /// file that other users can't read.
  package var stored: [UInt8] { [1] + signSeed.copy() + boxSecret.copy() }

  /// Returns the Ed25519 signature of `bytes`, 64 bytes long.
  func signature(of bytes: [UInt8]) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: 64) { buffer, filled in
      guard let signature = buffer.baseAddress else { return }
      let status = signSecret.withBytes {
        crypto_sign_detached(signature, nil, bytes, UInt64(bytes.count), $0)
      }
      precondition(status == 0)
      filled = 64
    }
  }

  /// Decrypts bytes that were sealed to this device; nil if they were sealed to another device or
  /// were changed.
  func openBox(_ sealed: [UInt8]) -> [UInt8]? {
    guard sealed.count >= crypto_box_sealbytes() else { return nil }
    var opened = [UInt8](repeating: 0, count: sealed.count - crypto_box_sealbytes())
    let status = boxSecret.withBytes {
      crypto_box_seal_open(&opened, sealed, UInt64(sealed.count), publicKeys.box, $0)
    }
    return status == 0 ? opened : nil
  }
}

/// The public keys of a device.
package struct DevicePublicKeys: Hashable, Sendable, LosslessStringConvertible {
  /// The Ed25519 key, 32 bytes.
  let sign: [UInt8]
  /// The X25519 key, 32 bytes.
  let box: [UInt8]

  init(sign: [UInt8], box: [UInt8]) {
    precondition(sign.count == 32 && box.count == 32)
    (self.sign, self.box) = (sign, box)
  }

  /// Creates the keys from the 64 bytes of `bytes`; nil for any other number of bytes.
  package init?(bytes: [UInt8]) {
    guard bytes.count == 64 else { return nil }
    self.init(sign: Array(bytes[..<32]), box: Array(bytes[32...]))
  }

  /// Both keys, 64 bytes: first `sign`, then `box`.
  package var bytes: [UInt8] { sign + box }

  /// Parses 128 lower-case hexadecimal digits; nil for any other text.
  package init?(_ description: String) {
    guard let bytes = fromLowerHexadecimal(description) else { return nil }
    self.init(bytes: bytes)
  }

  /// Both keys as 128 lower-case hexadecimal digits.
  package var description: String { hexadecimal(bytes) }

  /// Returns whether `signature` is this device's signature of `bytes`.
  func isSignature(_ signature: [UInt8], of bytes: [UInt8]) -> Bool {
    Sodium.isReady && signature.count == 64
      && crypto_sign_verify_detached(signature, bytes, UInt64(bytes.count), sign) == 0
  }

  /// Encrypts bytes so that only this device can open them; nil if its X25519 key is invalid.
  func sealBox(_ bytes: [UInt8]) -> [UInt8]? {
    precondition(Sodium.isReady)
    var sealed = [UInt8](repeating: 0, count: bytes.count + crypto_box_sealbytes())
    return crypto_box_seal(&sealed, bytes, UInt64(bytes.count), box) == 0 ? sealed : nil
  }
}
