import CSodium

/// The secret keys of one device: Ed25519 to sign with, X25519 to be sent secrets.
package struct DeviceKeys: Hashable, Sendable {
  private let signSeed: Secret
  private let boxSecret: Secret
  private let signSecret: Secret
  /// What everybody may know.
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

  /// New keys.
  package static func random() -> DeviceKeys {
    DeviceKeys(signSeed: .random(), boxSecret: .random())
  }

  /// Takes what `stored` gave; nil for anything else.
  package init?(stored bytes: [UInt8]) {
    guard bytes.count == 65, bytes[0] == 1 else { return nil }
    self.init(signSeed: Secret(bytes[1..<33]), boxSecret: Secret(bytes[33...]))
  }

  /// The form in which they are kept in a file that nobody else may read.
  package var stored: [UInt8] { [1] + signSeed.copy() + boxSecret.copy() }

  /// The Ed25519 signature of some bytes, 64 bytes.
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

  /// What somebody sealed to this device; nil when it is something else.
  func openBox(_ sealed: [UInt8]) -> [UInt8]? {
    guard sealed.count >= crypto_box_sealbytes() else { return nil }
    var opened = [UInt8](repeating: 0, count: sealed.count - crypto_box_sealbytes())
    let status = boxSecret.withBytes {
      crypto_box_seal_open(&opened, sealed, UInt64(sealed.count), publicKeys.box, $0)
    }
    return status == 0 ? opened : nil
  }
}

/// The public keys of one device.
package struct DevicePublicKeys: Hashable, Sendable, LosslessStringConvertible {
  /// Of Ed25519.
  let sign: [UInt8]
  /// Of X25519.
  let box: [UInt8]

  init(sign: [UInt8], box: [UInt8]) {
    precondition(sign.count == 32 && box.count == 32)
    (self.sign, self.box) = (sign, box)
  }

  /// Takes the 64 bytes that `bytes` gives; nil for another number of them.
  package init?(bytes: [UInt8]) {
    guard bytes.count == 64 else { return nil }
    self.init(sign: Array(bytes[..<32]), box: Array(bytes[32...]))
  }

  /// Both keys.
  package var bytes: [UInt8] { sign + box }

  /// Reads 128 lower-case hexadecimal digits.
  package init?(_ description: String) {
    guard let bytes = fromHexadecimal(description) else { return nil }
    self.init(bytes: bytes)
  }

  /// 128 lower-case hexadecimal digits.
  package var description: String { hexadecimal(bytes) }

  /// Whether the device signed some bytes.
  func isSignature(_ signature: [UInt8], of bytes: [UInt8]) -> Bool {
    Sodium.isReady && signature.count == 64
      && crypto_sign_verify_detached(signature, bytes, UInt64(bytes.count), sign) == 0
  }

  /// Seals some bytes so that only the device can open them; nil when its key is none.
  func sealBox(_ bytes: [UInt8]) -> [UInt8]? {
    precondition(Sodium.isReady)
    var sealed = [UInt8](repeating: 0, count: bytes.count + crypto_box_sealbytes())
    return crypto_box_seal(&sealed, bytes, UInt64(bytes.count), box) == 0 ? sealed : nil
  }
}
