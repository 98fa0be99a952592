import Synchronization

/// How many connections there are. Few are for those who have not logged in, whose oldest makes room for
/// a new one: who holds many open and says nothing keeps nobody out. The others are counted apart, the
/// person's own browser and each device for itself, and none of them has to go.
final class ConnectionCount: Sendable {
  static let (mostStrangers, mostOfOwner, mostOfDevice) = (32, 256, 32)

  private struct Counts {
    /// The oldest first.
    var strangers: [(id: Int, end: @Sendable () -> Void)] = []
    /// Whose each of the others is: a device's id, or empty for the person's own browser.
    var known: [Int: String] = [:]
    var lastID = 0
  }

  private let counts = Mutex(Counts())

  /// Counts a new connection, and ends the oldest of a stranger where there are too many.
  ///
  /// - Parameter end: ends this one, from whatever thread.
  /// - Returns: its number.
  func begin(_ end: @escaping @Sendable () -> Void) -> Int {
    let (id, evicted) = counts.withLock { counts in
      counts.lastID += 1
      counts.strangers.append((counts.lastID, end))
      let isFull = counts.strangers.count > Self.mostStrangers
      return (counts.lastID, isFull ? counts.strangers.removeFirst().end : nil)
    }
    evicted?()
    return id
  }

  /// Counts a connection as one of somebody who is in; false when they have too many. O(connections).
  ///
  /// - Parameter device: which device; nil for the person's own browser.
  func recognize(_ id: Int, as device: String?) -> Bool {
    let (who, most) = (device ?? "", device == nil ? Self.mostOfOwner : Self.mostOfDevice)
    return counts.withLock { counts in
      guard counts.known.values.count(where: { $0 == who }) < most else { return false }
      counts.strangers.removeAll { $0.id == id }
      counts.known[id] = who
      return true
    }
  }

  /// Counts a connection that has ended.
  func end(_ id: Int) {
    counts.withLock { counts in
      if counts.known.removeValue(forKey: id) == nil {
        counts.strangers.removeAll { $0.id == id }
      }
    }
  }
}
