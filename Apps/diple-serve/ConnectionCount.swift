import Synchronization

/// How many connections there are. Few are for those who have not logged in, whose oldest makes room for
/// a new one: who holds many open and says nothing keeps nobody out. The others are counted apart, and
/// none of them has to go.
final class ConnectionCount: Sendable {
  static let (mostStrangers, mostKnown) = (32, 256)

  private struct Counts {
    /// The oldest first.
    var strangers: [(id: Int, end: @Sendable () -> Void)] = []
    var known = 0
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

  /// Counts a connection as one of somebody who logged in; false when there are too many.
  func recognize(_ id: Int) -> Bool {
    counts.withLock { counts in
      guard counts.known < Self.mostKnown else { return false }
      counts.strangers.removeAll { $0.id == id }
      counts.known += 1
      return true
    }
  }

  /// Counts a connection that has ended.
  func end(_ id: Int, isKnown: Bool) {
    counts.withLock { counts in
      if isKnown { counts.known -= 1 } else { counts.strangers.removeAll { $0.id == id } }
    }
  }
}
