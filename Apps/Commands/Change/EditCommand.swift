import Actions
import ArgumentParser
import Configuration
import Console
import DaemonKit
import Editing
import MarkdownParse
import Model
import Rendering
import SystemSupport
import Workspace

/// The `edit` command, which opens a document in the user's editor.
struct EditCommand: ContextCommand {
  static let configuration = CommandConfiguration(
    commandName: "edit",
    abstract: "Open a document in your editor, at a passage.",
    discussion: """
      The editor is the setting `editor`, $VISUAL or $EDITOR. When it ends, highlights and formats \
      are found again in what you wrote.

      Examples:
        diple edit essay.md
        diple edit essay.md '"quick fox"'
      """)

  @OptionGroup var options: GlobalOptions
  @Argument(
    help: ArgumentHelp(
      "[DOC] [SPEC]; in the line editor, the current document and selection when omitted.",
      valueName: "passage"),
    completion: .values(.document, .spec))
  var words: [String] = []

  func run(in context: CommandContext) async throws {
    try context.requireEditor(
      options,
      hint: "\(command: "config", "set", "editor", "PROGRAM") sets an editor that opens a window"
    )
    let library = try context.libraries.library(options, .existing)
    let (document, position) = try await place(library, context)
    let path = try library.location.file(of: document.path)
    let settings = try context.libraries.settings(options)
    let editor = ExternalEditor(settings.text(.editor), environment: context.terminal.environment)
    try context.suspendingTerminal { () throws(UserError) in
      try editor.open(path, at: position)
    }
    let reports = try await library.refresh([try await library.document(id: document.id)])
    context.answer(options, "diple.refresh/1", reports.map(RefreshRecord.init)) {
      context.notify(reports)
      if reports.allSatisfy({ $0.change == .unchanged }) {
        context.terminal.output.line("\(context.shown(document.path)) is unchanged")
      }
    }
    if reports.contains(where: { $0.change == .unreadable }) { throw ExitCode(4) }
  }

  /// Returns the document, and the position at which the editor opens it. The position is nil if
  /// only a document is named.
  private func place(_ library: Library, _ context: CommandContext) async throws -> (
    document: Document, position: LinePosition?
  ) {
    // In a shell, a single word is a document. In the REPL it may also be a SPEC.
    if words.count == 1, !context.terminal.isInteractive {
      return (try await context.document(words[0], in: library, toChange: true), nil)
    }
    if words.isEmpty, context.selection.selected == nil {
      return (try await context.document(nil, in: library, toChange: true), nil)
    }
    if words.isEmpty, let selected = context.selection.selected, selected.selection.isCaret {
      let parsed = selected.units.document
      let byte = parsed.map.sourceOffset(of: selected.selection.head, bias: .trailing)
      return (
        try await context.document(nil, in: library, toChange: true),
        parsed.sourceLines.position(of: byte)
      )
    }
    let (document, spec) = try await context.subject(words, options)
    let open = try await library.open(document)
    let range = try await library.select(spec, in: open)
    return (
      document,
      open.parsed.sourceLines.position(
        of: open.parsed.map.sourceOffset(of: range.lowerBound, bias: .trailing))
    )
  }
}
