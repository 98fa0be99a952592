import Synchronization

/// Counts the open connections and limits their number.
///
/// Only a few unauthenticated connections are allowed. If there are more, the oldest is closed, so
/// that idle connections can't block the server. Authenticated connections are counted separately
/// for the owner's browsers and for each device, and are never closed to make room.
final class ConnectionCount: Sendable {
  static let (mostAnonymous, mostOfOwner, mostOfDevice) = (32, 256, 32)

  private struct Counts {
    /// The unauthenticated connections, oldest first.
    var anonymous: [(id: Int, end: @Sendable () -> Void)] = []
    /// The device id of each authenticated connection, or an empty string for the owner's browsers.
    var known: [Int: String] = [:]
    var lastID = 0
  }

  private let counts = Mutex(Counts())

  /// Counts a new connection. Closes the oldest unauthenticated one if there are too many.
  ///
  /// - Parameter end: closes the new connection; may be called on any thread.
  /// - Returns: the connection's number.
  func begin(_ end: @escaping @Sendable () -> Void) -> Int {
    let (id, evicted) = counts.withLock { counts in
      counts.lastID += 1
      counts.anonymous.append((counts.lastID, end))
      let isFull = counts.anonymous.count > Self.mostAnonymous
      return (counts.lastID, isFull ? counts.anonymous.removeFirst().end : nil)
    }
    evicted?()
    return id
  }

  /// Counts a connection as authenticated. Returns false if the caller has too many connections.
  /// O(connections).
  ///
  /// - Parameter device: the device's id, or nil for the owner's browser.
  func recognize(_ id: Int, as device: String?) -> Bool {
    let (who, most) = (device ?? "", device == nil ? Self.mostOfOwner : Self.mostOfDevice)
    return counts.withLock { counts in
      guard counts.known.values.count(where: { $0 == who }) < most else { return false }
      counts.anonymous.removeAll { $0.id == id }
      counts.known[id] = who
      return true
    }
  }

  /// Removes a closed connection.
  func end(_ id: Int) {
    counts.withLock { counts in
      if counts.known.removeValue(forKey: id) == nil {
        counts.anonymous.removeAll { $0.id == id }
      }
    }
  }
}
