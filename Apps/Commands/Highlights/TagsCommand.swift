import Actions
import ArgumentParser
import Console
import DaemonKit
import Model
import Rendering
import SystemSupport
import Workspace

/// The `tags` command, which lists the tags in use.
struct TagsCommand: ActionCommand {
  static let configuration = CommandConfiguration(
    commandName: "tags",
    abstract: "List the tags in use, with the number of highlights.",
    discussion: """
      Example:
        diple tags
      """)

  @OptionGroup var options: GlobalOptions

  func request(in context: CommandContext) -> ListTags { ListTags() }

  func write(_ outcome: ListTags.Outcome, to context: CommandContext) {
    for tag in outcome.tags {
      context.terminal.output.line(
        Array("\(tag.highlights)  #\(tag.name.sanitizedForTerminal)".utf8), about: .tag(tag.name))
    }
  }

  func emptiness(of outcome: ListTags.Outcome, in context: CommandContext) -> Hint? {
    outcome.tags.isEmpty ? "no highlight has a tag" : nil
  }
}
