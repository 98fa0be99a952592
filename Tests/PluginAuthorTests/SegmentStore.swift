import Model
import Sync
import Synchronization

/// A transport: objects in memory, like on a server.
struct SegmentStore: SyncTransport {
  static let id = "memory"
  static let summary = "objects in the memory of this process"
  static let examples = [
    TransportExample(
      "the first content stays", address: "memory:", puts: [[one], [changed, two]],
      deleted: [two.name], held: [one])
  ]

  private static let one = object("1-1.seg", [1])
  private static let changed = object("1-1.seg", [2])
  private static let two = object("2-2.seg", [3])

  private static func object(_ file: String, _ bytes: [UInt8]) -> TransportObject {
    let name = ObjectName(
      vault: VaultID("00112233445566778899aabbccddeeff")!, replica: ReplicaID(rawValue: 7),
      file: file)!
    return TransportObject(name, bytes)
  }

  func connect(to place: TransportPlace) async throws(TransportError) -> any TransportConnection {
    guard place.address == "memory:" else {
      throw TransportError(.usage, "\(place.address): the address is memory:")
    }
    return Connection()
  }

  private final class Connection: TransportConnection {
    private let objects = Mutex<[ObjectName: [UInt8]]>([:])

    func list(since cursor: TransportCursor?) throws(TransportError) -> TransportListing {
      objects.withLock { held in
        TransportListing(held.map { TransportListing.Entry($0.key, size: $0.value.count) })
      }
    }

    func get(_ name: ObjectName, limit: Int) throws(TransportError) -> [UInt8]? {
      guard let bytes = objects.withLock({ $0[name] }) else { return nil }
      guard bytes.count <= limit else { throw TransportError(.tooLarge, "\(name) is too large") }
      return bytes
    }

    func put(_ objects: [TransportObject]) throws(TransportError) {
      self.objects.withLock { held in
        for object in objects where held[object.name] == nil { held[object.name] = object.bytes }
      }
    }

    func delete(_ names: [ObjectName]) throws(TransportError) {
      objects.withLock { held in for name in names { held[name] = nil } }
    }

    func waitForChange(upTo time: Duration) async throws(TransportError) -> Bool {
      try? await Task.sleep(for: time)
      return false
    }

    func close() {}
  }
}
