import ArgumentParser
import Console
import DaemonKit
import Editing
import MarkdownParse
import Model
import Reader
import Rendering
import SystemSupport
import Workspace

/// The `menu` command, which lists the possible actions on a passage.
struct MenuCommand: ContextCommand {
  static let configuration = CommandConfiguration(
    commandName: "menu",
    abstract: "List what can be done with a passage, with the commands for it.",
    discussion: """
      The passage is [DOC] SPEC as for `mark`, or a highlight.

      Examples:
        diple menu essay.md '"quick fox"'
        diple menu 4
      """)

  @OptionGroup var options: GlobalOptions
  @OptionGroup var subject: PassageOptions

  private struct Record: Encodable {
    var key: String
    var title: String
    var command: String
  }

  func run(in context: CommandContext) async throws {
    let passage = try await subject.passage(context, options)
    let highlight = passage.open.highlights.first { $0.anchor.range == passage.range }
    let items = MenuItem.items(
      hasSelection: !passage.range.isEmpty,
      isAll: passage.range.count == passage.open.parsed.text.count, highlight: highlight?.color,
      canMark: passage.open.document != nil,
      canAdd: passage.open.document == nil && subject.words.first != "-")
    // Show the commands in the syntax of this front end.
    let start = context.terminal.isInteractive ? "" : "diple "
    let records = items.map { item in
      Record(
        key: String(item.key), title: item.title(isHighlight: highlight != nil),
        command: command(for: item, passage, highlight, context))
    }
    context.answer(options, "diple.menu/1", records) {
      for record in records {
        context.terminal.output.line(
          "\(record.key)  \(record.title)  \(start)\(record.command)".sanitizedForTerminal)
      }
    }
    if records.isEmpty { throw ExitCode(1) }
  }

  /// Returns the command line for an action.
  private func command(
    for item: MenuItem, _ passage: Passage, _ highlight: Highlight?, _ context: CommandContext
  ) -> String {
    let doc =
      passage.open.document.map { $0.shortID } ?? subject.words.first ?? "DOC"
    let place = "\(doc) \(passage.range)"
    switch item {
    case .color(let color):
      return highlight.map { "hl color \($0.shortID) \(color)" } ?? "mark \(place) --color \(color)"
    case .note: return highlight.map { "hl note \($0.shortID) TEXT" } ?? "mark \(place) --note TEXT"
    case .tag: return highlight.map { "hl tag \($0.shortID) TAG" } ?? "mark \(place) --tag TAG"
    case .addAndMark: return "mark \(place) --add"
    case .add: return "add \(subject.words.first ?? context.selection.file ?? "FILE")"
    case .copy: return "copy \(place)"
    case .copyMarkdown: return "copy \(place) --as md"
    case .copyCited: return "copy \(place) --cite"
    case .share: return "share \(highlight?.shortID ?? place) -o FILE"
    case .selectAll: return "select \(doc) all"
    case .delete: return highlight.map { "hl remove \($0.shortID)" } ?? ""
    }
  }
}
