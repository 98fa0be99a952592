/// One machine's copy of a library (an *incarnation* of it): 64 random bits, made once.
public struct ReplicaID: Hashable, Comparable, Sendable {
  /// The random bits.
  public var rawValue: UInt64

  /// Takes bits that were made elsewhere.
  public init(rawValue: UInt64) { self.rawValue = rawValue }

  /// Makes a new identity from the system's random source.
  package static func random() -> ReplicaID { ReplicaID(rawValue: .random(in: 1...UInt64.max)) }

  /// Orders replicas by their bits; this breaks ties between equal clocks.
  public static func < (a: ReplicaID, b: ReplicaID) -> Bool { a.rawValue < b.rawValue }
}

extension ReplicaID: LosslessStringConvertible {
  /// Sixteen lower-case hexadecimal digits.
  public var description: String {
    String(unsafeUninitializedCapacity: 16) { buffer in
      for index in 0..<16 {
        let digit = UInt8(truncatingIfNeeded: rawValue >> UInt64(60 - 4 * index) & 15)
        buffer[index] = digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
      }
      return 16
    }
  }

  /// Reads sixteen hexadecimal digits, or gives nil.
  public init?(_ description: String) {
    guard description.utf8.count == 16, let bits = UInt64(description, radix: 16) else {
      return nil
    }
    rawValue = bits
  }
}

/// The name of one operation: which replica made it, and the how-manieth it was there.
///
/// A record takes the dot of the operation that created it as its identity.
public struct Dot: Hashable, Comparable, Sendable {
  /// The replica that made the operation.
  public var replica: ReplicaID
  /// Counted from 1 without gaps in each replica.
  public var sequence: Int64

  /// Makes a dot from its parts.
  public init(replica: ReplicaID, sequence: Int64) {
    self.replica = replica
    self.sequence = sequence
  }

  /// How a person calls what has this name: by the number, with the beginning of the replica where that
  /// is not enough. Each is a prefix of the description, or equal to its first part.
  package func shortName(withReplica: Bool) -> String {
    withReplica ? "\(sequence)-\(replica.description.prefix(4))" : String(sequence)
  }

  /// Orders by sequence, then by replica.
  public static func < (a: Dot, b: Dot) -> Bool {
    (a.sequence, a.replica) < (b.sequence, b.replica)
  }
}

extension Dot: LosslessStringConvertible {
  /// `SEQUENCE-REPLICA`, for example `42-9f3c0a5517e2b846`: short prefixes stay telling.
  public var description: String { "\(sequence)-\(replica)" }

  /// Reads the form that `description` writes, or gives nil.
  public init?(_ description: String) {
    let parts = description.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, let sequence = Int64(parts[0]), sequence > 0,
      let replica = ReplicaID(String(parts[1]))
    else { return nil }
    self.init(replica: replica, sequence: sequence)
  }
}

extension Dot: Codable {
  /// Reads the text form; throws when it is none.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let dot = Dot(text) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "'\(text)' is not an identifier")
    }
    self = dot
  }

  /// Writes the text form.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}

/// The identity of a record of one kind, so that a document's cannot stand for a highlight's.
public struct Identifier<Record>: Hashable, Comparable, Sendable {
  /// The operation that created the record.
  public var dot: Dot

  /// Names the record that the operation `dot` created.
  public init(_ dot: Dot) { self.dot = dot }

  /// Orders by the creating operation.
  public static func < (a: Self, b: Self) -> Bool { a.dot < b.dot }
}

extension Identifier: LosslessStringConvertible {
  /// The text form of the dot.
  public var description: String { dot.description }

  /// Reads the text form of a dot, or gives nil.
  public init?(_ description: String) {
    guard let dot = Dot(description) else { return nil }
    self.dot = dot
  }
}

extension Identifier: Codable {
  /// Reads the text form of the dot.
  public init(from decoder: any Decoder) throws { dot = try Dot(from: decoder) }
  /// Writes the text form of the dot.
  public func encode(to encoder: any Encoder) throws { try dot.encode(to: encoder) }
}
