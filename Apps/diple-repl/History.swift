@preconcurrency import CReadline
import Commands
import Console
import FoundationEssentials
import SystemSupport

/// The lines that readline offers again, and the file that keeps them.
@MainActor
struct History {
  private let file: HistoryFile?

  /// Takes up the history of a person; nil for a context that keeps its lines to itself.
  init(_ file: HistoryFile?) {
    self.file = file
    guard let file else { return }
    let limit = Int32(clamping: file.limit)
    stifle_history(limit)
    read_history(file.path)
    history_truncate_file(file.path, limit)
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
    if let file { append_history(1, file.path) }
  }
}
