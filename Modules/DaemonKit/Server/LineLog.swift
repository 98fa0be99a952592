import FoundationEssentials
import Glibc
import Logging
import Rendering
import Synchronization
import SystemSupport
import Workspace

/// Writes each log entry as one line to standard error: time, level, message, and `key=value`
/// pairs. For the systemd journal, which adds the time itself, the line starts with the level as a
/// number (sd-daemon(3)).
struct LineLog: LogHandler {
  var metadata: Logger.Metadata = [:]
  private let isForJournal: Bool
  private let threshold: LogThreshold
  /// The level of this copy, which overrides the threshold.
  private var ownLevel: Logger.Level?

  /// - Parameter threshold: the level of all copies without their own level.
  init(environment: [String: String], threshold: LogThreshold) {
    isForJournal = environment["JOURNAL_STREAM"] != nil
    self.threshold = threshold
  }

  var logLevel: Logger.Level {
    get { ownLevel ?? threshold.level }
    set { ownLevel = newValue }
  }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    var line = isForJournal ? "<\(Self.priority(event.level))>" : "\(Self.time) \(event.level) "
    line += event.message.description
    let pairs = metadata.merging(event.metadata ?? [:]) { $1 }
    for (key, value) in pairs.sorted(by: { $0.key < $1.key }) {
      let text = value.description
      line +=
        text.contains(where: { " \"\n".contains($0) })
        ? " \(key)=\(text.debugDescription)" : " \(key)=\(text)"
    }
    // Keep each entry on one line, whatever a file name contains, and safe to print on a terminal.
    _ = Descriptor.write((line.sanitizedForTerminal + "\n").utf8, to: 2)
  }

  private static var time: String {
    Date().formatted(
      .iso8601.year().month().day().timeZone(separator: .omitted)
        .time(includingFractionalSeconds: true))
  }

  private static func priority(_ level: Logger.Level) -> Int {
    switch level {
    case .trace, .debug: 7
    case .info: 6
    case .notice: 5
    case .warning: 4
    case .error: 3
    case .critical: 2
    }
  }
}

/// The minimum level of all copies of a log. It can change while they are in use.
final class LogThreshold: Sendable {
  private let state: Mutex<Logger.Level>

  init(_ level: Logger.Level) { state = Mutex(level) }

  var level: Logger.Level {
    get { state.withLock { $0 } }
    set { state.withLock { $0 = newValue } }
  }
}

/// The log file that replaces standard error in the background.
enum LogFile {
  /// The maximum size in bytes. A larger file is renamed when the log is opened.
  private static let limit = 1 << 20

  /// Opens the log file, or reopens it after another program renamed it. Returns false and sets
  /// `errno` if it can't be written.
  ///
  /// - Parameter own: the default path of the log. If `path` is this path, its folder is created
  ///   and made private.
  static func open(_ path: String, own: String) -> Bool {
    var descriptor: Int32 = -1
    if path == own {
      do {
        try PrivateFile.makeFolder(path.parentFolder)
        moveAside(path)
        descriptor = try PrivateFile.open(path, O_WRONLY | O_CREAT | O_APPEND)
      } catch { errno = error.number }
    } else {
      moveAside(path)
      descriptor = Glibc.open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    }
    guard descriptor >= 0 else { return false }
    dup2(descriptor, 2)
    close(descriptor)
    return true
  }

  private static func moveAside(_ path: String) {
    var status = stat()
    if stat(path, &status) == 0, status.st_size > limit { rename(path, path + ".1") }
  }
}
