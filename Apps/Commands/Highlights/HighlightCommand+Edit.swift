import Actions
import ArgumentParser
import Console
import Model
import Workspace

extension HighlightCommand {
  /// The `highlight edit` command. All changes are a single step for `undo`.
  struct Edit: ChangeCommand {
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
    @Argument(help: "Id of the highlight, such as 4.", completion: .values(.highlight))
    var id: String

    func validate() throws {
      if color == nil, note == nil, tag.isEmpty, untag.isEmpty {
        throw ValidationError("name a change: --color, --note, --tag or --untag")
      }
    }

    func request(in context: CommandContext) async throws -> ChangeHighlight {
      try await change(in: context, color: color, note: note, adding: tag, removing: untag)
    }
  }

  /// The `highlight color` command. It accepts a colour or its label in the library.
  struct Color: ChangeCommand {
    static let configuration = CommandConfiguration(
      commandName: "color",
      abstract: "Change the colour of a highlight.",
      discussion: """
        Example:
          diple hl color 4 green
        """)
    @OptionGroup var options: GlobalOptions
    @OptionGroup var writing: WriteOptions
    @Argument(help: "Id of the highlight, such as 4.", completion: .values(.highlight))
    var id: String
    @Argument(help: "Colour, or its label.") var color: ColorName

    func request(in context: CommandContext) async throws -> ChangeHighlight {
      try await change(in: context, color: color)
    }
  }

  /// The `highlight note` command. It is also available as `note`. `-` reads the note from standard
  /// input.
  struct Note: ChangeCommand {
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
    @Argument(help: "Id of the highlight, such as 4.", completion: .values(.highlight))
    var id: String
    @Argument(help: "Note, or '-' for the standard input; an empty one removes it.")
    var note: String

    func request(in context: CommandContext) async throws -> ChangeHighlight {
      try await change(in: context, note: note == "-" ? try Self.input(of: context) : note)
    }

    /// Reads standard input and removes the final line break.
    private static func input(of context: CommandContext) throws -> String {
      let text = String(decoding: try context.terminal.readInput(), as: UTF8.self)
      return text.last?.isNewline == true ? String(text.dropLast()) : text
    }
  }

  /// The `highlight tag` command. It adds the tags, or removes them with `--remove`.
  struct Tag: ChangeCommand {
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
    @Argument(help: "Id of the highlight, such as 4.", completion: .values(.highlight))
    var id: String
    @Argument(help: "Tags.", completion: .values(.tag)) var tags: [String]

    func request(in context: CommandContext) async throws -> ChangeHighlight {
      try await change(in: context, adding: remove ? [] : tags, removing: remove ? tags : [])
    }
  }
}

/// A command that changes one highlight.
protocol ChangeCommand: ActionCommand where Request == ChangeHighlight {
  var writing: WriteOptions { get }
  /// The highlight's number, or its id or the beginning of it.
  var id: String { get }
}

extension ChangeCommand {
  var isDryRun: Bool { writing.dryRun }

  fileprivate func change(
    in context: CommandContext, color: ColorName? = nil, note: String? = nil,
    adding added: [String] = [], removing removed: [String] = []
  ) async throws -> ChangeHighlight {
    let library = try context.libraries.library(options, .existing)
    let color = try await context.color(color, in: library)
    return ChangeHighlight(
      highlight: try await library.highlight(id).id, color: color, note: note, addTags: added,
      removeTags: removed)
  }

  func preview(_ request: ChangeHighlight, in context: CommandContext) async throws {
    let library = try context.libraries.library(options, .existing)
    let highlight = try await library.highlight(id: request.highlight)
    let document = try await library.document(id: highlight.document)
    context.show(highlight, in: document, after: "\(writing.verb(.change)): ", options)
  }

  func write(_ outcome: HighlightOutcome, to context: CommandContext) {
    context.show(outcome.highlight, in: outcome.document, options)
  }
}
