import ArgumentParser
import Configuration
import Console
import DaemonKit
import Editing
import Model
import Storage
import SystemSupport
import Workspace

extension CommandContext {
  /// The words that can stand at a place of a line of the REPL.
  ///
  /// - Parameters:
  ///   - words: the words before it.
  ///   - start: what is written of it already.
  package func completions(after words: [String], start: String) async -> [String] {
    let found = await candidates(after: words, start: start)
    return Array(Set(found.filter { $0.hasPrefix(start) })).sorted()
  }

  private func candidates(after words: [String], start: String) async -> [String] {
    guard let command = words.first else { return Diple.commandNames + ["help", "quit", "exit"] }
    let last = words[words.count - 1]
    if let values = values(of: last, in: command) { return values }
    guard let library = try? libraries.library(named: nil, .lookOnly) else { return [] }
    if last == "--tag" || last == "--untag" { return await tags(library) }
    if start.hasPrefix("-") { return Self.options[command] ?? ["--json", "--help"] }
    switch (command, words.count) {
    case ("highlight", 1), ("hl", 1):
      return ["show", "edit", "color", "note", "tag", "remove", "restore", "why"]
    case ("highlight", 3) where last != "" && words[1] == "color",
      ("hl", 3) where words[1] == "color":
      return HighlightColor.allCases.map(\.rawValue)
    case ("highlight", 2), ("hl", 2): return await highlightIDs(library)
    case ("highlight", _), ("hl", _):
      switch words[1] {
      case "remove", "restore": return await highlightIDs(library)
      case "tag": return await tags(library)
      default: return []
      }
    case ("doc", 1): return ["list", "show", "rename", "link", "remove", "restore"]
    case ("query", 1): return ["save", "run", "list", "remove"]
    case ("query", 2) where ["run", "remove"].contains(words[1]):
      return ((try? await library.savedQueries()) ?? [:]).keys.sorted()
    case ("daemon", 1): return DaemonCommand.words
    case ("adjust", _) where ["start", "end"].contains(last): return ["+1", "-1"]
    case ("adjust", _), ("extend", _):
      if Int(last) != nil { return TextUnit.allCases.map(\.rawValue) }
      let edges = command == "adjust" ? ["start", "end"] : []
      return words.count == 1 ? edges + (await documentNames(library)) : edges
    case ("config", 1): return ConfigCommand.words
    case ("config", 2) where ["get", "set"].contains(words[1]):
      return SettingKey.allCases.map(\.rawValue)
    case ("config", 3) where words[1] == "set": return ConfigCommand.values(for: words[2])
    case ("config", _): return []
    case ("trash", 1): return ["list", "restore", "empty"]
    case ("plugin", 1): return ["list", "show", "add", "remove"]
    case ("format", 1):
      return ["bold", "italic", "strike", "mark", "code", "link", "heading", "quote"]
    case ("add", _), ("init", _), ("clear", _), ("daemon", _), ("undo", _), ("redo", _),
      ("history", _):
      return []
    default: return await documentNames(library)
    }
  }

  private static let options: [String: [String]] = [
    "mark": ["--color", "--note", "--tag", "--strategy", "--dry-run", "--json"],
    "list": ["--color", "--tag", "--state", "--since", "--sort", "--trashed", "--json"],
    "highlight": ["--color", "--note", "--tag", "--untag", "--dry-run", "--json"],
    "hl": ["--color", "--note", "--tag", "--untag", "--dry-run", "--json"],
    "copy": ["--as", "--to", "--cite", "--print", "--json"],
    "read": ["--width", "--color", "--theme", "--hide-title"],
    "show": ["--plain", "--width", "--color", "--theme", "--hide-title", "--json"],
    "config": ["--origin", "--local", "--dry-run", "--json"],
    "export": ["--to", "--terminal.output", "--color", "--tag"],
    "find": [
      "--strategy", "--case", "--ignore-diacritics", "--word", "--in", "--mark", "--tag", "--clear",
      "--json",
    ],
    "search": [
      "--strategy", "--case", "--ignore-diacritics", "--word", "--in", "--color", "--tag",
      "--state", "--since", "--limit", "--per-document", "--time-limit", "--json",
    ],
    "format": ["--dry-run", "--json"],
    "replace": [
      "--all", "--match", "--word", "--case-sensitive", "--preserve-case", "--strategy", "--regex",
      "--source", "--in", "--everywhere", "--yes", "--dry-run", "--json",
    ],
    "undo": ["--skip", "--dry-run", "--json"],
    "redo": ["--dry-run", "--json"],
    "history": ["--limit", "--json"],
  ]

  /// What an option takes; nil when that is no closed list.
  private func values(of option: String, in command: String) -> [String]? {
    let plugins = libraries.plugins
    return switch (command, option) {
    case ("copy", "--as"): CopyCommand.Format.allCases.map(\.rawValue)
    case ("copy", "--to"): Clipboard.allCases.map(\.rawValue)
    case ("show", "--color"), ("read", "--color"): DrawOptions.Choice.allCases.map(\.rawValue)
    case (_, "--color"), (_, "-c"): HighlightColor.allCases.map(\.rawValue)
    case (_, "--state"): AnchorState.allCases.map(\.rawValue)
    case (_, "--sort"): ListCommand.Order.allCases.map(\.rawValue)
    case (_, "--theme"): DrawOptions.Background.allCases.map(\.rawValue)
    case (_, "--renderer"): plugins.renderers.entries.map(\.id)
    case (_, "--to"): plugins.exporters.entries.map(\.id)
    case ("mark", "--strategy"): plugins.highlighting.entries.map(\.id)
    case ("search", "--strategy"), ("find", "--strategy"), ("query", "--strategy"),
      ("replace", "--strategy"):
      plugins.search.entries.map(\.id)
    case ("search", "--in"), ("query", "--in"): SearchRequest.Place.allCases.map(\.rawValue)
    case (_, "--case"): MatchOptions.Case.allCases.map(\.rawValue)
    case ("find", "--mark"): HighlightColor.allCases.map(\.rawValue)
    default: nil
    }
  }

  private func tags(_ library: Library) async -> [String] {
    ((try? await library.tags()) ?? []).map(\.name)
  }

  private func highlightIDs(_ library: Library) async -> [String] {
    let all = (try? await library.highlights(.init(trash: .included))) ?? []
    return all.map(\.shortID)
  }

  private func documentNames(_ library: Library) async -> [String] {
    let all = (try? await library.documents()) ?? []
    return all.map(\.path.string) + all.map(\.title)
  }
}
