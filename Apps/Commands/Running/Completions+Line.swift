package import Console
import SystemSupport

extension CommandContext {
  /// The possible endings of a typed line.
  package struct LineCompletions: Sendable {
    /// The number of characters before the word that is completed.
    package var kept = 0
    /// The words that may replace it, with quotation marks where necessary.
    package var candidates: [Completions.Candidate] = []
  }

  /// Returns the possible words at the end of a line, for a front-end that completes paths of files
  /// itself.
  package func completions(ofLine line: String) async -> LineCompletions {
    let last = ShellLine(line)
    let kept = String(line.prefix(last.kept))
    let found = await completions(
      after: (try? Diple.words(in: kept)) ?? last.words, start: last.start)
    var candidates = found.candidates
    if found.takesPath { candidates += Self.paths(last.start).map { .init(text: $0) } }
    let needsMarks = candidates.contains { $0.text.quotedInLine != $0.text }
    // If one word needs quotation marks, all get them, so that their beginning is completed.
    // Without a common beginning, the mark alone would be.
    let isQuoted =
      last.quote != nil || needsMarks && Set(candidates.map(\.text.first)).count == 1
    return LineCompletions(
      kept: last.kept,
      candidates: candidates.map {
        .init(text: isQuoted ? $0.text.quoted : $0.text.quotedInLine, summary: $0.summary)
      })
  }

  /// Returns the paths of files and folders that begin with a text, sorted; those of folders end
  /// with a slash. Hidden ones are omitted unless the text names them.
  private static func paths(_ start: String) -> [String] {
    let folder = start.lastIndex(of: "/").map { String(start[...$0]) } ?? ""
    let name = start.dropFirst(folder.count)
    var found: [String] = []
    try? FileSystem.forEachName(in: folder.isEmpty ? "." : folder) { entry in
      guard entry.hasPrefix(name), name.hasPrefix(".") || !entry.hasPrefix(".") else { return }
      let isFolder = (try? FileSystem.status(of: folder + entry))??.isFolder == true
      found.append(folder + entry + (isFolder ? "/" : ""))
    }
    return found.sorted()
  }
}

extension String {
  /// The word as it is typed in the line editor: with quotation marks if it contains blanks, quotes
  /// or backslashes.
  package var quotedInLine: String {
    let isDividing = contains { $0.isWhitespace || "\"'\\“".contains($0) }
    return isDividing || isEmpty ? quoted : self
  }

  /// The word with quotation marks.
  fileprivate var quoted: String {
    guard contains("'") else { return "'\(self)'" }
    return "\"" + replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
  }
}
