import Files
import FoundationEssentials
import Glibc
import Logging
import Synchronization
import SystemSupport
import Workspace

/// Runs commands at each event, with the event as one line of JSON on their standard input: one
/// after the other, each for a limited time, and no more waiting than a limit.
final class Hooks: Sendable {
  /// How many events may wait.
  private static let limit = 256
  private struct HookJob {
    var event: LibraryEvent
    var commands: [String]
  }

  private let jobs: AsyncStream<HookJob>.Continuation
  private let commands = Mutex<[LibraryEvent.Kind: [String]]>([:])
  private let task = Mutex<Task<Void, Never>?>(nil)
  /// How many events are waiting or have their commands run.
  private let open = Mutex(0)
  private let log: Logger

  /// Begins without any command.
  ///
  /// - Parameters:
  ///   - events: the folder for the events' files, which is this person's alone.
  ///   - time: how long a command may take.
  init(library: String, events: String, log: Logger, time: Duration = .seconds(30)) {
    self.log = log
    let (stream, continuation) = AsyncStream.makeStream(
      of: HookJob.self, bufferingPolicy: .bufferingOldest(Self.limit))
    jobs = continuation
    // The task holds this object; both live as long as the process.
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

  /// Takes the commands that `sh` runs at each kind of event from now on.
  func use(_ commands: [LibraryEvent.Kind: [String]]) { self.commands.withLock { $0 = commands } }

  /// Ends what runs; what waits has until `time`, by the clock of `Clock`, to be run before.
  func end(by time: Int) {
    jobs.finish()
    while open.withLock({ $0 > 0 }), Clock.now < time { usleep(2_000) }
    task.withLock { $0?.cancel() }
    let patience = Clock.now + 80
    while open.withLock({ $0 > 0 }), Clock.now < patience { usleep(2_000) }
  }

  /// Has the commands of its kind run for an event.
  func run(_ event: LibraryEvent) {
    let commands = commands.withLock { $0[event.kind] ?? [] }
    if commands.isEmpty { return }
    open.withLock { $0 += 1 }
    if case .dropped = jobs.yield(HookJob(event: event, commands: commands)) {
      open.withLock { $0 -= 1 }
      log.warning("hooks are too slow: an event was dropped", metadata: ["kind": "\(event.kind)"])
    }
  }

  private static func run(
    _ command: String, _ event: LibraryEvent, library: String, events: String, log: Logger,
    time: Duration
  ) async {
    // A file, not a pipe: a command that does not read its input closes a pipe before all is
    // written, and swift-subprocess 1.0.2 ends the process over that. The shell deletes it.
    let path = events + "/.event-" + UUID().uuidString
    do {
      // The content of a message without the length before it.
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
    // One that was ended before its shell began has not deleted it.
    unlink(path)
    if let problem { log.warning("a hook failed: \(problem)", metadata: ["command": "\(command)"]) }
  }
}
