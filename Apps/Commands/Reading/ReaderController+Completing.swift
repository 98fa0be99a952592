import ArgumentParser
import Console
import Model
import Reader
import Workspace

extension ReaderController {
  /// Completes the line that the user types in the reader.
  ///
  /// - Parameter typed: the text before the cursor.
  func complete(_ line: Reader.CompletedLine, _ typed: String) async {
    switch line {
    case .command: await completeCommand(typed)
    case .tags: await completeTag(typed)
    }
  }

  private func completeCommand(_ typed: String) async {
    // Some commands can be run only during a search or with a selection.
    offerMatches()
    offerSelection()
    let found = await context.completions(ofLine: typed)
    var words = found.candidates.map { Completion($0.text, summary: $0.summary) }
    if found.kept == typed.prefix(while: { $0 == " " }).count {
      let ownNames = Set(Self.ownCommands.map(\.text))
      let start = typed.dropFirst(found.kept)
      words.removeAll { ownNames.contains($0.text) }
      words += Self.ownCommands.filter { $0.text.hasPrefix(start) }
      words.sort { $0.text < $1.text }
    }
    reader.complete(typed, keeping: found.kept, with: words)
  }

  /// The commands that only the reader has, or that have another meaning in it.
  private static let ownCommands = [
    Completion("commands", summary: "List all commands."),
    Completion("exit", summary: "Close the reader."),
    Completion("quit", summary: "Close the reader."),
  ]

  /// Lists the commands with their summaries, in groups.
  func listCommands() {
    let groups = Diple.configuration.groupedSubcommands
    let names = groups.flatMap(\.subcommands).map { $0.configuration.commandName?.count ?? 0 }
    let width = (names.max() ?? 0) + 2
    var lines: [String] = []
    for group in groups {
      lines += (lines.isEmpty ? [] : [""]) + ["\(group.name.uppercased()):"]
      for command in group.subcommands where command.configuration.shouldDisplay {
        let name = (command.configuration.commandName ?? "").padded(to: width)
        lines.append("  \(name)\(command.configuration.abstract)")
      }
    }
    lines += ["", ":help COMMAND describes a command, and Tab completes what can follow."]
    reader.showHelp(lines, title: "Commands")
  }

  private func completeTag(_ typed: String) async {
    let all = typed.split(separator: ",", omittingEmptySubsequences: false)
    guard let start = all.last?.drop(while: { $0 == " " }) else { return }
    let given = Set(all.dropLast().map { $0.trimmed })
    let tags = (try? await library.tags().map(\.name)) ?? []
    reader.complete(
      typed, keeping: typed.count - start.count,
      with: tags.filter { $0.hasPrefix(start) && !given.contains($0) }.map { Completion($0) })
  }
}
