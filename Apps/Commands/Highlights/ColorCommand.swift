import Actions
import ArgumentParser
import Console
import DaemonKit
import Model
import Rendering
import SystemSupport
import Workspace

/// The `color` command, which lists and labels the colours of highlights.
struct ColorCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "color",
    abstract: "List the colours, and name them for this library.",
    discussion: """
      Examples:
        diple color list
        diple color label green question
      """,
    subcommands: [List.self, Label.self], defaultSubcommand: List.self)

  /// The `color list` command. Its record is `diple.colors/1`, with a null label for unnamed
  /// colours.
  struct List: ActionCommand {
    static let configuration = CommandConfiguration(
      commandName: "list",
      abstract: "List the colours with their names.",
      discussion: """
        Example:
          diple color list
        """)
    @OptionGroup var options: GlobalOptions

    func request(in context: CommandContext) -> ListColors { ListColors() }

    func write(_ outcome: ColorsOutcome, to context: CommandContext) {
      ColorCommand.write(outcome.labels, to: context)
    }
  }

  /// The `color label` command. It creates the library if it does not exist. An empty name removes
  /// the label.
  struct Label: ActionCommand {
    static let configuration = CommandConfiguration(
      commandName: "label",
      abstract: "Name a colour.",
      discussion: """
        Examples:
          diple color label green question
          diple color label green ''
        """)
    @OptionGroup var options: GlobalOptions
    @OptionGroup var writing: WriteOptions
    @Argument(help: "Colour.") var color: HighlightColor
    @Argument(help: "Name; an empty one removes it.") var name: String

    func request(in context: CommandContext) -> LabelColor {
      LabelColor(color: color, label: name, dryRun: writing.dryRun)
    }

    func write(_ outcome: ColorsOutcome, to context: CommandContext) {
      ColorCommand.write(
        outcome.labels, of: writing.dryRun ? [color] : HighlightColor.allCases,
        after: writing.dryRun ? "\(writing.verb(.label)): " : "", to: context)
    }
  }

  private static func write(
    _ labels: [HighlightColor: String], of shown: [HighlightColor] = HighlightColor.allCases,
    after start: String = "", to context: CommandContext
  ) {
    for color in shown {
      let label = labels[color].map { "  \($0.sanitizedForTerminal)" } ?? ""
      context.terminal.output.line("\(start)\(color.letter)  \(color.rawValue)\(label)")
    }
  }
}
