import Synchronization

/// How many connections there are. Few are enough for those who have not logged in, and the others are
/// counted apart.
final class ConnectionCount: Sendable {
  static let (mostStrangers, mostKnown) = (32, 256)

  private let counts = Mutex((strangers: 0, known: 0))

  /// Counts a new connection; false when there are too many.
  func begin() -> Bool {
    counts.withLock { counts in
      guard counts.strangers < Self.mostStrangers else { return false }
      counts.strangers += 1
      return true
    }
  }

  /// Counts a connection as one of somebody who logged in; false when there are too many.
  func recognize() -> Bool {
    counts.withLock { counts in
      guard counts.known < Self.mostKnown else { return false }
      counts.strangers -= 1
      counts.known += 1
      return true
    }
  }

  /// Counts a connection that has ended.
  func end(isKnown: Bool) {
    counts.withLock { counts in
      if isKnown { counts.known -= 1 } else { counts.strangers -= 1 }
    }
  }
}
