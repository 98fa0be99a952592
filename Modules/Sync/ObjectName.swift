public import Model

/// The name of an object that a replica publishes to the others: `v1/VAULT/REPLICA/FILE`.
///
/// A name from another device is always parsed into these parts and formatted again from them, so
/// that no string from another machine becomes part of a path.
public struct ObjectName: Hashable, Comparable, Sendable, LosslessStringConvertible {
  /// The vault: 16 bytes, formatted as 32 lower-case hexadecimal digits.
  public let vault: VaultID
  /// The replica that owns the object. Only this replica creates and deletes it.
  public let replica: ReplicaID
  /// The file name: 1 to 100 of the characters `a-z0-9.-`, the first of them a letter or a digit.
  public let file: String

  /// Creates a name; nil if `file` isn't a valid file name.
  public init?(vault: VaultID, replica: ReplicaID, file: String) {
    guard Self.isFileName(file) else { return nil }
    (self.vault, self.replica, self.file) = (vault, replica, file)
  }

  /// Parses a name; nil for any other text. Files with other names must be left untouched.
  public init?(_ description: String) {
    let parts = description.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 4, parts[0] == "v1", let vault = VaultID(String(parts[1])),
      let replica = ReplicaID(String(parts[2])), replica.description == parts[2]
    else { return nil }
    self.init(vault: vault, replica: replica, file: String(parts[3]))
  }

  private static func isFileName(_ text: String) -> Bool {
    guard let first = text.utf8.first, text.utf8.count <= 100 else { return false }
    func isPlain(_ byte: UInt8) -> Bool {
      UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
    }
    return isPlain(first)
      && text.utf8.allSatisfy { isPlain($0) || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-") }
  }

  /// The name in the form `v1/VAULT/REPLICA/FILE`.
  public var description: String { "v1/\(vault)/\(replica)/\(file)" }

  /// Orders names by vault, then replica, then file.
  public static func < (a: Self, b: Self) -> Bool {
    (a.vault, a.replica, a.file) < (b.vault, b.replica, b.file)
  }
}

/// The identity of a vault, which the replicas of a library share.
public struct VaultID: Hashable, Comparable, Sendable, LosslessStringConvertible {
  /// The identity, 16 bytes.
  public let bytes: [UInt8]

  /// Creates an identity from its bytes; nil unless there are 16.
  public init?(bytes: [UInt8]) {
    guard bytes.count == 16 else { return nil }
    self.bytes = bytes
  }

  /// Parses 32 lower-case hexadecimal digits; nil for any other text.
  public init?(_ description: String) {
    guard let bytes = fromLowerHexadecimal(description), bytes.count == 16 else { return nil }
    self.bytes = bytes
  }

  /// The identity as 32 lower-case hexadecimal digits.
  public var description: String { hexadecimal(bytes) }

  /// Orders identities by their bytes.
  public static func < (a: Self, b: Self) -> Bool { a.bytes.lexicographicallyPrecedes(b.bytes) }
}
