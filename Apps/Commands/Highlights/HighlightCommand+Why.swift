import Actions
import ArgumentParser
import Console
import Model
import Rendering
import SystemSupport
import Workspace

extension HighlightCommand {
  /// The `highlight why` command. It compares the highlighted words with the current ones if they
  /// differ.
  struct Why: ActionCommand {
    static let configuration = CommandConfiguration(
      commandName: "why",
      abstract: "Explain how a highlight's place was found, and how certain it is.",
      discussion: """
        If the highlight is doubtful or orphaned, its candidates follow, as `anchor review` lists \
        them.

        Example:
          diple hl why 4
        """)
    @OptionGroup var options: GlobalOptions
    @Argument(help: "Id of the highlight, such as 4.", completion: .values(.highlight))
    var id: String

    func request(in context: CommandContext) async throws -> ExplainPlace {
      let library = try context.libraries.library(options, .readOnlyOrEmpty)
      return ExplainPlace(highlight: try await library.highlight(id).id)
    }

    func notices(of outcome: ExplainPlace.Outcome) -> [RefreshReport] { outcome.reports }

    func write(_ outcome: ExplainPlace.Outcome, to context: CommandContext) {
      let (highlight, document, now) = (outcome.highlight, outcome.document, outcome.now)
      let (anchor, candidates) = (highlight.anchor, outcome.candidates)
      defer {
        let writer = context.listWriter(options)
        for (index, candidate) in candidates.enumerated() {
          writer.write("    \(index + 1)  \(candidate.summary(writer.paths).sanitizedForTerminal)")
        }
      }
      context.terminal.output.line(
        "state      \(anchor.state)\(highlight.isDetached ? " (marked as gone)" : "")"
          + (document.state == .missing ? " where last seen; the file is missing" : ""))
      if anchor.range != nil {
        context.terminal.output.line("method     \(anchor.method.sanitizedForTerminal)")
        context.terminal.output.line("score      \(anchor.score.percent)")
        context.terminal.output.line("runner-up  \(anchor.runnerUp.percent)")
        context.terminal.output.line("margin     \(anchor.margin.percent)")
      }
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
}

extension WordChanges {
  /// The old and the new words. Words that only occur in one of the texts are in brackets.
  var sides: (old: String, new: String) {
    func side(_ ofSide: Kind) -> String {
      runs.filter { $0.kind == .kept || $0.kind == ofSide }
        .map { $0.kind == .kept ? $0.words : "[\($0.words)]" }.joined(separator: " ")
    }
    return (side(.removed), side(.added))
  }
}

extension Double {
  /// The value as a rounded percentage, such as `87 %`.
  fileprivate var percent: String { "\(Int((self * 100).rounded())) %" }
}
