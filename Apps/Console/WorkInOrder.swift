import Dispatch

/// Does pieces of work one after the other on another thread, while more of them are made. Only a
/// bounded number of them waits.
package final class WorkInOrder: Sendable {
  private let queue = DispatchQueue(label: "diple.work")
  private let room = DispatchSemaphore(value: 16)

  package init() {}

  /// Has something done after all that came before; waits where too much is left to do.
  package func add(_ work: @escaping @Sendable () -> Void) {
    room.wait()
    queue.async { [self] in
      work()
      room.signal()
    }
  }

  /// Waits until all of it is done.
  package func finish() { queue.sync {} }
}
