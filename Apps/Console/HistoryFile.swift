import Configuration
import DaemonKit
import FoundationEssentials
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
    let descriptor = open(folder + "/history", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return nil }
    fchmod(descriptor, 0o600)
    close(descriptor)
    return folder + "/history"
  }

  /// The newest lines, the oldest of them first.
  package var lines: [String] {
    let data = FileManager.default.contents(atPath: path) ?? Data()
    return String(decoding: data, as: UTF8.self).split(separator: "\n").suffix(limit).map(
      String.init)
  }

  /// Adds a line, in one write.
  package func append(_ line: String) {
    let descriptor = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    _ = Descriptor.write((line + "\n").utf8, to: descriptor)
  }
}
