import Commands
import Console
import Glibc
import Reader
import Rendering
import SystemSupport

/// The event loop of the reader. It handles keys, signals, deadlines and changes of the file one
/// after the other.
///
/// ```swift
/// let loop = ReadingLoop(controller, FullScreen(hasMouse: true, ordersText: true))
/// let exitCode = await loop.run()
/// ```
final class ReadingLoop {
  private let controller: ReaderController
  private let screen: FullScreen
  private var decoder = InputDecoder()
  private var lastInput = 0.0
  /// The events that were read before the first screen.
  private var early: [InputEvent] = []
  private static let resizes = SignalPipe()
  private static let stops = SignalPipe()
  private static let hangups = SignalPipe()
  private static let terminations = SignalPipe()
  /// Whether the terminal was closed.
  private var isClosed = false

  /// The reason why the loop has ended.
  enum End {
    /// The user quit, or the terminal was closed.
    case code(Int32)
    /// A signal ended the program.
    case signal(Int32)

    /// Ends the process with the exit code or by the signal.
    func leaveProcess() -> Never {
      switch self {
      case .code(let code): exit(code)
      case .signal(let number):
        Glibc.signal(number, SIG_DFL)
        raise(number)
        exit(128 + number)
      }
    }
  }

  /// The time in seconds after which an escape character that nothing follows is the Escape key.
  private static let escapeDelay = 0.05
  /// The time in seconds after which a new selection is reported to the user's program.
  private static let selectionDelay = 0.5
  /// The minimum time in seconds between two updates of the text.
  private static let updatePause = 0.5
  /// The time in seconds after an input until the place in the text is stored.
  private static let keepDelay = 30.0
  /// The maximum time in seconds until a signal ends the process, even if the loop is blocked.
  private static let endDelay: UInt32 = 2
  /// The maximum time in seconds to wait for the terminal's background before the first screen.
  private static let answerDelay = 0.1

  init(_ controller: ReaderController, _ screen: FullScreen) {
    self.controller = controller
    self.screen = screen
  }

  /// The monotonic time in seconds.
  private static var now: Double { Double(Clock.now) / 1_000 }

  /// Runs until the user quits, the terminal is closed or a signal ends the program.
  func run() async -> End {
    // Create the pipes before a signal handler can use them.
    _ = (Self.resizes.take(), Self.stops.take(), Self.hangups.take(), Self.terminations.take())
    handleResizes()
    handleStops()
    enterScreen()
    if controller.needsBackground { askForBackground() }
    takeSize()
    var (nextUpdate, selectionTime) = (Self.now, Double?.none)
    var keepTime: Double?
    while true {
      let next = controller.reader.screen()
      let pictures = controller.takePictures()
      if !pictures.isEmpty { screen.write(pictures) }
      screen.show(next)
      let end = min(
        selectionTime ?? .infinity, keepTime ?? .infinity,
        nextUpdate + (controller.checkTime ?? .infinity))
      var (events, hasChanges) =
        early.isEmpty ? wait(until: end, orChangesAfter: nextUpdate) : (early, false)
      early = []
      if Self.hangups.take() { return .signal(SIGHUP) }
      if Self.terminations.take() { return .signal(SIGTERM) }
      // As a program that is ended by SIGHUP.
      if isClosed { return .code(129) }
      if Self.resizes.take() { takeSize() }
      if Self.stops.take() { suspend() }
      let time = Self.now
      if hasChanges || controller.checkTime.map({ time >= nextUpdate + $0 }) ?? false {
        await controller.takeChanges()
        nextUpdate = Self.now + Self.updatePause
      }
      if let due = selectionTime, time >= due {
        controller.reportSelection()
        selectionTime = nil
      }
      if let due = keepTime, time >= due {
        controller.keepPlace()
        keepTime = nil
      }
      if !events.isEmpty, keepTime == nil { keepTime = time + Self.keepDelay }
      if !events.isEmpty, selectionTime == nil { selectionTime = time + Self.selectionDelay }
      let isDue = controller.reader.deadline.map { time >= $0 } ?? false
      if isDue || controller.reader.isFinding && events.isEmpty {
        let effects = controller.reader.handle(.tick, at: time)
        if let code = await perform(effects) { return .code(code) }
      }
      while !events.isEmpty {
        let event = events.removeFirst()
        // The terminal may answer late.
        if case .background(let color) = event { controller.use(Background(color)) }
        let effects = controller.reader.handle(.input(event), at: time)
        controller.keepLines()
        if let code = await perform(effects) { return .code(code) }
      }
    }
  }

  /// Performs effects of the reader. Returns the exit code if the reader quits, or else nil.
  private func perform(_ effects: [Reader.Effect]) async -> Int32? {
    for effect in effects {
      switch effect {
      case .quit(let code): return code
      case .suspend: suspend()
      case .redraw: screen.forget()
      case .captureMouse(let isOn): screen.captureMouse(isOn)
      case .pick(let query): await pick(query)
      default: await controller.perform(effect, suspendingTerminal: suspendingTerminal)
      }
    }
    return nil
  }

  /// Waits for events until a time or the reader's deadline.
  ///
  /// - Parameter nextUpdate: The time from which on changes of the file or the library also end the
  ///   wait.
  /// - Returns: the events, none after a timeout; and whether there may be changes.
  private func wait(until time: Double, orChangesAfter nextUpdate: Double)
    -> ([InputEvent], hasChanges: Bool)
  {
    let now = Self.now
    var end = min(time, now + 3_600)
    if let deadline = controller.reader.deadline { end = min(end, deadline) }
    // Continue a running search until the next input.
    if controller.reader.isFinding { end = now }
    if decoder.isWaiting { end = min(end, lastInput + Self.escapeDelay) }
    // `poll` ignores a negative descriptor.
    let changes = now < nextUpdate ? -1 : controller.changes
    if now < nextUpdate { end = min(end, nextUpdate) }
    var inputs = [
      0, Self.resizes.readable, Self.stops.readable, changes, Self.hangups.readable,
      Self.terminations.readable,
    ].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    let ready = poll(&inputs, nfds_t(inputs.count), Int32(max(0, (end - now) * 1000).rounded(.up)))
    guard ready > 0 else {
      return (Self.now >= lastInput + Self.escapeDelay ? decoder.flush() : [], false)
    }
    let hasChanges = inputs[3].revents != 0
    guard inputs[0].revents != 0 else { return ([], hasChanges) }
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    let count = read(0, &bytes, bytes.count)
    // The terminal was closed.
    if count == 0 || count < 0 && errno != EINTR && errno != EAGAIN {
      isClosed = true
      return ([], false)
    }
    lastInput = Self.now
    return (count > 0 ? decoder.feed(bytes[..<count]) : [], hasChanges)
  }

  /// Queries the terminal's background, and then its status. All terminals report their
  /// status, so there is no delay with a terminal that doesn't report its background.
  private func askForBackground() {
    screen.write("\u{1B}]11;?\u{1B}\\\u{1B}[5n")
    let end = Self.now + Self.answerDelay
    while true {
      let rest = end - Self.now
      var input = [pollfd(fd: 0, events: Int16(POLLIN), revents: 0)]
      guard rest > 0, poll(&input, 1, Int32((rest * 1000).rounded(.up))) > 0 else { return }
      var bytes = [UInt8](repeating: 0, count: 4_096)
      let count = read(0, &bytes, bytes.count)
      // The end of the input is handled in `wait`.
      guard count > 0 else { return }
      lastInput = Self.now
      var hasAnswered = false
      for event in decoder.feed(bytes[..<count]) {
        switch event {
        case .background(let color): controller.use(Background(color))
        case .answered: hasAnswered = true
        default: early.append(event)
        }
      }
      if hasAnswered { return }
    }
  }

  private func enterScreen() {
    screen.enter()
    handleEnds()
  }

  /// Lets the user choose a document to read.
  private func pick(_ query: String) async {
    do {
      let choices = try await controller.documentChoices()
      let loop = PickingLoop(
        "Read", choices, screen, query: query,
        ends: [Self.hangups.readable, Self.terminations.readable], suspend: suspend)
      let end = loop.run()
      handleResizes()
      takeSize()
      switch end {
      case .chosen(let choice): await controller.read(choice)
      case .cancelled: break
      case .closed: isClosed = true
      }
    } catch { controller.report(error) }
  }

  private func handleResizes() {
    SignalPipe.handle(SIGWINCH) { _ in ReadingLoop.resizes.note() }
  }

  private func takeSize() {
    let (columns, rows) = FullScreen.size
    controller.reader.resize(columns: columns, rows: rows)
    screen.forget()
  }

  /// Lets a hangup or a termination end the loop, so that the place in the text is stored. A second
  /// signal, or a loop that is blocked, ends the process at once.
  private func handleEnds() {
    SignalPipe.handle(SIGALRM) { _ in FullScreen.endProcess(by: SIGTERM) }
    SignalPipe.handle(SIGHUP) { _ in
      ReadingLoop.hangups.note()
      SignalPipe.handle(SIGHUP) { FullScreen.endProcess(by: $0) }
      alarm(ReadingLoop.endDelay)
    }
    SignalPipe.handle(SIGTERM) { _ in
      ReadingLoop.terminations.note()
      SignalPipe.handle(SIGTERM) { FullScreen.endProcess(by: $0) }
      alarm(ReadingLoop.endDelay)
    }
  }

  private func handleStops() {
    SignalPipe.handle(SIGTSTP) { _ in ReadingLoop.stops.note() }
  }

  /// Restores the terminal while another program runs.
  private func suspendingTerminal(_ body: () -> Void) {
    screen.leave()
    // A signal that stops the other program must stop this one too. Otherwise the shell wouldn't
    // return.
    signal(SIGTSTP, SIG_DFL)
    body()
    handleStops()
    enterScreen()
    takeSize()
  }

  /// Restores the terminal and stops the whole process group. Continues when the shell resumes the
  /// job.
  private func suspend() {
    screen.leave()
    signal(SIGTSTP, SIG_DFL)
    kill(0, SIGTSTP)
    handleStops()
    enterScreen()
    takeSize()
  }
}

/// The terminal in full-screen mode: without echo and line editing, on the alternate screen. The
/// terminal is restored when the process ends, even after a crash.
///
/// ```swift
/// let terminal = FullScreen(hasMouse: true, ordersText: false)
/// terminal.enter()
/// terminal.show(reader.screen())
/// terminal.leave()
/// ```
final class FullScreen {
  private var shown: Screen?
  private var isEntered = false
  private var hasMouse: Bool
  private let ordersText: Bool

  private static let enterSequence = "\u{1B}[?1049h\u{1B}[?2004h\u{1B}[0m\u{1B}[2J"
  private static let mouseOn = "\u{1B}[?1002h\u{1B}[?1006h"
  private static let mouseOff = "\u{1B}[?1006l\u{1B}[?1002l"
  /// Disables the terminal's reordering of bidirectional text (BDSM of ECMA-48), because the text
  /// is already ordered or shouldn't be.
  private static let explicitOrder = "\u{1B}[8l"
  private static let leaveSequence =
    mouseOff + "\u{1B}[8h" + "\u{1B}[?2004l\u{1B}[0m\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"

  // State for the signal handlers, set before they are installed: the original attributes of the
  // terminal and the bytes that restore it.
  nonisolated(unsafe) private static let before = UnsafeMutablePointer<termios>.allocate(
    capacity: 1)
  nonisolated(unsafe) private static let leaveBytes = strdup(leaveSequence)
  private static let leaveLength = strlen(leaveBytes!)

  /// - Parameters:
  ///   - hasMouse: whether mouse events are captured initially.
  ///   - ordersText: whether the terminal orders bidirectional text.
  init(hasMouse: Bool, ordersText: Bool) {
    (self.hasMouse, self.ordersText) = (hasMouse, ordersText)
  }

  /// The size of the terminal in columns and rows. 80 × 24 if it is unknown.
  static var size: (columns: Int, rows: Int) {
    var size = winsize()
    guard ioctl(1, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
      return (80, 24)
    }
    return (Int(size.ws_col), Int(size.ws_row))
  }

  /// Switches the terminal to full-screen mode. Does nothing if it is already in this mode.
  func enter() {
    guard !isEntered else { return }
    tcgetattr(0, Self.before)
    guardCrashes()
    var raw = Self.before.pointee
    cfmakeraw(&raw)
    // Keys that were typed while the program started are kept.
    tcsetattr(0, TCSADRAIN, &raw)
    isEntered = true
    shown = nil
    write(
      Self.enterSequence + (ordersText ? "" : Self.explicitOrder) + (hasMouse ? Self.mouseOn : ""))
  }

  /// Restores the terminal.
  func leave() {
    guard isEntered else { return }
    isEntered = false
    write(Self.leaveSequence)
    tcsetattr(0, TCSAFLUSH, Self.before)
    shown = nil
  }

  /// Starts or stops capturing mouse events.
  func captureMouse(_ isOn: Bool) {
    hasMouse = isOn
    write(isOn ? Self.mouseOn : Self.mouseOff)
  }

  /// Writes the differences between a screen and the last one.
  func show(_ screen: Screen) {
    guard isEntered, screen != shown else { return }
    write(screen.update(from: shown))
    shown = screen
  }

  /// Forgets the last screen, so that the next one is written completely.
  func forget() { shown = nil }

  /// Writes an escape sequence that doesn't change the screen's text.
  func write(_ text: String) {
    // Errors are ignored. If the terminal was closed, SIGHUP ends the program.
    _ = Descriptor.write(text.utf8, to: 1)
  }

  /// Installs handlers that restore the terminal before a fatal signal ends the process. The
  /// handlers only call async-signal-safe functions.
  private func guardCrashes() {
    _ = (Self.leaveBytes, Self.leaveLength)
    let fatal = [
      SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV,
    ]
    for number in fatal {
      var action = sigaction()
      action.__sigaction_handler.sa_handler = { FullScreen.endProcess(by: $0) }
      sigaction(number, &action, nil)
    }
  }

  /// Restores the terminal and ends the process by a signal. Only calls async-signal-safe functions.
  static func endProcess(by number: Int32) {
    _ = Glibc.write(1, FullScreen.leaveBytes!, FullScreen.leaveLength)
    tcsetattr(0, TCSANOW, FullScreen.before)
    signal(number, SIG_DFL)
    raise(number)
  }
}
