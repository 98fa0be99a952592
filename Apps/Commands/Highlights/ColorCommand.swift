import ArgumentParser
import Console
import DaemonKit
import Model
import Rendering
import SystemSupport
import Workspace

/// `color`: what the colours mean.
struct ColorCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "color", abstract: "Say what the colours mean in this library.",
    subcommands: [List.self, Label.self], defaultSubcommand: List.self)

  /// `color list`.
  struct List: ContextCommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "List the colours with what they mean.")
    @OptionGroup var options: GlobalOptions

    func run(in context: CommandContext) async throws {
      let library = try context.libraries.library(options, .lookOnly)
      ColorCommand.say(try await library.labels(), options, context)
    }
  }

  /// `color label`.
  struct Label: ContextCommand {
    static let configuration = CommandConfiguration(
      commandName: "label", abstract: "Give a colour a name, such as \"question\".")
    @OptionGroup var options: GlobalOptions
    @OptionGroup var writing: WriteOptions
    @Argument(help: "yellow, green, blue or pink.") var color: HighlightColor
    @Argument(help: "The name; an empty one takes it away.") var name: String

    func run(in context: CommandContext) async throws {
      let library = try context.libraries.library(options, .create)
      if !writing.dryRun { try await library.label(color, name) }
      var labels = try await library.labels()
      if writing.dryRun { labels[color] = name.isEmpty ? nil : name }
      ColorCommand.say(labels, options, context)
    }
  }

  private static func say(
    _ labels: [HighlightColor: String], _ options: GlobalOptions, _ context: CommandContext
  ) {
    if options.json {
      let records = HighlightColor.allCases.map { ColorRecord(color: $0, label: labels[$0]) }
      context.terminal.output.line(JSON.line(Envelope(schema: "diple.colors/1", data: records)))
      return
    }
    for color in HighlightColor.allCases {
      let label = labels[color].map { "  \($0.sanitizedForTerminal)" } ?? ""
      context.terminal.output.line("\(color.letter)  \(color.rawValue)\(label)")
    }
  }
}

/// One colour of `diple.colors/1`.
struct ColorRecord: Encodable {
  var color: HighlightColor
  @Nullable var label: String?

  init(color: HighlightColor, label: String?) {
    self.color = color
    self.label = label
  }
}
