import Glibc

/// Delivers a signal through a descriptor that a loop can poll beside its input. The handler writes
/// a byte, so that no signal between a check and a wait is missed.
package struct SignalPipe: Sendable {
  /// Readable if the signal arrived since the last `take`.
  package let readable: Int32
  private let writable: Int32

  /// Creates the pipe. Other programs inherit neither end.
  package init() {
    var ends: [Int32] = [-1, -1]
    if pipe(&ends) == 0 {
      for end in ends {
        _ = fcntl(end, F_SETFL, O_NONBLOCK)
        _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      }
    }
    (readable, writable) = (ends[0], ends[1])
  }

  /// Records the signal. Uses only functions that a signal handler may call.
  package func note() {
    let number = errno
    _ = write(writable, "!", 1)
    errno = number
  }

  /// Returns whether the signal arrived since the last call.
  package func take() -> Bool {
    var bytes = [UInt8](repeating: 0, count: 64)
    var came = false
    while read(readable, &bytes, bytes.count) > 0 { came = true }
    return came
  }

  /// Installs a signal handler.
  package static func handle(
    _ signal: Int32, by handler: @escaping @Sendable @convention(c) (Int32) -> Void
  ) {
    var action = sigaction()
    action.__sigaction_handler.sa_handler = handler
    sigaction(signal, &action, nil)
  }
}
