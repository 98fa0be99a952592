public import Model

/// Names one object that a replica put where the others find it: `v1/VAULT/REPLICA/FILE`.
///
/// Names that come from elsewhere are parsed into these parts and written again from them; nothing
/// that another machine wrote is ever joined to a path.
public struct ObjectName: Hashable, Comparable, Sendable, LosslessStringConvertible {
  /// The vault: 16 bytes as 32 lower-case hexadecimal digits.
  public let vault: VaultID
  /// Whose object it is; only this replica writes or deletes it.
  public let replica: ReplicaID
  /// What it is called there: 1 to 100 of `a-z0-9.-`, beginning with a letter or digit.
  public let file: String

  /// Makes a name of its parts; nil for a file name that is none.
  public init?(vault: VaultID, replica: ReplicaID, file: String) {
    guard Self.isFileName(file) else { return nil }
    (self.vault, self.replica, self.file) = (vault, replica, file)
  }

  /// Reads a name; nil for anything else, which is not ours to touch.
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

  /// The name as text.
  public var description: String { "v1/\(vault)/\(replica)/\(file)" }

  /// Orders by vault, replica and file.
  public static func < (a: Self, b: Self) -> Bool {
    (a.vault, a.replica, a.file) < (b.vault, b.replica, b.file)
  }
}

/// Names a vault: what the replicas of one library share.
public struct VaultID: Hashable, Comparable, Sendable, LosslessStringConvertible {
  /// Sixteen bytes.
  public let bytes: [UInt8]

  /// Takes sixteen bytes; nil for another number of them.
  public init?(bytes: [UInt8]) {
    guard bytes.count == 16 else { return nil }
    self.bytes = bytes
  }

  /// Reads 32 lower-case hexadecimal digits.
  public init?(_ description: String) {
    let digits = Array(description.utf8)
    guard digits.count == 32 else { return nil }
    var bytes: [UInt8] = []
    for index in stride(from: 0, to: 32, by: 2) {
      guard let high = Self.value(digits[index]), let low = Self.value(digits[index + 1]) else {
        return nil
      }
      bytes.append(high << 4 | low)
    }
    self.bytes = bytes
  }

  private static func value(_ digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    default: nil
    }
  }

  /// 32 lower-case hexadecimal digits.
  public var description: String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  /// Orders by bytes.
  public static func < (a: Self, b: Self) -> Bool { a.bytes.lexicographicallyPrecedes(b.bytes) }
}
