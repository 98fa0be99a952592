import Actions
import ArgumentParser
import Console
import DaemonKit
import Editing
import Model
import SystemSupport
import Workspace

/// The `at` command, which lists the highlights at a position.
struct AtCommand: ContextCommand {
  static let configuration = CommandConfiguration(
    commandName: "at",
    abstract: "List the highlights at a position of a document.",
    discussion: """
      POS is LINE or LINE:COLUMN of the file, also as DOC:LINE:COLUMN, u16:N for an offset in UTF-16 units of the \
      rendered text, or a SPEC as for `mark`, whose start is used. In the line editor, POS may be \
      omitted for the caret.

      Examples:
        diple at essay.md 12:5
        diple at essay.md:12:5
      """)

  @OptionGroup var options: GlobalOptions
  @Argument(
    help: ArgumentHelp(
      "[DOC] POS; in the line editor DOC may be omitted.", valueName: "position"),
    completion: .values(.document, .none))
  var words: [String] = []

  func run(in context: CommandContext) async throws {
    let (doc, position) = try context.documentAndPosition(words, after: "at")
    let open = try await context.open(doc, options)
    let offset: TextOffset
    do { offset = try position.resolve(in: open.parsed) } catch {
      throw UserError(selection: error)
    }
    // Sort the newest highlight first. A file outside the library has no highlights.
    let found = open.highlights.filter { $0.anchor.range?.contains(offset) == true }
      .sorted { $0.id > $1.id }
    context.answer(
      options, "diple.highlights/1",
      open.document.map { document in
        found.map { HighlightRecord($0, in: document) }
      } ?? []
    ) {
      let writer = context.listWriter(options)
      context.terminal.output.presents(.list)
      if let document = open.document {
        for highlight in found { writer.write(highlight, document) }
      }
    }
    if found.isEmpty { throw context.nothing("no highlight is at this position", options) }
  }
}

extension CommandContext {
  /// Splits the words `[DOC] POS` after a command. In the REPL, an empty list refers to the start of
  /// the selection.
  ///
  /// - Throws: ``UserError`` with the code `usage` for another number of words or an invalid
  ///   position.
  func documentAndPosition(_ words: [String], after command: String) throws -> (
    doc: String?, position: PositionSpec
  ) {
    if words.isEmpty, terminal.isInteractive, let selected = selection.selected {
      return (nil, PositionSpec(selected.selection.range.lowerBound))
    }
    // As compilers and grep print places: FILE:LINE or FILE:LINE:COLUMN.
    if words.count == 1,
      let parts = words[0].wholeMatch(of: /(.*[^0-9:].*?):([0-9]+(?::[0-9]+)?)/),
      (try? PositionSpec(parsing: words[0])) == nil || !terminal.isInteractive,
      let position = try? PositionSpec(parsing: String(parts.2))
    {
      return (String(parts.1), position)
    }
    guard (1...2).contains(words.count), terminal.isInteractive || words.count == 2 else {
      throw UserError(
        .usage, "expected DOC and POS",
        hint: "for example: \(typed: .word(command), "essay.md", "12:5")")
    }
    do {
      let position = try PositionSpec(parsing: words[words.count - 1])
      return (words.count == 2 ? words[0] : nil, position)
    } catch {
      throw UserError(.usage, error.description)
    }
  }
}
