import SystemSupport

/// Shortens the absolute paths in a message.
///
/// ```swift
/// let paths = ShortPaths(from: ["/home/me/notes"], home: "/home/me")
/// paths.text("no such file: /home/me/notes/a.md")  // no such file: a.md
/// ```
struct ShortPaths {
  /// Folders with a slash at the end, and what their paths begin with instead.
  private let replacements: [(folder: String, start: String)]

  /// - Parameters:
  ///   - folders: the folders whose files are shown relative to them, the most important first.
  ///   - home: the user's home folder, which is shown as a tilde; nil if it is unknown.
  init(from folders: [String], home: String?) {
    let relative = folders.map { (folder: $0, start: "") }
    replacements = (relative + [(folder: home ?? "", start: "~/")]).compactMap { entry in
      var folder = entry.folder
      while folder.hasSuffix("/") { folder.removeLast() }
      // The root, and a missing folder, shorten nothing.
      return folder.hasPrefix("/") ? (folder + "/", entry.start) : nil
    }
  }

  /// Returns a message with shortened paths. O(message · folders).
  func text(_ message: String) -> String {
    replacements.reduce(message) { text, entry in
      var rest = text[...]
      var result = ""
      while let found = rest.firstRange(of: entry.folder) {
        let before = text[..<found.lowerBound].last
        // The folder must begin a path, and a file must follow.
        let isStart = before.map { !$0.isLetter && !$0.isNumber && !"/._-~".contains($0) } ?? true
        let next = text[found.upperBound...].first
        let isFolder = next.map { $0.isWhitespace || "'”\"`;:,".contains($0) } ?? true
        result += rest[..<found.lowerBound]
        result += isStart && !(isFolder && entry.start.isEmpty) ? entry.start : entry.folder
        rest = rest[found.upperBound...]
      }
      return result + rest
    }
  }
}
