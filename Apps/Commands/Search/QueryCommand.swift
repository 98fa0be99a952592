import Actions
import ArgumentParser
import Console
import FoundationEssentials
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

  /// A saved search, a record of the schema `diple.query/1`.
  struct Record: Encodable {
    var name: String
    var text: String
    var strategy: String
    @Nullable var ignoresCase: Bool?
    var ignoresDiacritics: Bool
    var wholeWords: Bool
    var place: SearchRequest.Place
    var colors: [HighlightColor]
    var tags: [String]
    var states: [AnchorState]
    @Nullable var since: Date?
    var documents: [Document.ID]

    init(_ name: String, _ query: SavedQuery) {
      self.name = name
      text = query.text
      strategy = query.strategy
      ignoresCase = query.ignoresCase
      ignoresDiacritics = query.ignoresDiacritics
      wholeWords = query.wholeWords
      place = query.place
      colors = query.colors
      tags = query.tags
      states = query.states
      since = query.since
      documents = query.documents
    }

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
}
