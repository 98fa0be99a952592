@preconcurrency import CReadline
import Commands
import Console
import FoundationEssentials
import SystemSupport

/// The history of readline and the file in which it is stored.
@MainActor
struct History {
  private let file: HistoryFile?

  /// Loads the history from a file. Nil keeps the history in memory only.
  init(_ file: HistoryFile?) {
    self.file = file
    guard let file else { return }
    let limit = Int32(clamping: file.limit)
    stifle_history(limit)
    read_history(file.path)
    history_truncate_file(file.path, limit)
  }

  /// Adds a line, unless it is blank or equal to the previous line.
  func add(_ line: String) {
    guard !line.allSatisfy(\.isWhitespace) else { return }
    if let last = history_get(history_base + history_length - 1)?.pointee.line,
      String(cString: last) == line
    {
      return
    }
    add_history(line)
    if let file { append_history(1, file.path) }
  }
}
