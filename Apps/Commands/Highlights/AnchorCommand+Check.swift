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
      let library = try context.libraries.library(options, .readOnlyOrEmpty)
      let documents = try await context.documents(docs, in: library)
      let affected =
        staged
        ? try await library.checkStaged(around: ".")
        : try await library.check(documents)
      context.answer(options, "diple.check/1", affected.map(CheckRecord.init)) {
        for item in affected {
          let words = item.words.map { " now “\($0.shortened)”" } ?? ""
          let state = item.document.state == .missing && !staged ? "missing" : "\(item.after.state)"
          context.terminal.output.line(
            "\(item.document.path.string.sanitizedForTerminal): \(state) "
              + "\(item.highlight.shortID) “\(item.highlight.selector.exact.shortened)”\(words)")
        }
        let missing = staged ? 0 : affected.count { $0.document.state == .missing }
        if affected.count > missing {
          context.show(
            """
            \((affected.count - missing).counted("highlight")) affected; \
            \(command: "anchor", "review") shows possible places
            """)
        }
        if missing > 0 {
          context.show(
            """
            \(missing.counted("highlight")) in missing files, kept as they were; restore the files, \
            or relink them: \(line: "doc link DOC PATH")
            """)
        }
      }
      if !affected.isEmpty { throw ExitCode(3) }
    }
  }
}

/// A damaged highlight, an element of `diple.check/1`. The words are null if it has no position.
struct CheckRecord: Encodable {
  var highlight: HighlightRecord
  var state: AnchorState
  @Nullable var words: String?

  init(_ item: AffectedHighlight) {
    highlight = HighlightRecord(item.highlight, in: item.document)
    state = item.after.state
    words = item.words
  }
}
