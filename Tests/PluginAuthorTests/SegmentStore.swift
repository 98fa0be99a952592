import Model
import Sync
import Synchronization

/// A transport: segments in memory, as a server would keep them.
final class SegmentStore: SyncTransport {
  static let id = "memory"
  static let summary = "segments in the memory of this process"
  static let examples = [
    TransportExample(
      "only what is new", pushed: [[operation(1)], [operation(2)]], known: knowing(1),
      pulled: [operation(2)])
  ]

  private static let replica = ReplicaID(rawValue: 7)

  private static func operation(_ sequence: Int64) -> Operation {
    let dot = Dot(replica: replica, sequence: sequence)
    return Operation(
      dot: dot, time: Timestamp(milliseconds: sequence), group: sequence,
      record: .highlight(Highlight.ID(dot)), field: .note, value: .text("note \(sequence)"))
  }

  private static func knowing(_ last: Int64) -> VersionVector {
    var vector = VersionVector()
    for sequence in 1...last { _ = vector.add(Dot(replica: replica, sequence: sequence)) }
    return vector
  }

  private let segments = Mutex<[String: [UInt8]]>([:])

  func push(_ operations: [Operation]) throws(TransportError) {
    guard !operations.isEmpty else { return }
    guard let name = Segment.Name(of: operations) else {
      throw TransportError("a segment has operations of one replica, without gaps")
    }
    segments.withLock { $0[name.description] = Segment.encode(operations) }
  }

  func pull(after known: VersionVector) throws(TransportError) -> [Operation] {
    var vector = known
    let stored = segments.withLock { $0 }
    return stored.keys.compactMap(Segment.Name.init).sorted { name, other in
      name.sequences.lowerBound < other.sequences.lowerBound
    }.flatMap { name in Segment.decode(stored[name.description] ?? [], named: name) ?? [] }
      .filter { !vector.contains($0.dot) && vector.add($0.dot) }
  }
}
