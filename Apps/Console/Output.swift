import DaemonKit
import Glibc
package import Model
import Rendering
import SystemSupport

/// A buffered stream of text. It writes to a file descriptor, or collects the lines for a front-end
/// that displays them.
package final class Output: TextOutputStream, @unchecked Sendable {
  // Confined like the context that owns it: only one command at a time uses it.

  /// The file descriptor; negative for ``collecting()``.
  package let descriptor: Int32
  /// Whether the descriptor is a terminal.
  package let isTerminal: Bool
  private var buffer: [UInt8] = []
  /// The first error of a write. Later output is discarded.
  private var failure: SystemCallError?
  /// Whether the text stays in the buffer until ``takeAnswer()``.
  package let isCollecting: Bool
  private var kind = Answer.Kind.messages
  /// The destinations of collected lines, with the start of each line in the buffer.
  private var destinations: [(start: Int, destination: Destination)] = []

  package static let standardOutput = Output(descriptor: 1)
  package static let standardError = Output(descriptor: 2)

  /// Creates a stream for a descriptor. The stream doesn't close it.
  package init(descriptor: Int32) {
    self.descriptor = descriptor
    isTerminal = isatty(descriptor) == 1
    isCollecting = false
  }

  private init() { (descriptor, isTerminal, isCollecting) = (-1, false, true) }

  /// Creates a stream without a descriptor, whose lines ``takeAnswer()`` returns.
  package static func collecting() -> Output { Output() }

  /// Declares the kind of the command's lines. Only a collecting stream uses it.
  package func presents(_ kind: Answer.Kind) { self.kind = kind }

  /// Returns and removes the lines of a collecting stream.
  package func takeAnswer() -> Answer {
    var answer = Answer(kind: kind)
    var start = 0
    var marks = destinations[...]
    for line in buffer.split(separator: 10, omittingEmptySubsequences: false) {
      let end = start + line.count
      var destination: Destination?
      while let mark = marks.first, mark.start <= end {
        destination = mark.destination
        marks.removeFirst()
      }
      if !line.isEmpty || kind == .help {
        answer.rows.append(
          Answer.Row(text: String(decoding: line, as: UTF8.self), destination: destination))
      }
      start = end + 1
    }
    buffer = []
    (destinations, kind) = ([], .messages)
    return answer
  }

  /// Appends text to the buffer. The buffer is written by ``drain()``, or when it exceeds 64 KiB.
  package func write(_ string: String) {
    var string = string
    string.withUTF8 { write($0) }
  }

  /// Appends bytes to the buffer, like ``write(_:)`` for text.
  package func write(_ bytes: UnsafeBufferPointer<UInt8>) {
    if isTerminal {
      buffer.append(contentsOf: TerminalFilter.filtered(bytes))
    } else if bytes.count > Self.bufferLimit, !isCollecting {
      // A long text isn't copied.
      drain()
      return send(bytes)
    } else {
      buffer.append(contentsOf: bytes)
    }
    if buffer.count > Self.bufferLimit { drain() }
  }

  /// The size in bytes above which the buffer is written.
  private static let bufferLimit = 1 << 16

  /// Appends escape sequences, such as those of pictures, without filtering them. They must not
  /// contain untrusted text that wasn't sanitized.
  package func write(sequences: String) {
    buffer.append(contentsOf: sequences.utf8)
    if buffer.count > Self.bufferLimit { drain() }
  }

  /// Appends bytes to the buffer, like ``write(_:)`` for text.
  package func write(_ bytes: [UInt8]) { bytes.withUnsafeBufferPointer { write($0) } }

  /// Appends bytes to the buffer, like ``write(_:)`` for text.
  package func write(_ bytes: ArraySlice<UInt8>) { bytes.withUnsafeBufferPointer { write($0) } }

  /// Appends bytes and a line feed.
  ///
  /// - Parameter destination: the destination of the line. Only a collecting stream keeps it.
  package func line(_ bytes: [UInt8], about destination: Destination? = nil) {
    if isCollecting, let destination { destinations.append((buffer.count, destination)) }
    write(bytes)
    write("\n")
  }

  /// Appends a text and a line feed.
  package func line(_ string: String = "") {
    write(string)
    write("\n")
  }

  /// Writes the buffer to the descriptor. If the reader of a pipe has closed it, the process exits
  /// silently, like other tools in a pipe. Other errors are reported by the next ``flush(after:)``,
  /// so that a command isn't interrupted halfway through a change. Errors on standard error are
  /// ignored.
  package func drain() {
    if isCollecting { return }
    buffer.withUnsafeBufferPointer { send($0) }
    buffer.removeAll(keepingCapacity: true)
  }

  private func send(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard failure == nil, !Descriptor.write(bytes, to: descriptor) else { return }
    let reason = SystemCallError()
    if reason.number == EPIPE { exit(0) }
    // A notice that can't be printed must not change the result of a command.
    if descriptor != 2 { failure = reason }
  }

  /// Writes the buffer at the end of a command or before a prompt. If output was lost, prints an
  /// error and ends the process.
  ///
  /// - Parameter code: the exit code of the command. If it is 0, the process exits with 7, the code
  ///   of a command that was carried out but whose output was lost. Other codes are kept.
  package func flush(after code: Int32 = 0) {
    drain()
    guard let failure else { return }
    let what = code == 0 ? "the command was carried out, but its output" : "the output"
    Output.standardError.line("diple: \(what) cannot be written: \(failure)")
    Output.standardError.flush()
    exit(code == 0 ? Self.lostOutput : code)
  }

  /// The exit code of a successful command whose output could not be written.
  private static let lostOutput: Int32 = 7
}
