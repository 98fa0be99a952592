import CSodium

/// What is used of libsodium, in terms of arrays.
enum Sodium {
  /// Initialized before the first use of anything else; it is done once.
  static let isReady: Bool = {
    // 1 says that somebody did it before.
    precondition(sodium_init() >= 0, "libsodium finds no source of randomness")
    return true
  }()

  /// Bytes from the system's source of randomness.
  static func random(_ count: Int) -> [UInt8] {
    precondition(isReady)
    return [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      if let bytes = buffer.baseAddress { randombytes_buf(bytes, count) }
      filled = count
    }
  }

  /// The BLAKE2b of some bytes, in 32 bytes. O(bytes).
  static func hash(_ bytes: some Collection<UInt8>) -> [UInt8] {
    let done = bytes.withContiguousStorageIfAvailable {
      hash(UnsafeRawBufferPointer($0))
    }
    return done ?? Array(bytes).withUnsafeBytes(hash)
  }

  static func hash(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: 32) { buffer, filled in
      guard let hash = buffer.baseAddress else { return }
      let status = crypto_generichash(
        hash, 32, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self),
        UInt64(bytes.count), nil, 0)
      precondition(status == 0)
      filled = 32
    }
  }

  /// Whether two runs of bytes are equal, in a time that says nothing of where they differ.
  static func areEqual(_ a: [UInt8], _ b: [UInt8]) -> Bool {
    a.count == b.count && sodium_memcmp(a, b, a.count) == 0
  }

  /// Overwrites bytes that were secret. A copy that Swift made elsewhere stays.
  static func wipe(_ bytes: inout [UInt8]) {
    bytes.withUnsafeMutableBytes {
      if let first = $0.baseAddress { sodium_memzero(first, $0.count) }
    }
    bytes.removeAll()
  }
}

/// Secret bytes in memory of their own, which is locked where the system allows it and overwritten
/// in the end.
final class Secret: @unchecked Sendable {
  // Never written after the initializer, which is why threads may share it.
  private let memory: UnsafeMutableRawPointer
  let count: Int

  /// Copies some bytes.
  convenience init(_ bytes: some Collection<UInt8>) {
    let bytes = Array(bytes)
    self.init(count: bytes.count) { memory in bytes.withUnsafeBytes { memory.copyMemory(from: $0) }
    }
  }

  /// Takes what is written into the memory.
  init(count: Int, fill: (UnsafeMutableRawBufferPointer) -> Void) {
    precondition(Sodium.isReady)
    guard let memory = sodium_malloc(max(count, 1)) else { preconditionFailure("out of memory") }
    self.memory = memory
    self.count = count
    fill(UnsafeMutableRawBufferPointer(start: memory, count: count))
    _ = sodium_mprotect_readonly(memory)
  }

  /// Random bytes.
  static func random(_ count: Int = 32) -> Secret {
    Secret(count: count) { buffer in
      if let bytes = buffer.baseAddress { randombytes_buf(bytes, buffer.count) }
    }
  }

  // It makes the memory writable, overwrites it and gives it back.
  deinit { sodium_free(memory) }

  /// Lends the bytes.
  func withBytes<Result>(_ body: (UnsafePointer<UInt8>) -> Result) -> Result {
    body(UnsafePointer(memory.assumingMemoryBound(to: UInt8.self)))
  }

  /// A copy of the bytes, which its user wipes.
  func copy() -> [UInt8] { Array(UnsafeRawBufferPointer(start: memory, count: count)) }

  /// The key for one purpose that comes of this one: nobody can tell one from the other.
  func key(for purpose: KeyPurpose) -> Secret {
    precondition(count == Int(crypto_kdf_KEYBYTES))
    return Secret(count: 32) { buffer in
      guard let key = buffer.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
      let status = withBytes {
        crypto_kdf_derive_from_key(key, 32, purpose.rawValue, KeyPurpose.context, $0)
      }
      precondition(status == 0)
    }
  }
}

extension Secret: Hashable {
  static func == (a: Secret, b: Secret) -> Bool {
    a.count == b.count && sodium_memcmp(a.memory, b.memory, a.count) == 0
  }
  // Of no use to a table, and tells nothing.
  func hash(into hasher: inout Hasher) { hasher.combine(count) }
}

/// What a key of a vault is for; the number is a part of the format.
enum KeyPurpose: UInt64 {
  case segment = 1
  case snapshot = 2
  case device = 3
  case previousRoot = 4
  case revocations = 5
  case commitment = 6
  case state = 7

  /// The eight bytes by which the keys differ from those of other programs.
  static let context = "diple v1"
}
