import Actions
import ArgumentParser
import Console
import LibraryFormatting
import Model
import Rendering
import RichText
import SystemSupport
import Workspace

/// The `style` command, which manages named formats.
struct StyleCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "style",
    abstract: "List, show, save, change and remove styles of paragraphs.",
    discussion: """
      Changing a style changes all text that has it. `format style NAME` applies a style.

      Examples:
        diple style
        diple style save "Pull Quote" essay.md para:4
      """,
    subcommands: [List.self, Show.self, Save.self, Set.self, Remove.self],
    defaultSubcommand: List.self)

  /// The `style list` command. Its record is `diple.styles/1`, built-in styles included.
  struct List: ActionCommand {
    static let configuration = CommandConfiguration(
      commandName: "list",
      abstract: "List the styles.",
      discussion: """
        Example:
          diple style list
        """)
    @OptionGroup var options: GlobalOptions

    func request(in context: CommandContext) -> ListStyles { ListStyles() }

    func write(_ outcome: ListStyles.Outcome, to context: CommandContext) {
      for style in outcome.styles { context.terminal.output.line(style.plain) }
    }
  }

  /// The `style show` command, which also prints the inherited attributes.
  struct Show: ActionCommand {
    static let configuration = CommandConfiguration(
      commandName: "show",
      abstract: "Show the attributes of a style, including inherited ones.",
      discussion: """
        Example:
          diple style show "Block Quote"
        """)
    @OptionGroup var options: GlobalOptions
    @Argument(help: "Name of the style.", completion: .values(.style)) var name: String

    func request(in context: CommandContext) -> ShowStyle { ShowStyle(style: name) }

    func write(_ outcome: StyleOutcome, to context: CommandContext) {
      let output = context.terminal.output
      let style = outcome.style
      let unit = (try? context.lengthUnit(options)) ?? .points
      output.line(
        style.title.sanitizedForTerminal + (style.basedOn.map { ", based on \($0)" } ?? ""))
      let direct = Swift.Set(style.attributes.map(\.name))
      for line in outcome.resolved {
        let value = line.shown(in: unit).sanitizedForTerminal
        output.line(
          "  \(line.name.padded(to: 15))\(value)\(direct.contains(line.name) ? "" : " (inherited)")"
        )
      }
    }
  }

  /// The `style save` command. Only attributes set on the passage itself become part of the style.
  struct Save: ActionCommand {
    static let configuration = CommandConfiguration(
      commandName: "save",
      abstract: "Save the format of a passage as a style.",
      discussion: """
        The attributes that are set on the passage are saved; the others are inherited from the \
        passage's style. If there is a style with this name, it is replaced.

        Examples:
          diple style save "Pull Quote" essay.md para:4
          diple style save Aside essay.md '"by the way"' --based-on body
        """)
    @OptionGroup var options: GlobalOptions
    @OptionGroup var writing: WriteOptions
    @Option(help: "Style to inherit from.", completion: .values(.style)) var basedOn: String?
    @Argument(help: "Name of the style.", completion: .values(.style)) var name: String
    @Argument(
      help: ArgumentHelp(
        "[DOC] SPEC; in the line editor both may be omitted.", valueName: "passage"),
      completion: .values(.document, .spec))
    var words: [String] = []

    func request(in context: CommandContext) async throws -> SaveStyle {
      let (document, spec) = try await context.subject(words, options)
      return SaveStyle(
        style: name, document: document.id, passage: .spec(spec), basedOn: basedOn,
        dryRun: writing.dryRun)
    }

    func write(_ outcome: StyleOutcome, to context: CommandContext) {
      let verb = writing.verb(outcome.isNew ? .save : .change)
      context.terminal.output.line("\(verb) \(outcome.style.quoted)")
    }
  }

  /// The `style set` command. It changes one attribute at a time. `none` lets it be inherited.
  struct Set: ActionCommand {
    static let configuration = CommandConfiguration(
      commandName: "set",
      abstract: "Change the attributes of a style.",
      discussion: """
        ATTRIBUTE and VALUE are as for `format`; VALUE `none` lets the attribute be inherited. \
        `key DIGIT` sets the digit that applies the style in the palettes, and as the name of the \
        style; `key none` restores the usual one.

        Examples:
          diple style set "Block Quote" indent head 24
          diple style set "Pull Quote" key 7
        """)
    @OptionGroup var options: GlobalOptions
    @OptionGroup var writing: WriteOptions
    @Argument(help: "Name of the style.", completion: .values(.style)) var name: String
    @Argument(
      parsing: .allUnrecognized,
      help: ArgumentHelp("Attribute with its value.", valueName: "attribute"))
    var words: [String]

    func request(in context: CommandContext) async throws -> ChangeStyle {
      let library = try context.libraries.library(options, .existing)
      _ = try await library.style(name)
      if words.first == "key", words.count == 2 {
        return ChangeStyle(style: name, key: words[1], dryRun: writing.dryRun)
      }
      guard let parsed = try FormatWords.parse(words), parsed.count == words.count else {
        throw FormatWords.noAttribute(
          words, example: "for example: \(typed: "style", "set", "body", "size", "12")")
      }
      return ChangeStyle(style: name, set: parsed.values, dryRun: writing.dryRun)
    }

    func write(_ outcome: StyleOutcome, to context: CommandContext) async throws {
      context.terminal.output.line("\(writing.verb(.change)) \(outcome.style.quoted)")
      if let title = outcome.formerKeyHolder, let key = outcome.style.key {
        context.show("\(key) was the key of \(title), which has no key now")
      }
      if words.first == "key" { return }
      let values = try FormatWords.parse(words)?.values
      if let missing = await MissingFont(values, context.terminal.environment) {
        context.show(missing.notice)
      }
    }
  }

  /// The `style remove` command. For a built-in style it restores the original attributes.
  struct Remove: ActionCommand {
    static let configuration = CommandConfiguration(
      commandName: "remove",
      abstract: "Remove a style of your own, or undo the changes of a built-in one.",
      discussion: """
        Text that has a removed style looks like the body; `undo` restores the style.

        Example:
          diple style remove "Pull Quote"
        """)
    @OptionGroup var options: GlobalOptions
    @OptionGroup var writing: WriteOptions
    @Argument(help: "Name of the style.", completion: .values(.style)) var name: String

    func request(in context: CommandContext) -> RemoveStyle {
      RemoveStyle(style: name, dryRun: writing.dryRun)
    }

    func write(_ outcome: StyleOutcome, to context: CommandContext) {
      let verb = writing.verb(outcome.style.builtIn ? .restore : .remove)
      context.terminal.output.line(
        "\(verb) the style \(outcome.style.title.sanitizedForTerminal)")
    }
  }
}

extension StyleRecord {
  /// The style as a line of a list.
  fileprivate var plain: String {
    let kind = builtIn ? (changed ? " (changed)" : "") : " (yours)"
    let digit = key.map { " [\($0)]" } ?? ""
    return "\(title.sanitizedForTerminal)\(kind)\(digit): \(values)"
  }

  /// The name of the style in quotation marks, its key and its attributes.
  fileprivate var quoted: String {
    "“\(title.sanitizedForTerminal)”\(key.map { " [\($0)]" } ?? ""): \(values)"
  }

  private var values: String {
    guard attributes.isEmpty else {
      return attributes.map { "\($0.name) \($0.value ?? "none")" }.joined(separator: ", ")
        .sanitizedForTerminal
    }
    return basedOn.map { "as \($0)".sanitizedForTerminal } ?? "the document's default"
  }
}

/// The `font` command, which lists the fonts of this machine.
struct FontCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "font",
    abstract: "List the fonts of this machine.",
    discussion: """
      Example:
        diple font
      """,
    subcommands: [List.self], defaultSubcommand: List.self)

  /// The `font list` command. It exits with 1 if no family matches.
  struct List: ContextCommand {
    static let configuration = CommandConfiguration(
      commandName: "list",
      abstract: "List the font families that fontconfig finds.",
      discussion: """
        Exported pages and cards are shown with these fonts only where they are installed. A \
        document can also use fonts that are not in the list.

        Examples:
          diple font list
          diple font list garamond
        """)
    @OptionGroup var options: GlobalOptions
    @Argument(help: "Show only families that contain this text.") var text: String?

    func run(in context: CommandContext) async throws {
      let outcome = ListFonts.Outcome(
        try await InstalledFonts(context.terminal.environment), containing: text)
      context.answer(options, json: outcome.json) {
        for family in outcome.families { context.terminal.output.line(family.sanitizedForTerminal) }
      }
      if outcome.families.isEmpty { throw ExitCode(1) }
    }
  }
}
