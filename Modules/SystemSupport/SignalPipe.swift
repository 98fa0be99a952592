import Glibc

/// A signal as something that a loop can wait for beside its input: the handler writes a byte, so
/// that none which comes between a look and a wait is missed.
package struct SignalPipe: Sendable {
  /// Readable when the signal came and was not yet taken.
  package let readable: Int32
  private let writable: Int32

  /// Makes the pipe; neither end is handed on to other programs.
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

  /// What the handler does; nothing that a handler may not.
  package func note() {
    let number = errno
    _ = write(writable, "!", 1)
    errno = number
  }

  /// Whether the signal came since this was last asked.
  package func take() -> Bool {
    var bytes = [UInt8](repeating: 0, count: 64)
    var came = false
    while read(readable, &bytes, bytes.count) > 0 { came = true }
    return came
  }

  /// Calls a handler at a signal.
  package static func handle(
    _ signal: Int32, by handler: @escaping @Sendable @convention(c) (Int32) -> Void
  ) {
    var action = sigaction()
    action.__sigaction_handler.sa_handler = handler
    sigaction(signal, &action, nil)
  }
}
