import Model
package import Sync
import Synchronization

/// The objects of a shared place that one device can see. Objects that others put there are hidden
/// until they are revealed, as if the place delivered them late.
package final class LateView: Sendable {
  private struct State {
    var visible: Set<ObjectName> = []
    var hidden: [ObjectName: TransportListing.Entry] = [:]
  }

  private let state = Mutex(State())

  /// Creates a view that shows the same objects as `other`, or none.
  package init(copyOf other: LateView? = nil) {
    guard let other else { return }
    let copy = other.state.withLock { $0 }
    state.withLock { $0 = copy }
  }

  /// The names of the visible objects, in order.
  package var names: [ObjectName] { state.withLock { $0.visible.sorted() } }

  /// Makes objects visible.
  package func reveal(_ names: some Sequence<ObjectName>) {
    state.withLock { $0.visible.formUnion(names) }
  }

  /// Hides all objects, when the device leaves a place.
  package func clear() { state.withLock { $0 = State() } }

  fileprivate func sees(_ name: ObjectName) -> Bool {
    state.withLock { $0.visible.contains(name) }
  }

  /// Replaces the entries of a listing by those that are visible. An entry that was listed while it
  /// was hidden is added later, because a listing after a cursor doesn't repeat it.
  fileprivate func filter(_ listing: inout TransportListing) {
    listing.entries = state.withLock { state in
      if listing.isWhole { state.hidden = [:] }
      for entry in listing.entries { state.hidden[entry.name] = entry }
      let found = state.hidden.values.filter { state.visible.contains($0.name) }
      for entry in found { state.hidden[entry.name] = nil }
      return found.sorted { $0.name < $1.name }
    }
  }
}

/// Another transport, of which a device sees only the objects of its view.
struct LateTransport: SyncTransport {
  static let id = "late"
  static let summary = "a place that delivers late"
  static let examples: [TransportExample] = []

  let transport: any SyncTransport
  let view: LateView

  func connect(to place: TransportPlace) async throws(TransportError) -> any TransportConnection {
    LateConnection(connection: try await transport.connect(to: place), view: view)
  }
}

private struct LateConnection: TransportConnection {
  let connection: any TransportConnection
  let view: LateView

  func list(since cursor: TransportCursor?) async throws(TransportError) -> TransportListing {
    var listing = try await connection.list(since: cursor)
    view.filter(&listing)
    return listing
  }

  func get(_ name: ObjectName, limit: Int) async throws(TransportError) -> [UInt8]? {
    view.sees(name) ? try await connection.get(name, limit: limit) : nil
  }

  func ends(of name: ObjectName, count: Int) async throws(TransportError) -> ObjectEnds? {
    view.sees(name) ? try await connection.ends(of: name, count: count) : nil
  }

  func put(_ objects: [TransportObject]) async throws(TransportError) {
    try await connection.put(objects)
    view.reveal(objects.map(\.name))
  }

  func delete(_ names: [ObjectName]) async throws(TransportError) {
    try await connection.delete(names)
  }

  func waitForChange(upTo time: Duration) async throws(TransportError) -> Bool {
    try await connection.waitForChange(upTo: time)
  }

  func close() async { await connection.close() }
}
