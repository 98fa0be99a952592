import CSodium

/// The functions of libsodium that this module uses, for arrays of bytes.
enum Sodium {
  /// Initialises libsodium once. Every function that needs initialisation reads it first.
  static let isReady: Bool = {
    // `sodium_init` returns 1 if libsodium was initialised before.
    precondition(sodium_init() >= 0, "libsodium finds no source of randomness")
    return true
  }()

  /// Returns `count` bytes from the system's random source.
  static func random(_ count: Int) -> [UInt8] {
    precondition(isReady)
    return [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      if let bytes = buffer.baseAddress { randombytes_buf(bytes, count) }
      filled = count
    }
  }

  /// Returns the BLAKE2b of `bytes`, 32 bytes long. O(bytes).
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

  /// Returns whether two arrays are equal, in constant time for a given length.
  static func areEqual(_ a: [UInt8], _ b: [UInt8]) -> Bool {
    a.count == b.count && sodium_memcmp(a, b, a.count) == 0
  }

  /// Overwrites secret bytes and empties the array. Copies of the array aren't overwritten.
  static func wipe(_ bytes: inout [UInt8]) {
    bytes.withUnsafeMutableBytes {
      if let first = $0.baseAddress { sodium_memzero(first, $0.count) }
    }
    bytes.removeAll()
  }
}

/// Secret bytes in separately allocated memory, which is locked if the system allows it and
/// overwritten when it is freed.
final class Secret: @unchecked Sendable {
  // The memory is never written after the initializer, so threads may share it.
  private let memory: UnsafeMutableRawPointer
  let count: Int

  /// Copies `bytes`.
  convenience init(_ bytes: some Collection<UInt8>) {
    let bytes = Array(bytes)
    self.init(count: bytes.count) { memory in bytes.withUnsafeBytes { memory.copyMemory(from: $0) }
    }
  }

  /// Allocates `count` bytes, lets `fill` write them, and makes them read-only.
  init(count: Int, fill: (UnsafeMutableRawBufferPointer) -> Void) {
    precondition(Sodium.isReady)
    guard let memory = sodium_malloc(max(count, 1)) else { preconditionFailure("out of memory") }
    self.memory = memory
    self.count = count
    fill(UnsafeMutableRawBufferPointer(start: memory, count: count))
    _ = sodium_mprotect_readonly(memory)
  }

  /// Creates random bytes.
  static func random(_ count: Int = 32) -> Secret {
    Secret(count: count) { buffer in
      if let bytes = buffer.baseAddress { randombytes_buf(bytes, buffer.count) }
    }
  }

  // `sodium_free` makes the memory writable and overwrites it before freeing it.
  deinit { sodium_free(memory) }

  /// Calls `body` with a pointer to the bytes, which is valid only during the call.
  func withBytes<Result>(_ body: (UnsafePointer<UInt8>) -> Result) -> Result {
    body(UnsafePointer(memory.assumingMemoryBound(to: UInt8.self)))
  }

  /// Returns a copy of the bytes. The caller must wipe it.
  func copy() -> [UInt8] { Array(UnsafeRawBufferPointer(start: memory, count: count)) }

  /// Derives the key for `purpose`. Derived keys reveal neither this key nor one another.
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
  // Only the count is hashed, so that the hash reveals nothing. Large tables would be slow.
  func hash(into hasher: inout Hasher) { hasher.combine(count) }
}

/// The purpose of a key. The raw value is part of the format.
enum KeyPurpose: UInt64 {
  case segment = 1
  case snapshot = 2
  case device = 3
  case previousRoot = 4
  case revocations = 5
  case commitment = 6
  case state = 7

  /// The KDF context, eight bytes, which separates these keys from those of other programs.
  static let context = "diple v1"
}
