import Actions
import ArgumentParser
import Console
import Model
import Rendering
import SystemSupport
import Workspace

extension AnchorCommand {
  /// The `anchor check` command. It exits with 3 if there are damaged highlights.
  struct Check: ContextCommand {
    static let configuration = CommandConfiguration(
      commandName: "check",
      abstract: "List the highlights that edits have damaged; exit code 3 if there are any.",
      discussion: """
        Examples:
          diple anchor check
          diple anchor check --staged
        """)
    @OptionGroup var options: GlobalOptions
    @Flag(help: "Check the staged content of the next git commit instead of the files.")
    var staged = false
    @Argument(
      help: "Documents; all of them when omitted.", completion: .values(.document))
    var docs: [String] = []

    func validate() throws {
      if staged, !docs.isEmpty {
        throw ValidationError(
          "--staged checks all staged files, and cannot be combined with documents")
      }
    }

    func run(in context: CommandContext) async throws {
      let outcome = try await check(context)
      let affected = outcome.affected
      let paths = context.paths
      context.answer(options, json: outcome.json) {
        for item in affected {
          let words = item.words.map { " now “\($0.shortened)”" } ?? ""
          let state = item.document.state == .missing && !staged ? "missing" : "\(item.after.state)"
          context.terminal.output.line(
            "\(paths.text(item.document.path)): \(state) "
              + "\(item.highlight.shortID) “\(item.highlight.selector.exact.shortened)”\(words)")
        }
        let inMissing = staged ? [] : affected.filter { $0.document.state == .missing }
        let missing = inMissing.count
        if affected.count > missing {
          context.show(
            """
            \((affected.count - missing).counted("highlight")) affected; \
            \(command: "anchor", "review") shows possible places
            """)
        }
        if let first = inMissing.first?.document {
          let isOne = inMissing.allSatisfy { $0.document.id == first.id }
          let doc = isOne ? Hint.Word.word(paths.name(first.path)) : "DOC"
          context.show(
            """
            \(missing.counted("highlight")) in missing files, kept as they were; restore the \
            files, or relink them: \(command: "doc", "link", doc, "FILE")
            """)
        }
      }
      if !affected.isEmpty { throw ExitCode(3) }
    }

    private func check(_ context: CommandContext) async throws -> CheckOutcome {
      if staged { return try await context.perform(CheckStaged(folder: "."), options) }
      let library = try context.libraries.library(options, .readOnlyOrEmpty)
      let documents = try await context.documents(docs, in: library)
      return try await context.perform(
        CheckHighlights(documents: documents?.map(\.id)), options)
    }
  }
}
