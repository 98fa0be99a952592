@preconcurrency import CReadline
import FoundationEssentials
import Glibc

/// The lines that were typed, in this session and those before it. Each is in the file as soon as
/// it is run, so neither a window that is closed nor a second session takes any away.
@MainActor
struct History {
  private static let limit: Int32 = 1_000
  private let path: String?

  /// Takes up the history of a person: `diple/history` in the XDG state folder.
  init(environment: [String: String]) {
    let state = environment["XDG_STATE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
    let home = environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 + "/.local/state" : nil }
    path = (state ?? home).flatMap { Self.makeFile(in: $0 + "/diple") }
    stifle_history(Self.limit)
    if let path {
      read_history(path)
      history_truncate_file(path, Self.limit)
      chmod(path, 0o600)
    }
  }

  /// Adds a line, unless it is blank or the same as the one before.
  func add(_ line: String) {
    guard !line.allSatisfy(\.isWhitespace) else { return }
    if let last = history_get(history_base + history_length - 1)?.pointee.line,
      String(cString: last) == line
    {
      return
    }
    add_history(line)
    if let path { append_history(1, path) }
  }

  /// The path of the file, which is there afterwards; nil when it cannot be made. What a person
  /// reads is theirs: nobody else may look.
  private static func makeFile(in folder: String) -> String? {
    try? FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: true)
    let descriptor = open(folder + "/history", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return nil }
    close(descriptor)
    return folder + "/history"
  }
}
