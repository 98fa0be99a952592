import CSodium

/// A secret that a passphrase opens, by Argon2id.
struct PassphraseWrap: Hashable, Sendable {
  /// How many passes.
  var operations: Int
  /// How much memory, in KiB.
  var memory: Int
  var salt: [UInt8]
  /// A nonce and the sealed secret.
  var sealed: [UInt8]

  static let size = 1 + 4 + 16 + Wrapping.size

  func write(to writer: inout ByteWriter) {
    writer.byte(UInt8(operations))
    writer.fixed(UInt32(memory))
    writer.raw(salt)
    writer.raw(sealed)
  }

  init(_ reader: inout ByteReader) throws(SegmentProblem) {
    operations = Int(try reader.byte())
    memory = Int(try reader.fixed(UInt32.self))
    salt = Array(try reader.raw(16))
    sealed = Array(try reader.raw(Wrapping.size))
  }

  /// Wraps a secret.
  init(
    _ secret: Secret, passphrase: String, cost: PassphraseCost, context: [UInt8]
  ) throws(PassphraseProblem) {
    (operations, memory) = (cost.operations, cost.memory)
    salt = Sodium.random(16)
    sealed = []
    sealed = Wrapping.seal(secret, key: try key(passphrase), context: context)
  }

  /// Opens it.
  func secret(passphrase: String, context: [UInt8]) throws(PassphraseProblem) -> Secret {
    guard let secret: Secret = Wrapping.open(sealed, key: try key(passphrase), context: context)
    else {
      throw .wrongPassphrase
    }
    return secret
  }

  private func key(_ passphrase: String) throws(PassphraseProblem) -> Secret {
    // Before anything is computed: a stranger may have written them.
    guard PassphraseCost.operationRange.contains(operations),
      PassphraseCost.memoryRange.contains(memory)
    else { throw .limitsExceeded(operations: operations, kibibytes: memory) }
    var isDone = false
    var words = passphrase
    let key = Secret(count: 32) { buffer in
      guard let key = buffer.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
      isDone = words.withUTF8 { words in
        words.withMemoryRebound(to: CChar.self) { words in
          // A text without bytes may have no address.
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

/// What trying a passphrase costs, here and to whoever guesses.
package struct PassphraseCost: Hashable, Sendable {
  /// How many passes over the memory, 1 to 8.
  package let operations: Int
  /// How much memory, in KiB: 8 MiB to 512 MiB.
  package let memory: Int

  static let operationRange = 1...8
  static let memoryRange = (8 << 10)...(512 << 10)

  /// Three passes over 256 MiB: about a second.
  package static let usual = PassphraseCost(checked: 3, 256 << 10)
  /// One pass over 8 MiB, the least that is taken: for tests.
  package static let least = PassphraseCost(checked: 1, 8 << 10)

  private init(checked operations: Int, _ memory: Int) {
    (self.operations, self.memory) = (operations, memory)
  }

  /// Takes numbers within the limits; nil for others.
  package init?(operations: Int, memory: Int) {
    guard Self.operationRange.contains(operations), Self.memoryRange.contains(memory) else {
      return nil
    }
    self.init(checked: operations, memory)
  }
}

/// Why a passphrase does not open a vault.
package enum PassphraseProblem: Error, Hashable, Sendable, CustomStringConvertible {
  /// It is another one. The record itself is whole.
  case wrongPassphrase
  /// The vault has none.
  case noPassphrase
  /// Whoever wrote the record asks for more work than is reasonable.
  case limitsExceeded(operations: Int, kibibytes: Int)
  /// There is not as much memory as it takes.
  case outOfMemory(kibibytes: Int)
  /// What it opens is not what the record promises.
  case damaged

  /// One line.
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

/// A secret of 32 bytes sealed with a key, for a context that both sides know.
enum Wrapping {
  private static let nonceSize = 24
  /// The size of what `seal` gives.
  static let size = 24 + 32 + 16

  static func seal(_ secret: Secret, key: Secret, context: [UInt8]) -> [UInt8] {
    var plain = secret.copy()
    defer { Sodium.wipe(&plain) }
    return seal(plain, key: key, context: context)
  }

  /// A nonce and the sealed bytes.
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
