import Actions
import ArgumentParser
import Console
import Model
import Rendering
import Workspace

/// The `query` command, which manages saved searches.
struct QueryCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "query",
    abstract: "Save searches by name, and run them.",
    discussion: """
      Examples:
        diple query save foxes fox
        diple query run foxes
      """,
    subcommands: [Save.self, Run.self, List.self, Remove.self])
}

extension QueryRecord {
  /// The search as a line of a list.
  var plain: String {
    var line = "\(name.sanitizedForTerminal)  \(strategy) “\(text.shortened)”"
    if place != .text { line += "  in \(place.rawValue)" }
    for color in colors { line += "  \(color.rawValue)" }
    for state in states { line += "  \(state.rawValue)" }
    for tag in tags { line += "  #\(tag.sanitizedForTerminal)" }
    if !documents.isEmpty { line += "  in \(documents.count.counted("document"))" }
    return line
  }
}
