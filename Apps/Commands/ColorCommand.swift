import ArgumentParser
import Model
import Workspace

/// `color`: what the colours mean.
struct ColorCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "color", abstract: "Say what the colours mean in this library.",
    subcommands: [List.self, Label.self], defaultSubcommand: List.self)

  /// `color list`.
  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "List the colours with what they mean.")
    @OptionGroup var options: GlobalOptions

    func run() async throws {
      let library = try Session.current.library(options, .lookOnly)
      ColorCommand.say(try await library.labels(), options)
    }
  }

  /// `color label`.
  struct Label: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "label", abstract: "Give a colour a name, such as \"question\".")
    @OptionGroup var options: GlobalOptions
    @OptionGroup var writing: WriteOptions
    @Argument(help: "yellow, green, blue or pink.") var color: HighlightColor
    @Argument(help: "The name; an empty one takes it away.") var name: String

    func run() async throws {
      let library = try Session.current.library(options, .create)
      if !writing.dryRun { try await library.label(color, name) }
      var labels = try await library.labels()
      if writing.dryRun { labels[color] = name.isEmpty ? nil : name }
      ColorCommand.say(labels, options)
    }
  }

  private static func say(_ labels: [HighlightColor: String], _ options: GlobalOptions) {
    let session = Session.current
    if options.json {
      let records = HighlightColor.allCases.map { ColorRecord(color: $0, label: labels[$0]) }
      session.output.line(JSON.line(Envelope(schema: "diple.colors/1", data: records)))
      return
    }
    for color in HighlightColor.allCases {
      let label = labels[color].map { "  \($0.neutralized)" } ?? ""
      session.output.line("\(color.letter)  \(color.rawValue)\(label)")
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
