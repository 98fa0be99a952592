import FoundationEssentials
import Glibc
import Logging

/// Writes each entry as one line to standard error: time, level, words, and `key=value` pairs. For
/// the journal, which has the time itself, the level is a number in front (sd-daemon(3)).
struct LineLog: LogHandler {
  var metadata: Logger.Metadata = [:]
  var logLevel: Logger.Level = .info
  private let isForJournal: Bool

  init(environment: [String: String]) { isForJournal = environment["JOURNAL_STREAM"] != nil }

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
    // One entry is one line, whatever a file is called.
    let bytes = line.utf8.map { $0 < 0x20 ? 0x20 : $0 } + [0x0A]
    _ = bytes.withUnsafeBytes { write(2, $0.baseAddress, $0.count) }
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

/// The file that takes the place of standard error in the background.
enum LogFile {
  /// A longer file is put aside when the daemon begins, in bytes.
  private static let limit = 1 << 20

  /// Opens the file, or opens it again after somebody else put it aside. False when it cannot be
  /// written.
  static func open(_ path: String) -> Bool {
    var status = stat()
    if stat(path, &status) == 0, status.st_size > limit { rename(path, path + ".1") }
    let descriptor = Glibc.open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return false }
    dup2(descriptor, 2)
    close(descriptor)
    return true
  }
}
