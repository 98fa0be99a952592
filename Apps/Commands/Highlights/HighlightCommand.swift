import ArgumentParser
import Console
import DaemonKit
import MarkdownParse
import Model
import Rendering
import SystemSupport
import Workspace

/// `highlight`: one highlight.
struct HighlightCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "highlight",
    abstract: "Show, edit, remove and restore highlights.",
    discussion: """
      `hl` is short for `highlight`.

      Examples:
        diple highlight show 4
        diple hl note 4 "look this up"
      """,
    subcommands: [
      Show.self, Edit.self, Color.self, Note.self, Tag.self, Remove.self, Restore.self, Why.self,
      HighlightLogCommand.self, AnchorCommand.Reattach.self,
    ], aliases: ["hl"])

  /// `highlight show`.
  struct Show: ContextCommand {
    static let configuration = CommandConfiguration(
      commandName: "show",
      abstract: "Show a highlight in its paragraph.",
      discussion: """
        Example:
          diple hl show 4
        """)
    @OptionGroup var options: GlobalOptions
    @OptionGroup var width: WidthOptions
    @Argument(help: "Highlight id, or a unique prefix of it.", completion: .values(.highlight))
    var id: String

    func run(in context: CommandContext) async throws {
      let library = try context.libraries.library(options, .readOnlyOrEmpty)
      let (highlight, document) = try await context.highlight(id, in: library)
      if options.json {
        context.terminal.output.line(HighlightRecord.lines([highlight], in: document))
        return
      }
      context.listWriter(options).write(highlight, document)
      if highlight.isTrashed { context.terminal.output.line("in the trash") }
      if highlight.anchor.range != nil, document.state == .present, !highlight.isTrashed {
        context.terminal.output.line()
        context.draw(
          try await library.open(document), around: highlight, width: width.width,
          try context.libraries.settings(options))
      } else {
        context.terminal.output.line("\n\(highlight.selector.exact.sanitizedForTerminal)")
      }
      if !highlight.note.isEmpty {
        context.terminal.output.line("\n\(highlight.note.neutralizedLines)")
      }
    }
  }

  /// `highlight edit`.
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

  /// `highlight color`.
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

  /// `highlight note`.
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
    @Argument(help: "Note; an empty one removes it.") var note: String

    func run(in context: CommandContext) async throws {
      var change = HighlightChange()
      change.note = note
      try await HighlightCommand.apply(change, to: id, writing, options, context)
    }
  }

  /// `highlight tag`.
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

  /// `highlight remove`.
  struct Remove: ContextCommand {
    static let configuration = CommandConfiguration(
      commandName: "remove",
      abstract: "Move highlights to the trash; `hl restore` restores them.",
      discussion: """
        Example:
          diple hl remove 4 8
        """)
    @OptionGroup var options: GlobalOptions
    @OptionGroup var writing: WriteOptions
    @Argument(help: "Highlight ids, or unique prefixes.", completion: .values(.highlight))
    var ids: [String]

    func run(in context: CommandContext) async throws {
      try await HighlightCommand.setTrashed(true, ids, writing, options, context)
    }
  }

  /// `highlight restore`.
  struct Restore: ContextCommand {
    static let configuration = CommandConfiguration(
      commandName: "restore",
      abstract: "Restore highlights from the trash.",
      discussion: """
        Example:
          diple hl restore 4
        """)
    @OptionGroup var options: GlobalOptions
    @OptionGroup var writing: WriteOptions
    @Argument(help: "Highlight ids, or unique prefixes.", completion: .values(.trashedHighlight))
    var ids: [String]

    func run(in context: CommandContext) async throws {
      try await HighlightCommand.setTrashed(false, ids, writing, options, context)
    }
  }

  /// `highlight why`.
  struct Why: ContextCommand {
    static let configuration = CommandConfiguration(
      commandName: "why",
      abstract: "Explain how a highlight's place was found, and how certain it is.",
      discussion: """
        Example:
          diple hl why 4
        """)
    @OptionGroup var options: GlobalOptions
    @Argument(help: "Highlight id, or a unique prefix of it.", completion: .values(.highlight))
    var id: String

    func run(in context: CommandContext) async throws {
      let library = try context.libraries.library(options, .readOnlyOrEmpty)
      let (highlight, document) = try await context.highlight(id, in: library)
      var now: String?
      if let range = highlight.anchor.range, document.state == .present {
        let text = try await library.open(document).parsed.text
        guard range.utf16.upperBound <= text.utf16.count else {
          throw UserError(
            .damaged, "the place of highlight \(highlight.id), \(range), is beyond its text",
            hint: "\(command: "anchor", "reattach", "ID", "SPEC") gives it another")
        }
        now = text.substring(range)
      }
      if options.json {
        let record = WhyRecord(highlight, in: document, now: now)
        context.terminal.output.line(JSON.line(Envelope(schema: "diple.why/1", data: record)))
        return
      }
      let anchor = highlight.anchor
      context.terminal.output.line(
        "state      \(anchor.state)\(highlight.isDetached ? " (marked as gone)" : "")"
          + (document.state == .missing ? " where last seen; the file is missing" : ""))
      context.terminal.output.line("method     \(anchor.method.sanitizedForTerminal)")
      context.terminal.output.line("score      \(anchor.score.percent)")
      context.terminal.output.line("runner-up  \(anchor.runnerUp.percent)")
      context.terminal.output.line("margin     \(anchor.margin.percent)")
      let marked = highlight.selector.exact
      guard let now, anchor.state == .edited || anchor.state == .doubtful else {
        context.terminal.output.line("marked     “\(marked.shortened)”")
        if let now { context.terminal.output.line("now        “\(now.shortened)”") }
        return
      }
      let (old, new) = WordChanges(from: marked, to: now).sides
      context.terminal.output.line("marked     “\(old.sanitizedForTerminal)”")
      context.terminal.output.line("now        “\(new.sanitizedForTerminal)”")
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
      context.say(highlight, in: document, after: "would change: ", options)
      return
    }
    let changed = try await library.change(highlight, change)
    context.say(changed, in: document, options)
  }

  private static func setTrashed(
    _ trashed: Bool, _ ids: [String], _ writing: WriteOptions, _ options: GlobalOptions,
    _ context: CommandContext
  ) async throws {
    let library = try context.libraries.library(options, .existing)
    var highlights: [Highlight] = []
    for id in ids { highlights.append(try await library.highlight(id)) }
    if !writing.dryRun { try await library.setTrashed(trashed, highlights) }
    for highlight in highlights {
      let document = try await library.document(id: highlight.document)
      if options.json {
        let now = try await library.highlight(id: highlight.id)
        context.terminal.output.line(HighlightRecord.lines([now], in: document))
        continue
      }
      let word = trashed ? "removed" : "restored"
      context.listWriter(options).write(
        highlight, document, after: "\(writing.dryRun ? "would be " : "")\(word): ")
    }
  }
}

/// `diple.why/1`.
struct WhyRecord: Encodable {
  struct RunRecord: Encodable {
    var kind: WordChanges.Kind
    var words: String
  }

  var highlight: HighlightRecord
  var runnerUp: Double
  var margin: Double
  var detached: Bool
  @Nullable var now: String?
  var changes: [RunRecord]

  init(_ highlight: Highlight, in document: Document, now: String?) {
    self.highlight = HighlightRecord(highlight, in: document)
    runnerUp = highlight.anchor.runnerUp
    margin = highlight.anchor.margin
    detached = highlight.isDetached
    self.now = now
    changes =
      now.map {
        WordChanges(from: highlight.selector.exact, to: $0).runs.map {
          RunRecord(kind: $0.kind, words: $0.words)
        }
      } ?? []
  }
}

extension WordChanges {
  /// The old and the new words, each with what the other does not have in brackets.
  var sides: (old: String, new: String) {
    func side(_ own: Kind) -> String {
      runs.filter { $0.kind == .kept || $0.kind == own }
        .map { $0.kind == .kept ? $0.words : "[\($0.words)]" }.joined(separator: " ")
    }
    return (side(.removed), side(.added))
  }
}

extension Double {
  /// The value in percent.
  fileprivate var percent: String { "\(Int((self * 100).rounded())) %" }
}

extension String {
  /// Lines without what steers a terminal.
  var neutralizedLines: String {
    split(separator: "\n", omittingEmptySubsequences: false).map { String($0).sanitizedForTerminal }
      .joined(separator: "\n")
  }
}
