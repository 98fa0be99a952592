import Configuration
import DaemonKit
import Glibc
import SystemSupport

/// The history of typed lines, shared by the REPL and the reader and kept across sessions. Each
/// line is appended before it runs, so that closing the window or a second session doesn't lose
/// lines.
package struct HistoryFile {
  /// The path of the file, `diple/history` in the XDG state folder. The file exists.
  package let path: String
  /// The maximum number of lines that are returned, at least 1.
  package let limit: Int
  /// The maximum size in bytes. A larger file is not read.
  private static let mostBytes = 64 << 20

  /// Opens the history of the current user and creates the file if necessary. Returns nil if there
  /// is no state folder or the settings disable the history.
  ///
  /// - Throws: ``UserError`` if the settings are invalid.
  package init?(_ context: CommandContext, library: String? = nil) throws {
    var options = GlobalOptions.none
    options.library = library
    limit = try context.libraries.settings(options).number(.historyLines)
    let state = StandardFolders(environment: context.terminal.environment).state
    guard limit > 0, let path = state.flatMap({ Self.makeFile(in: $0 + "/diple") }) else {
      return nil
    }
    self.path = path
  }

  /// Creates the file, readable only by its owner, because the lines may contain private text.
  private static func makeFile(in folder: String) -> String? {
    try? FileSystem.makeFolders(folder)
    guard let descriptor = try? PrivateFile.open(folder + "/history", O_WRONLY | O_CREAT) else {
      return nil
    }
    fchmod(descriptor, 0o600)
    close(descriptor)
    return folder + "/history"
  }

  /// The newest lines, in the order in which they were typed.
  package var lines: [String] {
    let bytes = (try? PrivateFile.content(of: path, limit: Self.mostBytes)) ?? nil
    return String(decoding: bytes ?? [], as: UTF8.self).split(separator: "\n").suffix(limit).map(
      String.init)
  }

  /// Appends a line in a single write. Errors are ignored.
  package func append(_ line: String) {
    guard let descriptor = try? PrivateFile.open(path, O_WRONLY | O_APPEND | O_CREAT) else {
      return
    }
    defer { close(descriptor) }
    _ = Descriptor.write((line + "\n").utf8, to: descriptor)
  }
}
