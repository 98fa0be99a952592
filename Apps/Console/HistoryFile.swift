import Configuration
import DaemonKit
import Glibc
import SystemSupport

/// The lines that a person typed, in the line editor and in the reader, in this context and those
/// before it. Each is in the file as soon as it is run, so neither a window that is closed nor a
/// second context takes any away.
package struct HistoryFile {
  /// The file, which is there: `diple/history` in the XDG state folder.
  package let path: String
  /// How many lines are remembered.
  package let limit: Int
  /// Longer files are not read.
  private static let mostBytes = 64 << 20

  /// The history of a context's person; nil when there is no place for it, or the settings want none.
  ///
  /// - Throws: what is wrong with the settings.
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

  /// Makes the file. What a person reads is theirs: nobody else may look.
  private static func makeFile(in folder: String) -> String? {
    try? FileSystem.makeFolders(folder)
    guard let descriptor = try? PrivateFile.open(folder + "/history", O_WRONLY | O_CREAT) else {
      return nil
    }
    fchmod(descriptor, 0o600)
    close(descriptor)
    return folder + "/history"
  }

  /// The newest lines, the oldest of them first.
  package var lines: [String] {
    let bytes = (try? PrivateFile.content(of: path, limit: Self.mostBytes)) ?? nil
    return String(decoding: bytes ?? [], as: UTF8.self).split(separator: "\n").suffix(limit).map(
      String.init)
  }

  /// Adds a line, in one write.
  package func append(_ line: String) {
    guard let descriptor = try? PrivateFile.open(path, O_WRONLY | O_APPEND | O_CREAT) else {
      return
    }
    defer { close(descriptor) }
    _ = Descriptor.write((line + "\n").utf8, to: descriptor)
  }
}
