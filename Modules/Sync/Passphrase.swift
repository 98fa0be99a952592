import CSodium

/// A secret that is encrypted with a passphrase, using Argon2id.
struct PassphraseWrap: Hashable, Sendable {
  /// The number of passes over the memory.
  var operations: Int
  /// The amount of memory in KiB.
  var memory: Int
  var salt: [UInt8]
  /// A nonce, followed by the encrypted secret.
  var sealed: [UInt8]

  static let size = 1 + 4 + 16 + Wrapping.size

  func write(to writer: inout ByteWriter) {
    writer.byte(UInt8(operations))
    writer.fixed(UInt32(memory))
    writer.raw(salt)
    writer.raw(sealed)
  }

  init(_ reader: inout ByteReader) throws(SegmentError) {
    operations = Int(try reader.byte())
    memory = Int(try reader.fixed(UInt32.self))
    salt = Array(try reader.raw(16))
    sealed = Array(try reader.raw(Wrapping.size))
  }

  /// Encrypts a secret with a new salt.
  ///
  /// - Throws: `PassphraseError.outOfMemory` if the memory for the computation can't be allocated.
  init(
    _ secret: Secret, passphrase: String, cost: PassphraseCost, context: [UInt8]
  ) throws(PassphraseError) {
    (operations, memory) = (cost.operations, cost.memory)
    salt = Sodium.random(16)
    sealed = []
    sealed = Wrapping.seal(secret, key: try key(passphrase), context: context)
  }

  /// Decrypts the secret.
  ///
  /// - Throws: `PassphraseError.wrongPassphrase` if the passphrase doesn't match, `.limitsExceeded`
  ///   if the stored cost is out of range, `.outOfMemory` if the memory for the computation can't
  ///   be allocated.
  func secret(passphrase: String, context: [UInt8]) throws(PassphraseError) -> Secret {
    guard let secret: Secret = Wrapping.open(sealed, key: try key(passphrase), context: context)
    else {
      throw .wrongPassphrase
    }
    return secret
  }

  private func key(_ passphrase: String) throws(PassphraseError) -> Secret {
    // Check them before the computation, because an attacker may have chosen the numbers.
    guard PassphraseCost.operationRange.contains(operations),
      PassphraseCost.memoryRange.contains(memory)
    else { throw .limitsExceeded(operations: operations, kibibytes: memory) }
    var isDone = false
    var words = passphrase
    let key = Secret(count: 32) { buffer in
      guard let key = buffer.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
      isDone = words.withUTF8 { words in
        words.withMemoryRebound(to: CChar.self) { words in
          // An empty string may have no address.
          var nothing: CChar = 0
          return withUnsafePointer(to: &nothing) { nothing in
            crypto_pwhash(
              key, 32, words.baseAddress ?? nothing, UInt64(words.count), salt,
              UInt64(operations), memory << 10, crypto_pwhash_alg_argon2id13()) == 0
          }
        }
      }
    }
    guard isDone else { throw .outOfMemory(kibibytes: memory) }
    return key
  }
}

/// The cost of trying a passphrase, for this device and for an attacker.
package struct PassphraseCost: Hashable, Sendable {
  /// The number of passes over the memory, 1 to 8.
  package let operations: Int
  /// The amount of memory in KiB: 8 MiB to 512 MiB.
  package let memory: Int

  static let operationRange = 1...8
  static let memoryRange = (8 << 10)...(512 << 10)

  /// The default: eight passes over 64 MiB, about a third of a second.
  package static let usual = PassphraseCost(checked: 8, 64 << 10)
  /// The minimum: one pass over 8 MiB. For tests.
  package static let least = PassphraseCost(checked: 1, 8 << 10)

  private init(checked operations: Int, _ memory: Int) {
    (self.operations, self.memory) = (operations, memory)
  }

  /// Creates a cost; nil if a number is out of its range.
  package init?(operations: Int, memory: Int) {
    guard Self.operationRange.contains(operations), Self.memoryRange.contains(memory) else {
      return nil
    }
    self.init(checked: operations, memory)
  }
}

/// The reasons why a passphrase doesn't open a vault.
package enum PassphraseError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The passphrase doesn't match. The record itself is intact.
  case wrongPassphrase
  /// The vault has no passphrase.
  case noPassphrase
  /// The record demands more passes or memory than the limits allow.
  case limitsExceeded(operations: Int, kibibytes: Int)
  /// There isn't enough memory for the computation.
  case outOfMemory(kibibytes: Int)
  /// The decrypted secret isn't the one from which the epoch's keys are derived.
  case damaged

  /// A one-line message.
  package var description: String {
    switch self {
    case .wrongPassphrase: "the passphrase is wrong"
    case .noPassphrase: "the vault has no passphrase"
    case .limitsExceeded(let operations, let kibibytes):
      "checking the passphrase would take \(operations) passes over \(kibibytes) KiB, which is out of "
        + "the limits (1 to 8 passes over 8192 to 524288 KiB)"
    case .outOfMemory(let kibibytes):
      "there is not enough memory to check the passphrase (\(kibibytes) KiB)"
    case .damaged: "the key that the passphrase opens does not belong to this vault"
    }
  }
}

/// Encrypts a secret, usually 32 bytes, with a key. The context is authenticated but not stored;
/// both sides must know it.
enum Wrapping {
  private static let nonceSize = 24
  /// The size of an encrypted secret of 32 bytes, with its nonce.
  static let size = 24 + 32 + 16

  static func seal(_ secret: Secret, key: Secret, context: [UInt8]) -> [UInt8] {
    var plain = secret.copy()
    defer { Sodium.wipe(&plain) }
    return seal(plain, key: key, context: context)
  }

  /// Returns a nonce, followed by the encrypted bytes.
  static func seal(_ plain: [UInt8], key: Secret, context: [UInt8]) -> [UInt8] {
    let nonce = Sodium.random(nonceSize)
    var sealed = [UInt8](repeating: 0, count: plain.count + 16)
    let status = key.withBytes {
      crypto_aead_xchacha20poly1305_ietf_encrypt(
        &sealed, nil, plain, UInt64(plain.count), context, UInt64(context.count), nil, nonce, $0)
    }
    precondition(status == 0)
    return nonce + sealed
  }

  static func open(_ sealed: [UInt8], key: Secret, context: [UInt8]) -> Secret? {
    guard var plain: [UInt8] = open(sealed, key: key, context: context), plain.count == 32 else {
      return nil
    }
    defer { Sodium.wipe(&plain) }
    return Secret(plain)
  }

  static func open(_ sealed: [UInt8], key: Secret, context: [UInt8]) -> [UInt8]? {
    precondition(Sodium.isReady)
    guard sealed.count >= nonceSize + 16 else { return nil }
    let nonce = Array(sealed[..<nonceSize])
    let body = Array(sealed[nonceSize...])
    var plain = [UInt8](repeating: 0, count: body.count - 16)
    let status = key.withBytes {
      crypto_aead_xchacha20poly1305_ietf_decrypt(
        &plain, nil, nil, body, UInt64(body.count), context, UInt64(context.count), nonce, $0)
    }
    return status == 0 ? plain : nil
  }
}
