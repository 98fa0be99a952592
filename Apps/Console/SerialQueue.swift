import Dispatch

/// Runs closures one after the other on another thread. At most 16 closures are pending, and
/// ``add(_:)`` blocks until there is room.
package final class SerialQueue: Sendable {
  private let queue = DispatchQueue(label: "diple.work")
  private let freeSlots = DispatchSemaphore(value: 16)

  package init() {}

  /// Adds a closure to the end of the queue. Blocks until there is room.
  package func add(_ work: @escaping @Sendable () -> Void) {
    freeSlots.wait()
    queue.async { [self] in
      work()
      freeSlots.signal()
    }
  }

  /// Waits until all closures have run.
  package func finish() { queue.sync {} }
}
