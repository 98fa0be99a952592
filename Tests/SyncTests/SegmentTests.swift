import Model
import Sync
import TestSupport
import Testing

@Suite struct SegmentTests {
  private static func operation(
    _ sequence: Int64, replica: UInt64 = 7, value: Model.Operation.Value = .text("title")
  ) -> Model.Operation {
    let replica = ReplicaID(rawValue: replica)
    return Model.Operation(
      dot: Dot(replica: replica, sequence: sequence), time: Timestamp(milliseconds: sequence),
      group: sequence, record: .document(Document.ID(Dot(replica: replica, sequence: 1))),
      field: .title, value: value)
  }

  /// Operations with every kind of value, and with texts that a line of JSON must protect.
  private static let varied: [Model.Operation] = {
    var operations = [
      operation(3, value: .none), operation(4, value: .flag(true)),
      operation(5, value: .text("a\nb\r\"\\\u{0}\u{2028}👋 e\u{301}")),
      operation(6, value: .reference(Dot(replica: ReplicaID(rawValue: .max), sequence: .max))),
    ]
    operations[3].field = .tag("a/b")
    operations[3].previous = .text("")
    operations[3].record = .highlight(
      Highlight.ID(Dot(replica: ReplicaID(rawValue: 1), sequence: 9)))
    return operations
  }()

  private func name(_ operations: [Model.Operation]) throws -> Segment.Name {
    try #require(Segment.Name(of: operations))
  }

  @Test func `what is encoded is decoded, whatever it says`() throws {
    let bytes = Segment.encode(Self.varied)
    #expect(Segment.decode(bytes, named: try name(Self.varied)) == Self.varied)
    #expect(bytes == Segment.encode(Self.varied))
    // One line for what follows, and one for each operation.
    #expect(bytes.count { $0 == 10 } == 1 + Self.varied.count)
  }

  @Test func `no beginning of a segment is believed`() throws {
    let bytes = Segment.encode(Self.varied)
    let name = try name(Self.varied)
    for count in 0..<bytes.count {
      #expect(Segment.decode(Array(bytes[..<count]), named: name) == nil, "\(count) bytes")
    }
    #expect(Segment.decode(bytes + [10], named: name) == nil)
    #expect(Segment.decode(bytes + bytes, named: name) == nil)
  }

  @Test func `no segment with one altered bit is believed`() throws {
    let bytes = Segment.encode(Self.varied)
    let name = try name(Self.varied)
    for index in bytes.indices {
      for bit in 0..<8 {
        var damaged = bytes
        damaged[index] ^= 1 << UInt8(bit)
        #expect(Segment.decode(damaged, named: name) == nil, "bit \(bit) of byte \(index)")
      }
    }
  }

  @Test func `nothing foreign is believed, and nothing that says another name`() throws {
    let name = try name(Self.varied)
    for text in [
      "", "\n", "# A note\n", "diple-segment/1 0 14695981039346656037\n",
      "diple-segment/1 -1 0\n", "diple-segment/1 99999999999999999999 0\n", "diple-segment/2 0 0\n",
      String(repeating: "x", count: 10_000),
    ] {
      #expect(Segment.decode(Array(text.utf8), named: name) == nil, "\(text.prefix(40))")
    }
    let bytes = Segment.encode(Self.varied)
    for other in [
      "0000000000000007/3-5.seg", "0000000000000007/4-7.seg", "0000000000000008/3-6.seg",
    ] {
      let other = try #require(Segment.Name(other))
      #expect(Segment.decode(bytes, named: other) == nil, "\(other)")
    }
  }

  @Test func `a whole segment with a gap, or of two replicas, is not believed`() throws {
    for operations in [
      [Self.operation(1), Self.operation(3)], [Self.operation(1), Self.operation(1)],
      [Self.operation(2), Self.operation(1)], [Self.operation(1), Self.operation(2, replica: 8)],
    ] {
      #expect(Segment.Name(of: operations) == nil)
      // Whoever wrote it called it something all the same.
      for name in [
        "0000000000000007/1-3.seg", "0000000000000007/1-2.seg", "0000000000000007/1-1.seg",
      ] {
        let name = try #require(Segment.Name(name))
        #expect(Segment.decode(Segment.encode(operations), named: name) == nil)
      }
    }
    #expect(Segment.Name(of: []) == nil)
  }

  @Test func `a name is read in the one form in which it is written`() throws {
    let name = try name([Self.operation(41), Self.operation(42)])
    #expect(name.description == "0000000000000007/41-42.seg")
    #expect(Segment.Name(name.description) == name)
    for text in [
      "", "/", "0000000000000007", "0000000000000007/", "0000000000000007/41.seg",
      "0000000000000007/41-42", "0000000000000007/42-41.seg", "0000000000000007/0-1.seg",
      "0000000000000007/041-42.seg", "0000000000000007/+41-42.seg", "0000000000000007/-1-42.seg",
      "0000000000000007/41-42-43.seg", "7/41-42.seg", "000000000000000G/41-42.seg",
      "000000000000000A/41-42.seg", "a/0000000000000007/41-42.seg", "0000000000000007/41-42.seg ",
      "0000000000000007/41-99999999999999999999.seg", "0000000000000007/41-42.sync-conflict.seg",
    ] {
      #expect(Segment.Name(text) == nil, "\(text)")
    }
  }
}
