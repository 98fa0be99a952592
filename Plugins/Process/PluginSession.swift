import CSys
import Glibc
import Model
import Synchronization
import SystemSupport

/// A program of a plugin that answers several requests, one after the other.
///
/// The program is started with the first request. If it ends after an answer, it is started again
/// for the next request. It ends with the session.
final class PluginSession: Sendable {
  private let thread = SerialThread()
  private let served: Served

  /// The running program. Only the session's thread uses it.
  private final class Served: @unchecked Sendable {
    // Confined to the session's thread.
    var process: PluginProcess?
  }

  init() { served = Served() }

  deinit {
    let served = served
    thread.run { served.process = nil }
  }

  /// Sends a request and returns the lines of the answer.
  ///
  /// - Throws: ``PluginError`` if the program can't be started, fails or exceeds a limit.
  func answer(of program: PluginProgram, to request: [UInt8]) throws(PluginError) -> [UInt8] {
    var result: Result<[UInt8], PluginError> = .failure(PluginError(""))
    // A program is ended when the thread that started it ends, so all requests are sent by one
    // thread.
    thread.run { result = Result { () throws(PluginError) in try send(request, to: program) } }
    return try result.get()
  }

  private func send(_ request: [UInt8], to program: PluginProgram) throws(PluginError) -> [UInt8] {
    if let process = served.process {
      do {
        if let answer = try process.answer(to: request) { return answer }
      } catch {
        served.process = nil
        throw error
      }
      // It ended after its last answer.
      served.process = nil
    }
    let process = try PluginProcess(program)
    guard let answer = try process.answer(to: request) else { throw process.problem() }
    served.process = process
    return answer
  }
}

/// A thread that runs one function at a time, while the caller waits.
private final class SerialThread: Sendable {
  /// The function to run, and the semaphores by which the threads wait for each other.
  private final class Desk: @unchecked Sendable {
    // `body` is written before `wake` and read after it, and so is `isOver`.
    let wake = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)
    let done = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)
    var body: (() -> Void)?
    var isOver = false

    init() {
      sem_init(wake, 0, 0)
      sem_init(done, 0, 0)
    }

    deinit {
      for semaphore in [wake, done] {
        sem_destroy(semaphore)
        semaphore.deallocate()
      }
    }

    func serve() {
      // A program that ended makes a write fail instead of ending this one.
      var signals = sigset_t()
      sigemptyset(&signals)
      sigaddset(&signals, SIGPIPE)
      pthread_sigmask(SIG_BLOCK, &signals, nil)
      while true {
        while sem_wait(wake) != 0 {}
        if isOver { return }
        body?()
        body = nil
        sem_post(done)
      }
    }
  }

  private let desk = Desk()
  private let turn = Mutex(())

  init() {
    var thread = pthread_t()
    let context = Unmanaged.passRetained(desk).toOpaque()
    let number = pthread_create(
      &thread, nil,
      { context in
        Unmanaged<Desk>.fromOpaque(context!).takeRetainedValue().serve()
        return nil
      }, context)
    precondition(number == 0, "no thread could be started")
    pthread_detach(thread)
  }

  deinit {
    desk.isOver = true
    sem_post(desk.wake)
  }

  /// Runs a function on the thread and waits for its end.
  func run(_ body: () -> Void) {
    turn.withLock { _ in
      withoutActuallyEscaping(body) { body in
        desk.body = body
        sem_post(desk.wake)
        while sem_wait(desk.done) != 0 {}
      }
    }
  }
}

/// A running program of a plugin, with pipes to its standard streams.
private final class PluginProcess {
  private let run: PluginRun
  private let process: pid_t
  /// The ends of the pipes: its input, its output and its errors.
  private var ends: [Int32]
  private var errors: [UInt8] = []

  /// Starts the program. Throws ``PluginError`` if it can't be started.
  init(_ program: PluginProgram) throws(PluginError) {
    run = PluginRun(folder: program.folder, manifest: program.manifest, isPersistent: true)
    var pipes: [[Int32]] = [[-1, -1], [-1, -1], [-1, -1]]
    defer { for end in pipes.joined() where end >= 0 { close(end) } }
    for index in pipes.indices {
      guard csys_open_pipe(&pipes[index]) == 0 else {
        throw PluginRun.failure("no pipe could be made")
      }
    }
    process = try run.start(pipes[0][0], pipes[1][1], pipes[2][1])
    ends = [pipes[0][1], pipes[1][0], pipes[2][0]]
    (pipes[0][1], pipes[1][0], pipes[2][0]) = (-1, -1, -1)
    for end in ends { _ = fcntl(end, F_SETFL, fcntl(end, F_GETFL) | O_NONBLOCK) }
  }

  deinit {
    for end in ends where end >= 0 { close(end) }
    // A program that reads its input to the end needs no signal.
    for _ in 0..<100 {
      if waitpid(process, nil, WNOHANG) != 0 { return }
      usleep(1_000)
    }
    PluginRun.end(process)
  }

  /// Sends a request and reads the answer, up to the line that ends it. Returns nil if the program
  /// ended before the first byte of the answer.
  func answer(to request: [UInt8]) throws(PluginError) -> [UInt8]? {
    let deadline = ContinuousClock.now + .seconds(run.manifest.seconds)
    var answer: [UInt8] = []
    var (sent, lineStart) = (0, 0)
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let rest = (deadline - ContinuousClock.now).milliseconds
      guard rest > 0 else { throw run.tooSlow }
      var streams = ends.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      streams[0].events = Int16(POLLOUT)
      if sent == request.count { streams[0].fd = -1 }
      guard poll(&streams, 3, Int32(min(rest, 1000))) >= 0 || errno == EINTR else {
        throw PluginRun.failure("its answer cannot be read")
      }
      if streams[0].fd >= 0, streams[0].revents != 0 {
        let count = request[sent...].withUnsafeBytes {
          Glibc.write(streams[0].fd, $0.baseAddress, min($0.count, 1 << 16))
        }
        if count > 0 { sent += count }
        // Its output tells why it no longer reads.
        if count < 0, errno != EAGAIN, errno != EINTR { sent = request.count }
      }
      if streams[2].fd >= 0, streams[2].revents != 0 {
        let count = Glibc.read(streams[2].fd, &buffer, buffer.count)
        if count > 0 {
          errors = (errors + buffer[..<count]).suffix(PluginRun.errorLimit)
        } else if count == 0 || errno != EAGAIN && errno != EINTR {
          close(ends[2])
          ends[2] = -1
        }
      }
      guard streams[1].revents != 0 else { continue }
      let count = Glibc.read(streams[1].fd, &buffer, buffer.count)
      if count < 0, errno == EAGAIN || errno == EINTR { continue }
      if count <= 0 {
        if answer.isEmpty { return nil }
        throw problem()
      }
      answer += buffer[..<count]
      guard answer.count <= run.manifest.output << 20 else { throw run.tooMuch }
      while let feed = answer[lineStart...].firstIndex(of: 10) {
        let line = answer[lineStart..<feed]
        lineStart = feed + 1
        if PluginProgram.endsAnswer(line) { return answer }
      }
    }
  }

  /// Waits for the program's end and returns the reason of its failure.
  func problem() -> PluginError {
    guard let status = try? run.wait(for: process, until: .now + .seconds(1)) else {
      return PluginError("it ended its answer before \"done\"")
    }
    // The process was waited for, so `deinit` finds nothing to end.
    return status == 0
      ? PluginError("it ended before \"done\"") : run.problem(status: status, errors)
  }
}
