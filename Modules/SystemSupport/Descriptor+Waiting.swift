import CSys
import Glibc

/// Waits for a descriptor without blocking a thread of the concurrency pool.
extension Descriptor {
  /// The event to wait for.
  package enum Readiness: Sendable {
    /// Data can be read, or the other end is closed.
    case readable
    /// Data can be written, or the other end is closed.
    case writable
  }

  /// Waits until a descriptor is ready.
  ///
  /// - Returns: false if the time is up or the task was cancelled.
  package static func wait(for readiness: Readiness, of descriptor: Int32, upTo time: Duration)
    async -> Bool
  {
    let milliseconds = max(0, min(time / .milliseconds(1), Double(Int32.max)))
    let isReady = isReady(descriptor, readiness)
    if isReady || milliseconds == 0 || Task.isCancelled { return isReady }
    var ends: [Int32] = [-1, -1]
    guard csys_open_pipe(&ends) == 0 else {
      // Without a descriptor for the pipe, wait for a short time and check once.
      try? await Task.sleep(for: min(time, .milliseconds(100)))
      return Self.isReady(descriptor, readiness)
    }
    let (end, cancel) = (ends[0], ends[1])
    defer {
      close(end)
      close(cancel)
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let order = Order(
          descriptor: descriptor, cancelled: end, readiness: readiness,
          milliseconds: Int32(milliseconds.rounded(.up)), continuation: continuation)
        order.start()
      }
    } onCancel: {
      _ = write([1], to: cancel)
    }
  }

  private static func isReady(_ descriptor: Int32, _ readiness: Readiness) -> Bool {
    var waiting = pollfd(fd: descriptor, events: readiness.events, revents: 0)
    return poll(&waiting, 1, 0) > 0
  }

  /// A wait on a separate thread, which resumes a continuation.
  private final class Order {
    private let descriptor: Int32
    private let cancelled: Int32
    private let readiness: Readiness
    private let milliseconds: Int32
    private let continuation: CheckedContinuation<Bool, Never>

    init(
      descriptor: Int32, cancelled: Int32, readiness: Readiness, milliseconds: Int32,
      continuation: CheckedContinuation<Bool, Never>
    ) {
      (self.descriptor, self.cancelled, self.readiness) = (descriptor, cancelled, readiness)
      (self.milliseconds, self.continuation) = (milliseconds, continuation)
    }

    func start() {
      var thread = pthread_t()
      let context = Unmanaged.passRetained(self).toOpaque()
      let number = pthread_create(
        &thread, nil,
        { context in
          Unmanaged<Order>.fromOpaque(context!).takeRetainedValue().run()
          return nil
        }, context)
      if number == 0 {
        pthread_detach(thread)
      } else {
        Unmanaged<Order>.fromOpaque(context).takeRetainedValue().run()
      }
    }

    private func run() {
      var waiting = [
        pollfd(fd: descriptor, events: readiness.events, revents: 0),
        pollfd(fd: cancelled, events: Int16(POLLIN), revents: 0),
      ]
      let end = Clock.now + Int(milliseconds)
      while true {
        let count = poll(&waiting, 2, Int32(clamping: max(0, end - Clock.now)))
        if count < 0 && errno == EINTR { continue }
        continuation.resume(returning: waiting[0].revents != 0)
        return
      }
    }
  }
}

extension Descriptor.Readiness {
  fileprivate var events: Int16 { Int16(self == .readable ? POLLIN : POLLOUT) }
}
