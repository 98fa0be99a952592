import ArgumentParser
import Console
import DaemonKit
import MarkdownParse
import Model
import SystemSupport
import Workspace

/// The `outline` command, which lists the headings of a document.
struct OutlineCommand: ContextCommand {
  static let configuration = CommandConfiguration(
    commandName: "outline",
    abstract: "List the headings of a document, with their lines.",
    discussion: """
      Example:
        diple outline essay.md
      """)

  @OptionGroup var options: GlobalOptions
  @Argument(
    help: "Path, title, a unique part of either, or id; in the line editor the current document.",
    completion: .values(.document))
  var doc: String?

  private struct Record: Encodable {
    var level: Int
    var text: String
    var line: Int
    var range: TextRange
  }

  func run(in context: CommandContext) async throws {
    let open = try await context.open(doc, options)
    let lines = open.parsed.sourceLines
    let records = open.parsed.blocks.compactMap { block -> Record? in
      guard case .heading(let level) = block.kind else { return nil }
      let position = lines.position(of: block.source.bytes.lowerBound)
      return Record(
        level: level, text: open.parsed.text.substring(block.text), line: position.line,
        range: block.text)
    }
    context.answer(options, "diple.outline/1", records) {
      for record in records {
        let indent = String(repeating: "  ", count: record.level - 1)
        context.terminal.output.line("\(indent)\(record.text.shortened)  :\(record.line)")
      }
    }
    if records.isEmpty { throw ExitCode(1) }
  }
}
