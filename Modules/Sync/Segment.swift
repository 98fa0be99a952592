import FoundationEssentials
public import Model

/// A run of one replica's operations as it is stored and sent: JSON lines behind a line that says
/// how many bytes they are and what they add up to. Written once, never changed.
public enum Segment {
  private static let magic = "diple-segment/1"

  /// The name that says what a segment holds: `REPLICA/FIRST-LAST.seg`.
  public struct Name: Hashable, Sendable, LosslessStringConvertible {
    /// Whose operations.
    public var replica: ReplicaID
    /// Their sequence numbers.
    public var sequences: ClosedRange<Int64>

    /// Names the segment of some operations of one replica without gaps; nil for others.
    public init?(of operations: [Operation]) {
      guard let first = operations.first?.dot, let last = operations.last?.dot else { return nil }
      let isRun = operations.enumerated().allSatisfy {
        $0.element.dot
          == Dot(replica: first.replica, sequence: first.sequence + Int64($0.offset))
      }
      guard isRun else { return nil }
      replica = first.replica
      sequences = first.sequence...last.sequence
    }

    /// Reads a name; nil for anything else, which is not ours to touch.
    public init?(_ description: String) {
      let parts = description.split(separator: "/", omittingEmptySubsequences: false)
      guard parts.count == 2, let replica = ReplicaID(String(parts[0])), parts[1].hasSuffix(".seg")
      else { return nil }
      let numbers = parts[1].dropLast(4).split(separator: "-", omittingEmptySubsequences: false)
        .map { Int64($0) }
      guard numbers.count == 2, let first = numbers[0], let last = numbers[1], first >= 1,
        first <= last
      else { return nil }
      self.replica = replica
      sequences = first...last
      guard self.description == description else { return nil }
    }

    /// The name as text.
    public var description: String {
      "\(replica)/\(sequences.lowerBound)-\(sequences.upperBound).seg"
    }
  }

  /// The bytes of a segment.
  public static func encode(_ operations: [Operation]) -> [UInt8] {
    let encoder = JSONEncoder.ordered()
    var body: [UInt8] = []
    for operation in operations {
      guard let line = try? encoder.encode(operation) else {
        preconditionFailure("an operation can always be written as JSON")
      }
      body += line + [10]
    }
    return Array("\(magic) \(body.count) \(checksum(body))\n".utf8) + body
  }

  /// The operations of a segment; nil when it is cut short or altered: then it has perhaps not
  /// arrived yet, and is not believed.
  public static func decode(_ bytes: [UInt8], named name: Name) -> [Operation]? {
    guard let end = bytes.firstIndex(of: 10) else { return nil }
    let header = String(decoding: bytes[..<end], as: UTF8.self).split(separator: " ")
    let body = Array(bytes[(end + 1)...])
    guard header.count == 3, header[0] == magic, Int(header[1]) == body.count,
      UInt64(header[2]) == checksum(body)
    else { return nil }
    let decoder = JSONDecoder()
    let operations = body.split(separator: 10).map {
      try? decoder.decode(Operation.self, from: Data($0))
    }
    guard operations.allSatisfy({ $0 != nil }) else { return nil }
    let read = operations.compactMap { $0 }
    return Name(of: read) == name ? read : nil
  }

  /// FNV-1a in 64 bits: against accidents, not against malice.
  private static func checksum(_ bytes: [UInt8]) -> UInt64 {
    bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
  }
}
