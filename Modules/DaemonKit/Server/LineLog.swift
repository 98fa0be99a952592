import FoundationEssentials
import Glibc
import Logging
import Rendering
import Synchronization
import SystemSupport
import Workspace

/// Writes each entry as one line to standard error: time, level, words, and `key=value` pairs. For
/// the journal, which has the time itself, the level is a number in front (sd-daemon(3)).
struct LineLog: LogHandler {
  var metadata: Logger.Metadata = [:]
  private let isForJournal: Bool
  private let threshold: LogThreshold
  /// Of this copy alone.
  private var ownLevel: Logger.Level?

  /// - Parameter threshold: what holds as long as a copy has no level of its own.
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
    // One entry is one line, whatever a file is called, and may be read on a terminal.
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

/// The least important of what is said, for all copies of a log at once: it can change while they are
/// in use.
final class LogThreshold: Sendable {
  private let state: Mutex<Logger.Level>

  init(_ level: Logger.Level) { state = Mutex(level) }

  var level: Logger.Level {
    get { state.withLock { $0 } }
    set { state.withLock { $0 = newValue } }
  }
}

/// The file that takes the place of standard error in the background.
enum LogFile {
  /// A longer file is put aside when the daemon begins, in bytes.
  private static let limit = 1 << 20

  /// Opens the file, or opens it again after somebody else put it aside. False, with the reason in
  /// `errno`, when it cannot be written.
  ///
  /// - Parameter own: where Diple itself puts the log; any other place was named by the person.
  static func open(_ path: String, own: String) -> Bool {
    var descriptor: Int32 = -1
    if path == own {
      do {
        try PrivateFile.makeFolder(path.parentFolder)
        putAside(path)
        descriptor = try PrivateFile.open(path, O_WRONLY | O_CREAT | O_APPEND)
      } catch { errno = error.number }
    } else {
      putAside(path)
      descriptor = Glibc.open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    }
    guard descriptor >= 0 else { return false }
    dup2(descriptor, 2)
    close(descriptor)
    return true
  }

  private static func putAside(_ path: String) {
    var status = stat()
    if stat(path, &status) == 0, status.st_size > limit { rename(path, path + ".1") }
  }
}
