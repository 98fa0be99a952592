import Actions
import ArgumentParser
import Console
import DaemonKit
import Model
import Rendering
import SystemSupport
import Workspace

/// The `tags` command, which lists, renames and removes tags.
struct TagsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tags",
    abstract: "List, rename, merge and remove tags.",
    discussion: """
      `tags` alone lists them.

      Examples:
        diple tags
        diple tags rename todo open
      """,
    subcommands: [List.self, Rename.self, Merge.self, Remove.self], defaultSubcommand: List.self)

  /// The `tags list` command.
  struct List: ActionCommand {
    static let configuration = CommandConfiguration(
      commandName: "list",
      abstract: "List the tags in use, with the number of highlights.",
      discussion: """
        Example:
          diple tags list
        """)
    @OptionGroup var options: GlobalOptions

    func request(in context: CommandContext) -> ListTags { ListTags() }

    func write(_ outcome: ListTags.Outcome, to context: CommandContext) {
      for tag in outcome.tags {
        let name = tag.name.asTag.sanitizedForTerminal
        context.terminal.output.line(
          Array("\(tag.highlights)  \(name)".utf8), about: .tag(tag.name))
      }
    }

    func emptiness(of outcome: ListTags.Outcome, in context: CommandContext) -> Hint? {
      outcome.tags.isEmpty ? "no highlight has a tag" : nil
    }
  }

  /// The `tags rename` command. If highlights have the new name already, it asks for confirmation,
  /// because the two tags become one.
  struct Rename: ActionCommand {
    static let configuration = CommandConfiguration(
      commandName: "rename",
      abstract: "Rename a tag on all highlights.",
      discussion: """
        Highlights in the trash and saved queries are changed, too. If the new name is in use, the \
        tags are merged, after a question.

        Example:
          diple tags rename todo open
        """)
    @OptionGroup var options: GlobalOptions
    @OptionGroup var writing: WriteOptions
    @Flag(name: .shortAndLong, help: "Do not ask before tags are merged.") var yes = false
    @Argument(help: "Tag.", completion: .values(.tag)) var old: String
    @Argument(help: "New name.", completion: .values(.tag)) var new: String

    func request(in context: CommandContext) async throws -> RenameTags {
      let library = try context.libraries.library(options, .existing)
      let count = try await library.countHighlights(withTags: [old])[0]
      let name = try Library.tagName(new)
      if !writing.dryRun, name != (try Library.tagName(old)),
        let used = try await library.tags().first(where: { $0.name == name })?.count
      {
        let question = """
          Merge \(try Library.tagName(old).asTag) (\(count.counted("highlight"))) into \(name.asTag) \
          (\(used.counted("highlight")))?
          """
        try context.terminal.confirm(question.sanitizedForTerminal, yes: yes)
      }
      return RenameTags([old], into: new, dryRun: writing.dryRun)
    }

    func write(_ outcome: TagsOutcome, to context: CommandContext) {
      TagsCommand.write(outcome, writing, to: context)
    }
  }

  /// The `tags merge` command.
  struct Merge: ActionCommand {
    static let configuration = CommandConfiguration(
      commandName: "merge",
      abstract: "Merge tags into the last one named.",
      discussion: """
        Highlights in the trash and saved queries are changed, too.

        Example:
          diple tags merge todo later open
        """)
    @OptionGroup var options: GlobalOptions
    @OptionGroup var writing: WriteOptions
    @Argument(
      help: ArgumentHelp("Two or more tags; the last one replaces the others.", valueName: "tag"),
      completion: .values(.tag))
    var tags: [String]

    func validate() throws {
      if tags.count < 2 { throw ValidationError("name two tags or more; the last one stays") }
    }

    func request(in context: CommandContext) -> RenameTags {
      RenameTags(Array(tags.dropLast()), into: tags[tags.count - 1], dryRun: writing.dryRun)
    }

    func write(_ outcome: TagsOutcome, to context: CommandContext) {
      TagsCommand.write(outcome, writing, to: context)
    }
  }

  /// The `tags remove` command. It asks for confirmation.
  struct Remove: ActionCommand {
    static let configuration = CommandConfiguration(
      commandName: "remove",
      abstract: "Remove tags from all highlights; the highlights stay.",
      discussion: """
        Highlights in the trash are changed, too. It asks for confirmation.

        Example:
          diple tags remove later
        """, aliases: ["rm"])
    @OptionGroup var options: GlobalOptions
    @OptionGroup var writing: WriteOptions
    @Flag(name: .shortAndLong, help: "Do not ask for confirmation.") var yes = false
    @Argument(help: "Tags.", completion: .values(.tag)) var tags: [String]

    func request(in context: CommandContext) async throws -> RemoveTags {
      let library = try context.libraries.library(options, .existing)
      let counts = try await library.countHighlights(withTags: tags)
      if !writing.dryRun {
        let parts = try zip(tags, counts).map {
          "\(try Library.tagName($0).asTag) from \($1.counted("highlight"))"
        }
        try context.terminal.confirm(
          "Remove \(parts.joined(separator: ", ").sanitizedForTerminal)?", yes: yes)
      }
      return RemoveTags(tags, dryRun: writing.dryRun)
    }

    func write(_ outcome: TagsOutcome, to context: CommandContext) {
      TagsCommand.write(outcome, writing, to: context)
    }
  }

  /// Prints the outcome of a change in one line: `renamed #todo to #open on 12 highlights`.
  private static func write(
    _ outcome: TagsOutcome, _ writing: WriteOptions, to context: CommandContext
  ) {
    func name(_ tag: String) -> String { String(tag.drop { $0 == "#" }).asTag }
    let tags = outcome.tags.map(name).joined(separator: ", ")
    let count = outcome.highlights.counted("highlight")
    var line =
      if let new = outcome.into {
        "\(writing.verb(.rename)) \(tags) to \(name(new)) on \(count)"
      } else {
        "\(writing.verb(.remove)) \(tags) from \(count)"
      }
    if outcome.trashed > 0 { line += " (\(outcome.trashed) in the trash)" }
    if outcome.queries > 0 {
      line += " and in \(outcome.queries) saved \(outcome.queries == 1 ? "query" : "queries")"
    }
    context.terminal.output.line(line.sanitizedForTerminal)
  }
}
