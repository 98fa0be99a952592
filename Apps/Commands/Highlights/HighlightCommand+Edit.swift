import ArgumentParser
import Console
import Model
import Workspace

extension HighlightCommand {
  /// The `highlight edit` command. All changes are a single step for `undo`.
  struct Edit: ContextCommand {
    static let configuration = CommandConfiguration(
      commandName: "edit",
      abstract: "Change the colour, note and tags of a highlight in one step.",
      discussion: """
        Example:
          diple hl edit 4 --color pink --tag todo --note "look this up"
        """)
    @OptionGroup var options: GlobalOptions
    @OptionGroup var writing: WriteOptions
    @Option(name: .shortAndLong, help: "New colour, or its label.") var color: ColorName?
    @Option(parsing: .unconditional, help: "New note; an empty one removes it.") var note: String?
    @Option(
      parsing: .unconditionalSingleValue, help: "Tag to add; can be repeated.",
      completion: .values(.tag))
    var tag: [String] = []
    @Option(
      parsing: .unconditionalSingleValue, help: "Tag to remove; can be repeated.",
      completion: .values(.tag))
    var untag: [String] = []
    @Argument(help: "Highlight id, or a unique prefix of it.", completion: .values(.highlight))
    var id: String

    func validate() throws {
      if color == nil, note == nil, tag.isEmpty, untag.isEmpty {
        throw ValidationError("name a change: --color, --note, --tag or --untag")
      }
    }

    func run(in context: CommandContext) async throws {
      var change = HighlightChange()
      change.note = note
      (change.addedTags, change.removedTags) = (tag, untag)
      try await HighlightCommand.apply(change, color, to: id, writing, options, context)
    }
  }

  /// The `highlight color` command. It accepts a colour or its label in the library.
  struct Color: ContextCommand {
    static let configuration = CommandConfiguration(
      commandName: "color",
      abstract: "Change the colour of a highlight.",
      discussion: """
        Example:
          diple hl color 4 green
        """)
    @OptionGroup var options: GlobalOptions
    @OptionGroup var writing: WriteOptions
    @Argument(help: "Highlight id, or a unique prefix of it.", completion: .values(.highlight))
    var id: String
    @Argument(help: "Colour, or its label.") var color: ColorName

    func run(in context: CommandContext) async throws {
      try await HighlightCommand.apply(
        HighlightChange(), color, to: id, writing, options, context)
    }
  }

  /// The `highlight note` command. It is also available as `note`. `-` reads the note from standard
  /// input.
  struct Note: ContextCommand {
    static let configuration = CommandConfiguration(
      commandName: "note",
      abstract: "Set the note of a highlight.",
      discussion: """
        Examples:
          diple hl note 4 "look this up"
          diple hl note 4 ''
        """)
    @OptionGroup var options: GlobalOptions
    @OptionGroup var writing: WriteOptions
    @Argument(help: "Highlight id, or a unique prefix of it.", completion: .values(.highlight))
    var id: String
    @Argument(help: "Note, or '-' for the standard input; an empty one removes it.")
    var note: String

    func run(in context: CommandContext) async throws {
      var change = HighlightChange()
      change.note = note == "-" ? try Self.input(of: context) : note
      try await HighlightCommand.apply(change, to: id, writing, options, context)
    }

    /// Reads standard input and removes the final line break.
    private static func input(of context: CommandContext) throws -> String {
      let text = String(decoding: try context.terminal.readInput(), as: UTF8.self)
      return text.last?.isNewline == true ? String(text.dropLast()) : text
    }
  }

  /// The `highlight tag` command. It adds the tags, or removes them with `--remove`.
  struct Tag: ContextCommand {
    static let configuration = CommandConfiguration(
      commandName: "tag",
      abstract: "Add tags to a highlight, or remove them.",
      discussion: """
        Examples:
          diple hl tag 4 todo history
          diple hl tag 4 todo --remove
        """)
    @OptionGroup var options: GlobalOptions
    @OptionGroup var writing: WriteOptions
    @Flag(help: "Remove the tags instead of adding them.") var remove = false
    @Argument(help: "Highlight id, or a unique prefix of it.", completion: .values(.highlight))
    var id: String
    @Argument(help: "Tags.", completion: .values(.tag)) var tags: [String]

    func run(in context: CommandContext) async throws {
      var change = HighlightChange()
      if remove { change.removedTags = tags } else { change.addedTags = tags }
      try await HighlightCommand.apply(change, to: id, writing, options, context)
    }
  }

  private static func apply(
    _ change: HighlightChange, _ color: ColorName? = nil, to id: String, _ writing: WriteOptions,
    _ options: GlobalOptions, _ context: CommandContext
  ) async throws {
    let library = try context.libraries.library(options, .existing)
    var change = change
    change.color = try await context.color(color, in: library)
    let highlight = try await library.highlight(id)
    let document = try await library.document(id: highlight.document)
    if writing.dryRun {
      context.say(highlight, in: document, after: "\(writing.verb(.change)): ", options)
      return
    }
    let changed = try await library.change(highlight, change)
    context.say(changed, in: document, options)
  }
}
