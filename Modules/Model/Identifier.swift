/// The identity of one device's copy of a library: 64 random bits, generated once.
///
/// A copy that turns out to be a clone of another one gets a new identity.
public struct ReplicaID: Hashable, Comparable, Sendable {
  /// The 64 random bits.
  public var rawValue: UInt64

  /// Creates an identity from existing bits.
  public init(rawValue: UInt64) { self.rawValue = rawValue }

  /// Generates a new identity with the system's random number generator. It is never 0.
  package static func random() -> ReplicaID { ReplicaID(rawValue: .random(in: 1...UInt64.max)) }

  /// Orders replicas by their bits. The order breaks ties between equal timestamps.
  public static func < (a: ReplicaID, b: ReplicaID) -> Bool { a.rawValue < b.rawValue }
}

extension ReplicaID: LosslessStringConvertible {
  /// The identity as 16 lower-case hexadecimal digits.
  public var description: String {
    String(unsafeUninitializedCapacity: 16) { buffer in
      for index in 0..<16 {
        let digit = UInt8(truncatingIfNeeded: rawValue >> UInt64(60 - 4 * index) & 15)
        buffer[index] = digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
      }
      return 16
    }
  }

  /// Parses 16 hexadecimal digits in either case; nil if the text is anything else.
  public init?(_ description: String) {
    guard let bytes = fromHexadecimal(description), bytes.count == 8 else { return nil }
    rawValue = bytes.reduce(0) { $0 << 8 | UInt64($1) }
  }
}

/// The identity of an operation: the replica that recorded it and its number in that replica.
///
/// A record is identified by the dot of the operation that created it.
///
/// ```swift
/// let dot = Dot("42-9f3c0a5517e2b846")!
/// dot.sequence  // 42
/// ```
public struct Dot: Hashable, Comparable, Sendable {
  /// The replica that recorded the operation.
  public var replica: ReplicaID
  /// The number of the operation in its replica, counted from 1 without gaps.
  public var sequence: Int64

  /// Creates a dot. The sequence must be positive.
  public init(replica: ReplicaID, sequence: Int64) {
    self.replica = replica
    self.sequence = sequence
  }

  /// Orders by sequence, then by replica.
  public static func < (a: Dot, b: Dot) -> Bool {
    (a.sequence, a.replica) < (b.sequence, b.replica)
  }
}

extension Dot: LosslessStringConvertible {
  /// The dot as `SEQUENCE-REPLICA`, for example `42-9f3c0a5517e2b846`. The number is first so that
  /// a short prefix is distinctive.
  public var description: String { "\(sequence)-\(replica)" }

  /// Parses the form that `description` returns; nil if the text isn't valid.
  public init?(_ description: String) {
    let parts = description.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, let sequence = Int64(parts[0]), sequence > 0,
      let replica = ReplicaID(String(parts[1]))
    else { return nil }
    self.init(replica: replica, sequence: sequence)
  }
}

extension Dot: Codable {
  /// Decodes the text form. Throws `DecodingError.dataCorrupted` if it isn't valid.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let dot = Dot(text) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "'\(text)' is not an identifier")
    }
    self = dot
  }

  /// Encodes the text form.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}

/// The identity of a record of one type. The type parameter prevents the use of a document's
/// identity where a highlight's is expected.
public struct Identifier<Record>: Hashable, Comparable, Sendable {
  /// The identity of the operation that created the record.
  public var dot: Dot

  /// Creates the identity of the record that the operation `dot` created.
  public init(_ dot: Dot) { self.dot = dot }

  /// Orders by the operation that created the record.
  public static func < (a: Self, b: Self) -> Bool { a.dot < b.dot }
}

extension Identifier: LosslessStringConvertible {
  /// The text form of the dot.
  public var description: String { dot.description }

  /// Parses the text form of a dot; nil if it isn't valid.
  public init?(_ description: String) {
    guard let dot = Dot(description) else { return nil }
    self.dot = dot
  }
}

extension Identifier: Codable {
  /// Decodes the text form of the dot. Throws `DecodingError.dataCorrupted` if it isn't valid.
  public init(from decoder: any Decoder) throws { dot = try Dot(from: decoder) }
  /// Encodes the text form of the dot.
  public func encode(to encoder: any Encoder) throws { try dot.encode(to: encoder) }
}
