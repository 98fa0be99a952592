import DaemonKit
import Glibc
import Rendering
import SystemSupport

/// A stream of text to a file descriptor: gathered, and written in large pieces. What goes to a
/// terminal passes `TerminalFilter`.
package final class Output: TextOutputStream, @unchecked Sendable {
  // Confined like the context that owns it.

  /// Where it goes.
  package let descriptor: Int32
  /// Whether a person reads along.
  package let isTerminal: Bool
  private var buffer: [UInt8] = []
  /// Why a part of the output was not written.
  private var failure: SystemFailure?

  /// Standard output.
  package static let standardOutput = Output(descriptor: 1)
  /// Standard error.
  package static let standardError = Output(descriptor: 2)

  /// Writes to a descriptor.
  package init(descriptor: Int32) {
    self.descriptor = descriptor
    isTerminal = isatty(descriptor) == 1
  }

  /// Takes some text; it reaches the descriptor at the next `drain` or when much has gathered.
  package func write(_ string: String) {
    var string = string
    string.withUTF8 { write($0) }
  }

  /// Takes some bytes, as `write` takes text: whole characters.
  package func write(_ bytes: UnsafeBufferPointer<UInt8>) {
    if isTerminal {
      buffer.append(contentsOf: TerminalFilter.filtered(bytes))
    } else {
      buffer.append(contentsOf: bytes)
    }
    if buffer.count > 1 << 16 { drain() }
  }

  /// Takes sequences that steer the terminal, such as pictures, past the filter. Nothing in them may
  /// be foreign text that was not cleaned.
  package func write(sequences: String) {
    buffer.append(contentsOf: sequences.utf8)
    if buffer.count > 1 << 16 { drain() }
  }

  /// Takes some bytes, as `write` takes text.
  package func write(_ bytes: [UInt8]) { bytes.withUnsafeBufferPointer { write($0) } }

  /// Takes some bytes, as `write` takes text.
  package func write(_ bytes: ArraySlice<UInt8>) { bytes.withUnsafeBufferPointer { write($0) } }

  /// Takes a line.
  package func line(_ bytes: [UInt8]) {
    write(bytes)
    write("\n")
  }

  /// Takes a line.
  package func line(_ string: String = "") {
    write(string)
    write("\n")
  }

  /// Writes what has gathered. A reader that went away ends the process in silence, as it does for
  /// every tool in a pipe. What else keeps it from being written is told by the next `flush`: until
  /// then the command goes on, so that what it changes does not end halfway. Notices that cannot be
  /// written are dropped.
  package func drain() {
    defer { buffer.removeAll(keepingCapacity: true) }
    guard failure == nil, !Descriptor.write(buffer, to: descriptor) else { return }
    let reason = SystemFailure()
    if reason.number == EPIPE { exit(0) }
    // What a command did is not undone by a notice that nobody gets.
    if descriptor != 2 { failure = reason }
  }

  /// Writes what has gathered, at the end of a command or before a person sees it. Where not all of
  /// the output could be written, one line says so and the process ends.
  ///
  /// - Parameter code: the exit code of the command. One that was carried out ends with 7, so that
  ///   nobody takes it for one that changed nothing; any other keeps its code.
  package func flush(after code: Int32 = 0) {
    drain()
    guard let failure else { return }
    let what = code == 0 ? "the command was carried out, but its output" : "the output"
    Output.standardError.line("diple: \(what) cannot be written: \(failure)")
    Output.standardError.flush()
    exit(code == 0 ? Self.lostOutput : code)
  }

  /// The exit code of a command that was carried out, but whose output could not be written.
  private static let lostOutput: Int32 = 7
}
