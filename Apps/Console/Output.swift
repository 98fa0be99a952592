import DaemonKit
import Glibc
import SystemSupport

/// A stream of text to a file descriptor: gathered, and written in large pieces.
package final class Output: TextOutputStream, @unchecked Sendable {
  // Confined like the context that owns it.

  /// Where it goes.
  package let descriptor: Int32
  /// Whether a person reads along.
  package let isTerminal: Bool
  private var buffer: [UInt8] = []

  /// Standard output.
  package static let standardOutput = Output(descriptor: 1)
  /// Standard error.
  package static let standardError = Output(descriptor: 2)

  /// Writes to a descriptor.
  package init(descriptor: Int32) {
    self.descriptor = descriptor
    isTerminal = isatty(descriptor) == 1
  }

  /// Takes some text; it reaches the descriptor at the next `flush` or when much has gathered.
  package func write(_ string: String) { write(string.utf8) }

  /// Takes some bytes, as `write` takes text.
  package func write(_ bytes: some Sequence<UInt8>) {
    buffer.append(contentsOf: bytes)
    if buffer.count > 1 << 16 { flush() }
  }

  /// Takes a line.
  package func line(_ string: String = "") {
    write(string)
    write("\n")
  }

  /// Writes what has gathered. A reader that went away ends the process in silence, as it does for
  /// every tool in a pipe; a disk that is full ends it with a message. Notices that cannot be written are
  /// dropped.
  package func flush() {
    guard Descriptor.write(buffer, to: descriptor) else {
      let failure = SystemFailure()
      if failure.number == EPIPE { exit(0) }
      // What a command did is not undone by a notice that nobody gets.
      guard descriptor != 2 else { return buffer.removeAll() }
      Output.standardError.line(
        "diple: the command was carried out, but its output cannot be written: \(failure)")
      Output.standardError.flush()
      exit(6)
    }
    buffer.removeAll(keepingCapacity: true)
  }
}
