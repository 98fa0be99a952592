import ArgumentParser
import Console
import DaemonKit
import Rendering
import SystemSupport
import Workspace

/// The `tags` command, which lists the tags in use.
struct TagsCommand: ContextCommand {
  static let configuration = CommandConfiguration(
    commandName: "tags",
    abstract: "List the tags in use, with the number of highlights.",
    discussion: """
      Example:
        diple tags
      """)

  @OptionGroup var options: GlobalOptions

  private struct Record: Encodable {
    var name: String
    var highlights: Int
  }

  func run(in context: CommandContext) async throws {
    let tags = try await context.libraries.library(options, .readOnlyOrEmpty).tags()
    context.answer(
      options, "diple.tags/1", tags.map { Record(name: $0.name, highlights: $0.count) }
    ) {
      for tag in tags {
        context.terminal.output.line("\(tag.count)  #\(tag.name.sanitizedForTerminal)")
      }
    }
    if tags.isEmpty { throw context.nothing("no highlight has a tag", options) }
  }
}
