import Files
import FoundationEssentials
import Glibc
import Logging
import Synchronization
import SystemSupport
import Workspace

/// Runs commands at each event, with the event as one line of JSON on their standard input.
/// Commands run one after the other, each for a limited time; events wait in a queue of limited
/// length.
final class Hooks: Sendable {
  /// The maximum number of events in the queue.
  private static let limit = 256
  private struct HookJob {
    var event: LibraryEvent
    var commands: [String]
  }

  private let jobs: AsyncStream<HookJob>.Continuation
  private let commands = Mutex<[LibraryEvent.Kind: [String]]>([:])
  private let task = Mutex<Task<Void, Never>?>(nil)
  /// The number of events in the queue or being processed.
  private let open = Mutex(0)
  private let log: Logger

  /// Starts to process events. No commands are run until `use(_:)` is called.
  ///
  /// - Parameters:
  ///   - events: the folder for temporary event files. Other users must not have access to it.
  ///   - time: the maximum time for a command.
  init(library: String, events: String, log: Logger, time: Duration = .seconds(30)) {
    self.log = log
    let (stream, continuation) = AsyncStream.makeStream(
      of: HookJob.self, bufferingPolicy: .bufferingOldest(Self.limit))
    jobs = continuation
    // The task retains this object; both live as long as the process.
    task.withLock {
      $0 = Task.detached { [self] in
        for await job in stream {
          for command in job.commands where !Task.isCancelled {
            await Self.run(
              command, job.event, library: library, events: events, log: log, time: time)
          }
          open.withLock { $0 -= 1 }
        }
      }
    }
  }

  /// Sets the shell commands to run at each kind of event.
  func use(_ commands: [LibraryEvent.Kind: [String]]) { self.commands.withLock { $0 = commands } }

  /// Accepts no more events, and blocks until the queued events are processed. At `time`, on the
  /// clock of `Clock.now`, the running command is cancelled instead and has 80 ms to end.
  func end(by time: Int) {
    jobs.finish()
    while open.withLock({ $0 > 0 }), Clock.now < time { usleep(2_000) }
    task.withLock { $0?.cancel() }
    let deadline = Clock.now + 80
    while open.withLock({ $0 > 0 }), Clock.now < deadline { usleep(2_000) }
  }

  /// Queues an event if there are commands for its kind. Logs a warning if the queue is full. Does
  /// nothing after `end`.
  func run(_ event: LibraryEvent) {
    let commands = commands.withLock { $0[event.kind] ?? [] }
    if commands.isEmpty { return }
    open.withLock { $0 += 1 }
    let result = jobs.yield(HookJob(event: event, commands: commands))
    if case .enqueued = result { return }
    open.withLock { $0 -= 1 }
    if case .dropped = result {
      log.warning("hooks are too slow: an event was dropped", metadata: ["kind": "\(event.kind)"])
    }
  }

  private static func run(
    _ command: String, _ event: LibraryEvent, library: String, events: String, log: Logger,
    time: Duration
  ) async {
    // Use a file, not a pipe. A command that doesn't read its input closes the pipe before
    // everything is written, and swift-subprocess 1.0.2 terminates this process then. The shell
    // deletes the file.
    let path = events + "/.event-" + UUID().uuidString
    do {
      // A hook receives the content of a message without the length prefix.
      let line = Data(FrameBuffer.frame(event).dropFirst(4)) + [0x0A]
      try line.write(to: URL(filePath: path), options: .atomic)
    } catch {
      log.warning("a hook was not run: \(error)", metadata: ["command": "\(command)"])
      return
    }
    var problem: String?
    do throws(CapturedProgram.Failure) {
      _ = try await CapturedProgram.output(
        of: "sh",
        ["-c", "exec <\"$1\"; rm -f \"$1\"; exec sh -c \"$0\" >/dev/null", command, path],
        environment: ["DIPLE_EVENT": event.kind.rawValue, "DIPLE_LIBRARY": library],
        limit: 1 << 16, time: time)
    } catch { problem = error.description }
    // If the shell was terminated early, it didn't delete the file.
    unlink(path)
    if let problem { log.warning("a hook failed: \(problem)", metadata: ["command": "\(command)"]) }
  }
}
