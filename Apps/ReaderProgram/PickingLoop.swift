import Commands
import Console
import Glibc
import Reader
import Rendering
import SystemSupport

/// The event loop of the list of documents. It handles keys, and reads headings while there are
/// none.
///
/// ```swift
/// let loop = PickingLoop("Read", choices, screen, query: "")
/// if case .chosen(let choice) = loop.run() { open(choice) }
/// ```
final class PickingLoop {
  /// The end of the loop.
  enum End {
    case chosen(DocumentChoice)
    /// The user left the list, or the descriptor of `ends` is readable.
    case cancelled
    /// The terminal was closed.
    case closed
  }

  private let choices: DocumentChoices
  private let screen: FullScreen
  private var picker: Picker
  private var decoder = InputDecoder()
  private var lastInput = 0.0
  private let ends: [Int32]
  private let suspend: (() -> Void)?
  private static let resizes = SignalPipe()

  /// The time in seconds after which an escape character that nothing follows is the Escape key.
  private static let escapeDelay = 0.05
  /// The time during which headings are read between two checks for keys.
  private static let readingTime = Duration.milliseconds(15)

  /// - Parameters:
  ///   - name: the purpose of the list.
  ///   - ends: descriptors that end the loop when they are readable.
  ///   - suspend: stops the process until the shell resumes it; nil if Ctrl-Z does nothing.
  init(
    _ name: String, _ choices: DocumentChoices, _ screen: FullScreen, query: String,
    ends: [Int32] = [], suspend: (() -> Void)? = nil
  ) {
    (self.choices, self.screen, self.ends, self.suspend) = (choices, screen, ends, suspend)
    let (columns, rows) = FullScreen.size
    picker = Picker(name, choices.entries, query: query, columns: columns, rows: rows)
  }

  private static var now: Double { Double(Clock.now) / 1_000 }

  /// Runs until the user has chosen a document or left the list.
  func run() -> End {
    _ = Self.resizes.take()
    SignalPipe.handle(SIGWINCH) { _ in PickingLoop.resizes.note() }
    screen.enter()
    screen.forget()
    while true {
      picker.isComplete = choices.isComplete
      screen.show(picker.screen())
      var inputs = ([0, Self.resizes.readable] + ends).map {
        pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
      }
      let ready = poll(&inputs, nfds_t(inputs.count), timeout)
      if ready > 0, inputs.dropFirst(2).contains(where: { $0.revents != 0 }) { return .cancelled }
      if Self.resizes.take() {
        let (columns, rows) = FullScreen.size
        picker.resize(columns: columns, rows: rows)
        screen.forget()
      }
      var events: [InputEvent] = []
      if ready > 0, inputs[0].revents != 0 {
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        let count = read(0, &bytes, bytes.count)
        if count == 0 || count < 0 && errno != EINTR && errno != EAGAIN { return .closed }
        lastInput = Self.now
        if count > 0 { events = decoder.feed(bytes[..<count]) }
      } else if decoder.isWaiting, Self.now >= lastInput + Self.escapeDelay {
        events = decoder.flush()
      }
      for event in events {
        switch picker.handle(event) {
        case .chosen(let entry, let heading):
          return .chosen(choices.choice(entry, heading: heading))
        case .cancelled: return .cancelled
        case .suspended: suspend?()
        case .redrawn: screen.forget()
        case nil: break
        }
      }
      if events.isEmpty, !choices.isComplete {
        picker.add(choices.readHeadings(for: Self.readingTime))
      }
    }
  }

  /// The time to wait for input in milliseconds; negative for no limit.
  private var timeout: Int32 {
    if !choices.isComplete { return 0 }
    guard decoder.isWaiting else { return -1 }
    return Int32(max(0, (lastInput + Self.escapeDelay - Self.now) * 1_000).rounded(.up))
  }
}

/// The terminal of the process, for programs whose standard input or output is a pipe.
enum ControllingTerminal {
  /// Connects descriptors to the terminal.
  ///
  /// - Throws: ``UserError`` with the code `usage` if the process has no terminal.
  static func connect(_ descriptors: [Int32]) throws(UserError) {
    let device = open("/dev/tty", O_RDWR | O_CLOEXEC)
    guard device >= 0 else {
      throw UserError(.usage, "there is no terminal: \(SystemCallError())")
    }
    defer { close(device) }
    for descriptor in descriptors {
      guard dup2(device, descriptor) >= 0 else {
        throw UserError(.usage, "there is no terminal: \(SystemCallError())")
      }
    }
  }
}
