import Actions
import ArgumentParser
import Console
import MarkdownParse
import Model
import SystemSupport
import Workspace

extension AnchorCommand {
  /// The `anchor reattach` command, also available as `highlight reattach`.
  struct Reattach: ActionCommand {
    static let configuration = CommandConfiguration(
      commandName: "reattach",
      abstract: "Move a highlight to another passage; colour, note and tags stay.",
      discussion: """
        SPEC is as for `mark`.

        Examples:
          diple anchor reattach 12 '"new words"'
          diple anchor reattach 12 para:3 --doc other.md
        """)
    @OptionGroup var options: GlobalOptions
    @OptionGroup var writing: WriteOptions
    @Option(
      name: .customLong("doc"), help: "Document of the passage; the highlight's when omitted.",
      completion: .values(.document))
    var doc: String?
    @Argument(help: "Id of the highlight, such as 4.", completion: .values(.highlight))
    var id: String
    @Argument(help: "Passage, as for `mark`.", completion: .values(.spec)) var spec: [String]

    var isDryRun: Bool { writing.dryRun }

    func request(in context: CommandContext) async throws -> ReattachHighlight {
      let library = try context.libraries.library(options, .existing)
      if spec.count > 1 { throw try await tooManyWords(in: library, context) }
      let (highlight, home) = try await context.highlight(id, in: library)
      let document =
        if let doc { try await context.document(doc, in: library, toChange: true) } else { home }
      return ReattachHighlight(
        highlight: highlight.id, passage: .spec(try context.selectionSpec(spec[0])),
        document: document.id)
    }

    func preview(_ request: ReattachHighlight, in context: CommandContext) async throws {
      guard case .spec(let spec) = request.passage, let id = request.document else { return }
      let library = try context.libraries.library(options, .existing)
      let open = try await library.open(library.document(id: id))
      let range = try await library.select(spec, in: open)
      let highlight = try await library.highlight(id: request.highlight)
      context.answer(
        options, json: SelectionRecord.line(range, in: open.parsed),
        plain:
          "\(writing.verb(.place)) \(highlight.shortID) at “\(open.parsed.text.substring(range).shortened)”"
      )
    }

    func write(_ outcome: HighlightOutcome, to context: CommandContext) {
      context.show(outcome.highlight, in: outcome.document, options)
    }

    /// Returns the error for more than one word after the id: a document before the passage, or a
    /// passage that lacks its quotation marks. Throws ``UserError`` if the library cannot be read.
    private func tooManyWords(in library: Library, _ context: CommandContext) async throws
      -> UserError
    {
      let rest = spec.dropFirst().joined(separator: " ")
      if doc == nil, try await context.isWholeName(spec[0], in: library) {
        let document = Hint.Word.word(spec[0])
        return UserError(
          .usage, "expected ID and SPEC; '\(spec[0])' is a document",
          hint:
            """
            name it with --doc: \
            \(command: "hl", "reattach", .word(id), .spec(rest), "--doc", document)
            """
        )
      }
      let quote = "\"\(spec.joined(separator: " "))\""
      return UserError(
        .usage, "expected ID and SPEC, got \((spec.count + 1).counted("word"))",
        hint:
          "put a quote in quotation marks: \(command: "hl", "reattach", .word(id), .spec(quote))"
      )
    }
  }
}
