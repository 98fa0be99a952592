import Actions
import ArgumentParser
import Console
import MarkdownParse
import Model
import SystemSupport
import Workspace

extension AnchorCommand {
  /// The `anchor reattach` command, also available as `highlight reattach`.
  struct Reattach: ContextCommand {
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
    @Argument(help: "Highlight id, or a unique prefix of it.", completion: .values(.highlight))
    var id: String
    @Argument(help: "Passage, as for `mark`.", completion: .values(.spec)) var spec: [String]

    func run(in context: CommandContext) async throws {
      let library = try context.libraries.library(options, .existing)
      if spec.count > 1 { throw await tooManyWords(in: library, context) }
      let spec = spec[0]
      let (highlight, home) = try await context.highlight(id, in: library)
      let document =
        if let doc { try await context.document(doc, in: library, toChange: true) } else { home }
      let wanted = try context.selectionSpec(spec)
      if writing.dryRun {
        let open = try await library.open(document)
        let range = try await library.select(wanted, in: open)
        context.answer(
          options, json: SelectionRecord.line(range, in: open.parsed),
          plain:
            "\(writing.verb(.place)) \(highlight.shortID) at “\(open.parsed.text.substring(range).shortened)”"
        )
        return
      }
      context.show(
        try await library.reattach(highlight, to: wanted, in: document), in: document, options)
    }

    /// Returns the error for more than one word after the id: a document before the passage, or a
    /// passage that lacks its quotation marks.
    private func tooManyWords(in library: Library, _ context: CommandContext) async -> UserError {
      let rest = spec.dropFirst().joined(separator: " ")
      if doc == nil, await context.isWholeName(spec[0], in: library) {
        let document = Hint.Word.word(spec[0])
        return UserError(
          .usage, "expected ID and SPEC; '\(spec[0])' is a document",
          hint:
            "name it with --doc: \(command: "hl", "reattach", .word(id), .spec(rest), "--doc", document)"
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
