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
    (["\(name.sanitizedForTerminal)  \(strategy) “\(text.shortened)”"] + conditions)
      .joined(separator: "  ")
  }

  /// The search in words, for a message about it. The usual strategy isn't named.
  var sentence: String {
    let kind = strategy == "literal" ? [] : [strategy]
    return (["the query '\(name.sanitizedForTerminal)': “\(text.shortened)”"] + kind + conditions)
      .joined(separator: ", ")
  }

  private var conditions: [String] {
    (place == .text ? [] : ["in \(place.rawValue)"]) + colors.map(\.rawValue)
      + states.map(\.rawValue) + tags.map { $0.asTag.sanitizedForTerminal }
      + (documents.isEmpty ? [] : ["in \(documents.count.counted("document"))"])
  }
}
